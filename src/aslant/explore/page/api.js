// What is asked of the server. Every number on the page comes from there.

const ROOT = new URL(".", location.href.split("#")[0]);
const named = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

const remembered = () => {
  try {
    const known = localStorage.getItem("aslant-person") ?? named();
    localStorage.setItem("aslant-person", known);
    return known;
  } catch {
    return named(); // a browser that keeps nothing: tries count until the page is reloaded
  }
};

export const person = remembered();
const tab = named();
export const states = new EventTarget(); // "lost", "back"
let lost = false;

export const AWAY =
  "The server does not answer. Nothing on this page is lost; it resumes as soon as the server is back.";
export const RENAMED =
  "This address is no longer served: aslant explore was restarted. Open the address that it " +
  "printed, and put what follows the # of this address behind it: your words are there.";

/** An answer that is one sentence: what was wrong, or that the server is away. */
export class Refusal extends Error {
  constructor(sentence, kind) {
    super(sentence);
    this.kind = kind; // "lost", "superseded", "refused"
  }
}

const reach = async (path, options) => {
  const headers = { "X-Aslant-Person": person, "X-Aslant-Tab": tab };
  if (options.body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(new URL(path, ROOT), { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw new Refusal("", "superseded");
    throw gone(AWAY);
  }
  if (response.ok) return response;
  if (response.status === 404) throw gone(RENAMED);
  const told = await response.json().catch(() => ({}));
  const kind = response.status === 409 ? "superseded" : "refused";
  throw new Refusal(told.error ? sentence(told.error) : `The server answered ${response.status}.`, kind);
};

const gone = (sentence) => {
  if (!lost) setTimeout(knock, 1000);
  lost = true;
  states.dispatchEvent(new CustomEvent("lost", { detail: sentence }));
  return new Refusal(sentence, "lost");
};

/** Ask whether the server is back, now and every two seconds until it is. */
export const knock = async () => {
  if (!lost) return;
  const answer = await fetch(new URL("api/ready", ROOT)).catch(() => null);
  if (answer?.ok) {
    lost = false;
    states.dispatchEvent(new Event("back"));
  } else {
    if (answer?.status === 404) states.dispatchEvent(new CustomEvent("lost", { detail: RENAMED }));
    clearTimeout(knock.next);
    knock.next = setTimeout(knock, 2000);
  }
};

/** Messages of aslant begin in lower case, as they follow "Error:" in a terminal; the sign of a number stays ("d > 0"). */
export const sentence = (text) =>
  /^\w ?[<>=:]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);

const cut = (error) => (error.name === "AbortError" ? new Refusal("", "superseded") : gone(AWAY));

export const get = async (name) => (await reach(`api/${name}`, { method: "GET" })).json();

export const post = async (name, body = {}, signal = undefined) => {
  const response = await reach(`api/${name}`, { method: "POST", body: JSON.stringify(body), signal });
  return response.json().catch((error) => {
    throw cut(error);
  });
};

/** Ask for what comes line by line; returns the last line's result. */
export const stream = async (name, body, signal, online) => {
  const response = await reach(`api/${name}`, { method: "POST", body: JSON.stringify(body), signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw cut(error);
    });
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines.filter((text) => text.trim())) {
      const part = JSON.parse(line);
      if (part.error ?? part.incomplete) throw new Refusal(sentence(part.error ?? part.incomplete), "refused");
      if (part.result) return part.result;
      online(part);
    }
    if (done) throw new Refusal("The answer ended before it was complete; ask again.", "refused");
  }
};

export const reportAddress = () => new URL(`report.html?person=${encodeURIComponent(person)}`, ROOT).href;
