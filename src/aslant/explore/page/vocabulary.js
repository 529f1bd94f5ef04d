// What the vocabularies know of the words on the page: frequency rank, or suggestions for one that is missing.
import { post } from "./api.js";

export const vocabulary = new EventTarget();
const known = new Map(); // "model word" → row
const totals = new Map();
const MOST_ASKED = 500;

const key = (model, word) => `${model} ${word}`;

/** The row of a word, or undefined while nobody has asked. */
export const about = (model, word) => known.get(key(model, word));
export const total = (model) => totals.get(String(model));

let before = Promise.resolve(); // one request at a time: the server answers only the newest of those that wait

/** Ask for the words that are not known yet, and tell when they are. */
export const look = (model, words) => {
  before = before.then(() => ask(model, words)).catch(() => {}); // what failed is asked again at the next change
};

const ask = async (model, words) => {
  const asked = [...new Set(words)].filter((word) => !known.has(key(model, word))).slice(0, MOST_ASKED);
  if (!asked.length) return;
  const answer = await post("words", { model: Number(model), words: asked });
  totals.set(String(model), answer.total);
  for (const row of answer.words) known.set(key(model, row.word), row);
  vocabulary.dispatchEvent(new Event("change"));
  await ask(model, words); // those that one request does not hold
};

export const complete = (model, prefix, signal) =>
  post("complete", { model: Number(model), prefix, limit: 12 }, signal);
