// The state of a panel as the part of the address behind "#": #bench?measure=weat&x=Career:office,!salary
// A list is name:word,word; a word that is struck out begins with "!". Nothing is stored on the server.

const escaped = (text) => encodeURIComponent(text).replaceAll("!", "%21");

export const listText = ({ name, words }) =>
  `${escaped(name)}:${words.map(({ word, struck }) => (struck ? "!" : "") + escaped(word)).join(",")}`;

const read = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a per cent sign that somebody wrote by hand
  }
};

export const listOf = (text) => {
  const [name, words] = text.includes(":")
    ? [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)]
    : ["", text];
  const parts = words.split(",").filter(Boolean);
  return {
    name: read(name),
    words: parts.map((part) => ({ word: read(part.replace(/^!/, "")), struck: part.startsWith("!") })),
  };
};

/** The fragment of a panel whose settings are text and whose lists are boxes of words. */
export const fragment = (panel, settings, lists) => {
  const pairs = [
    ...Object.entries(settings)
      .filter(([, value]) => value !== "" && value !== null && value !== undefined)
      .map(([key, value]) => `${key}=${escaped(value)}`),
    ...Object.entries(lists)
      .filter(([, list]) => list.words.length || list.name)
      .map(([key, list]) => `${key}=${listText(list)}`),
  ];
  return `#${panel}${pairs.length ? `?${pairs.join("&")}` : ""}`;
};

/** What a fragment says: the panel, and every key with its text as it stands there. */
export const parsed = (hash) => {
  const [panel, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const pairs = query
    .split("&")
    .filter(Boolean)
    .map((pair) => pair.split(/=(.*)/s));
  return { panel, pairs: Object.fromEntries(pairs.map(([key, value = ""]) => [key, value])) };
};

export const setting = read;
