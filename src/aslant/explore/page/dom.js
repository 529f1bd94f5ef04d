// Elements are made of text and attributes only: nothing that comes from a vocabulary or a file is ever read as HTML.

const NOTICE = 4000; // milliseconds
let numbers = 0;
export const fresh = (name) => `${name}-${(numbers += 1)}`;

/** An element: `on…` fields are listeners, null and false are left out, children are elements or text. */
export const h = (tag, fields = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
};

export const button = (text, onclick, fields = {}) => h("button", { type: "button", onclick, ...fields }, text);

/** A labelled choice; `options` are [value, text] or {title, options}. */
export const choice = (label, options, value, onchange, fields = {}) => {
  const one = ([given, text]) => h("option", { value: given }, text);
  const all = options.map((option) =>
    Array.isArray(option) ? one(option) : h("optgroup", { label: option.title }, option.options.map(one)),
  );
  const select = h("select", { onchange: () => onchange(select.value), ...fields }, all);
  select.value = value;
  return h("label", { class: "field" }, h("span", {}, label), select);
};

/** A labelled number within limits; what is not one is put back. */
export const amount = (label, value, least, most, onchange, fields = {}) => {
  const input = h("input", {
    type: "number",
    min: least,
    max: most,
    value,
    ...fields,
    onchange: () => {
      const asked = input.valueAsNumber;
      input.value = Number.isFinite(asked) ? Math.min(most, Math.max(least, Math.round(asked))) : value;
      onchange(input.value);
    },
  });
  return h("label", { class: "field" }, h("span", {}, label), input);
};

// Marks that turn the direction of text, and others that nobody sees, could make a word look like another one.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text) =>
  String(text).replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** A word, isolated from the direction of the text around it. */
export const wordElement = (word) => h("bdi", {}, visible(word));

/** Say something to a screen reader. */
export const say = (text) => {
  document.getElementById("said").textContent = text;
};

/** Say something to everybody: for a while it shows at the lower edge, too. */
export const notice = (text) => {
  say(text);
  const shown = h("p", { class: "notice", "aria-hidden": "true", popover: "manual" }, text);
  document.querySelector(".notice")?.remove();
  document.body.append(shown);
  shown.showPopover(); // above a dialog, too
  setTimeout(() => shown.remove(), NOTICE);
};

/** A dialog that closes by its button, by Escape and by a click beside it, and leaves nothing behind. */
export const dialog = (title, ...children) => {
  const heading = h("h2", { id: fresh("title") }, title);
  const close = button("Close", () => shown.close(), { class: "close" });
  const shown = h(
    "dialog",
    { "aria-labelledby": heading.id },
    h("div", { class: "inside" }, h("header", {}, heading, close), ...children),
  );
  shown.addEventListener("click", (event) => {
    if (event.target === shown) shown.close();
  });
  shown.addEventListener("close", () => shown.remove());
  document.body.append(shown);
  shown.showModal();
  return shown;
};

/** Copy text; where the browser keeps its clipboard to itself (plain http on another machine), the old way. */
export const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "unseen", "aria-label": "Text to copy", value: text });
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (!copied) return notice("The browser did not let this page copy; select the text instead.");
  }
  return notice("Copied.");
};
