// Words that may offend (the server's list: English, and not complete) are covered until a reader asks to see them.
import { h, visible } from "./dom.js";

const COVER = "•";
export const covering = new EventTarget();
let open = false;

export const uncovered = () => open;
export const uncover = (shown) => {
  open = shown;
  covering.dispatchEvent(new Event("change"));
};

export const coveredText = ({ word, offensive }) =>
  offensive && !open ? [...word][0] + COVER.repeat(Math.max([...word].length - 1, 1)) : visible(word);

/** A word that is covered while it may offend; a screen reader hears that it is covered, not the bullets. */
export const coveredElement = (row) =>
  row.offensive && !open
    ? h("bdi", { class: "covered", role: "img", "aria-label": "covered word" }, coveredText(row))
    : h("bdi", {}, visible(row.word));

/** The switch; whoever shows words listens to `covering`. */
export const coverSwitch = () => {
  const box = h("input", { type: "checkbox", class: "reveal", checked: open, onchange: () => uncover(box.checked) });
  covering.addEventListener("change", () => {
    box.checked = open;
  });
  return h("label", { class: "check" }, box, "Show words that may offend");
};
