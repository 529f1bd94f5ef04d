// What all panels share: fields for their settings, which models fit, and undo.
import { amount, button, choice, h, visible } from "./dom.js";

export const isVectors = (model) => model.kind === "vectors";
export const titleOf = (model) =>
  `${visible(model.name)}${model.words ? ` · ${model.words.toLocaleString("en")} words × ${model.dimensions}` : ` · ${model.kind}`}`;

/** Let a field follow a setting of a store: it is made once, so that the focus stays where it is. */
const follow = (store, key, label) => {
  const field = label.lastElementChild;
  store.addEventListener("change", () => {
    if (document.activeElement !== field || field.localName === "select") field.value = store.settings[key];
  });
  return label;
};
const set = (store, key) => (value) =>
  store.change(({ settings }) => {
    settings[key] = String(value);
  });

/** A choice for a setting of a store. */
export const choose = (store, key, label, options, chosen = set(store, key)) =>
  follow(store, key, choice(label, options, store.settings[key], chosen, { name: key }));

/** A number for a setting of a store. */
export const count = (store, key, label, least, most) =>
  follow(store, key, amount(label, store.settings[key], least, most, set(store, key), { name: key }));

/** A choice that does something once, and then says "Choose …" again. */
export const pick = (label, options, take) => {
  const field = choice(
    label,
    [["", "Choose …"], ...options],
    "",
    (value) => {
      take(value);
      field.lastElementChild.value = "";
    },
    { name: "set" },
  );
  return field;
};

/** The models that an address may name. */
export const modelValues = (models) => {
  const numbers = models.map((model) => String(model.number));
  return { model: numbers, compare: ["", ...numbers] };
};

/** A choice of a model of a store (`model`), and of a second one (`compare`) where there are several. */
export const modelChoices = (store, models, compared = true) => {
  const named = models.map((model) => [String(model.number), titleOf(model)]);
  const one = choose(store, "model", "Model", named);
  if (!compared || models.length < 2) return [one];
  const second = choose(store, "compare", "Compare with", [["", "–"], ...named]);
  const others = () => {
    // a model beside itself would show nothing
    for (const option of second.querySelectorAll("option")) option.disabled = option.value === store.settings.model;
  };
  store.addEventListener("change", others);
  others();
  return [one, second];
};

export const undoButton = (store) =>
  button("Undo", () => store.undo(), { class: "undo", "aria-keyshortcuts": "Control+Z" });

/** What a panel shows that no opened model fits. */
export const unfit = (what, command) =>
  h("div", { class: "unfit" }, h("p", {}, what), h("p", {}, "For example: ", h("code", {}, command)));

export const numeric = (text) => (text === "" ? null : Number(text));
