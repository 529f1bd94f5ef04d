// Templates for language models: how much more does a model expect a word with one target than with the other?
import { Answer } from "./answer.js";
import { Box } from "./box.js";
import { h, visible } from "./dom.js";
import { fileField, setNamed, setOptions } from "./filling.js";
import { isVectors, modelChoices, modelValues, numeric, pick, undoButton, unfit } from "./panel.js";
import { Running } from "./running.js";
import { Store } from "./store.js";

const TITLES = { x: "First targets", y: "Second targets", a: "Attributes" };
const KEYS = Object.keys(TITLES);
const START = {
  x: ["he"],
  y: ["she"],
  a: ["nurse", "engineer", "teacher", "carpenter", "librarian", "mechanic", "dancer", "pilot"],
};
const lines = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

export class Templates {
  constructor(about) {
    this.models = about.models.filter((model) => !isVectors(model));
    if (!this.models.length) {
      this.element = h(
        "div",
        {},
        unfit("Templates ask a language model, and none is open.", "aslant explore sample sample-mlm"),
      );
      return;
    }
    const lists = Object.fromEntries(KEYS.map((key) => [key, { name: "", words: [] }]));
    const settings = {
      model: String(this.models[0].number),
      compare: "",
      templates: "[TARGET] is a [ATTRIBUTE].",
      seed: String(about.seed),
    };
    this.store = new Store("templates", settings, lists, () => KEYS, modelValues(this.models));
    this.answer = new Answer({ api: "templates", title: "What the model expects" });
    this.running = new Running({
      api: "templates",
      name: "Score",
      answer: this.answer,
      request: () => this.request(),
      needed: () => this.needed(),
    });
    this.build();
    if (this.store.fresh)
      for (const [key, words] of Object.entries(START))
        this.store.lists[key] = { name: "", words: words.map((word) => ({ word, struck: false })) };
    this.store.addEventListener("change", () => this.draw());
    this.answer.tell(
      "A score above 0: the model expects the attribute more with the first targets than with the second.",
    );
    this.draw();
  }

  build() {
    const others = () => KEYS.map((key) => ({ key, title: TITLES[key] }));
    this.boxes = KEYS.map((key) => new Box({ store: this.store, key, title: TITLES[key], others }));
    const controls = h(
      "div",
      { class: "controls" },
      modelChoices(this.store, this.models),
      pick("Start from a set", setOptions(["templates", "weat", "words"]), (id) => this.take(id)),
      fileField(
        "Read a file …",
        (set) => this.put(set),
        (text) => {
          this.told.textContent = text;
        },
      ),
      undoButton(this.store),
    );
    this.told = h("p", { class: "soft", role: "status" });
    this.text = h("textarea", {
      rows: 3,
      spellcheck: "false",
      maxlength: 4000,
      onchange: () =>
        this.store.change(({ settings }) => {
          settings.templates = lines(this.text.value).join("\n");
        }),
      onkeydown: (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          this.text.blur();
          this.running.run();
        }
      },
    });
    this.element = h(
      "div",
      { class: "bench" },
      h(
        "div",
        { class: "left" },
        controls,
        this.told,
        h(
          "label",
          { class: "field tall" },
          h("span", {}, "Templates, one a line, with [TARGET] and [ATTRIBUTE]"),
          this.text,
        ),
        h(
          "div",
          { class: "boxes" },
          this.boxes.map((box) => box.element),
        ),
        h(
          "p",
          { class: "under" },
          this.running.button,
          h("span", { class: "soft" }, " The model answers batch by batch; Ctrl+Enter in the templates does the same."),
        ),
      ),
      h("div", { class: "right" }, this.running.progress, this.answer.element),
    );
  }

  draw() {
    if (document.activeElement !== this.text) this.text.value = this.store.settings.templates;
    for (const box of this.boxes) box.draw();
    this.store.write();
  }

  async take(id) {
    if (!id) return;
    try {
      this.put(await setNamed(id));
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  put(set) {
    const of = (...roles) => set.groups.filter(({ role }) => roles.includes(role));
    this.store.change(({ settings, lists }) => {
      const put = (key, groups) => {
        const words = [...new Set(groups.flatMap((group) => group.words))];
        const name = groups.map((group) => group.name).join(", ");
        if (groups.length) lists[key] = { name, words: words.map((word) => ({ word, struck: false })) };
      };
      put("x", of("targets").slice(0, 1));
      put("y", of("targets").slice(1, 2));
      put("a", of("attributes", "words"));
      if (set.templates?.length) settings.templates = set.templates.join("\n");
    });
    this.told.textContent = [set.title !== "own" && set.title, set.caution, set.note, ...(set.notes ?? [])]
      .filter(Boolean)
      .map(visible)
      .join(" ");
  }

  needed() {
    if (!lines(this.store.settings.templates).length) return "Type a template that has [TARGET] and [ATTRIBUTE] in it.";
    const empty = ["x", "y", "a"].find((key) => !this.store.sent(key).words.length);
    return empty ? `Type at least one word into the ${TITLES[empty].toLowerCase()}.` : null;
  }

  request() {
    const { model, compare, templates, seed } = this.store.settings;
    const named = (keys) => keys.map((key) => this.store.sent(key, TITLES[key])).filter(({ words }) => words.length);
    return {
      model: Number(model),
      compare: numeric(compare),
      templates: lines(templates),
      targets: named(["x", "y"]),
      attributes: named(["a"]),
      seed: Number(seed),
    };
  }
}
