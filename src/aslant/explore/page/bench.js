// The bench: boxes of words, and a test or a score of them that follows what is typed.
import { Answer } from "./answer.js";
import { Asking } from "./asking.js";
import { Box } from "./box.js";
import { button, h, say, visible } from "./dom.js";
import { fileField, setNamed, setOptions } from "./filling.js";
import { choose, isVectors, modelChoices, modelValues, numeric, pick, undoButton, unfit } from "./panel.js";
import { Store } from "./store.js";
import { strip } from "./strip.js";
import { look } from "./vocabulary.js";

const TITLES = { x: "First targets", y: "Second targets", a: "First attributes", b: "Second attributes", w: "Words" };
const MEASURES = {
  weat: {
    name: "WEAT",
    boxes: ["x", "y", "a", "b"],
    asks: "Do the two sets of targets differ in how close they are to the attributes?",
  },
  polarity: {
    name: "Polarity",
    boxes: ["c", "w"],
    asks: "How far do words lean to one class of words rather than to the others?",
  },
  rnd: {
    name: "RND",
    boxes: ["x", "y", "a"],
    asks: "Are the attributes nearer to the first targets or to the second?",
  },
  wefat: {
    name: "WEFAT",
    boxes: ["w", "a", "b"],
    asks: "Which single words are closer to one set of attributes than to the other?",
  },
};
const MOST_CLASSES = 8;
const DEFAULTS = { measure: "weat", model: "0", compare: "", scheme: "binary", alternative: "two-sided", seed: "" };
const WAYS = { "two-sided": "two-sided", greater: "greater: first with first", less: "less: first with second" };

const classKeys = (lists) =>
  Array.from({ length: MOST_CLASSES }, (_, at) => `c${at + 1}`).filter((key) => key in lists);
const empty = () => ({ name: "", words: [] });
const asWords = (words) => [...new Set(words)].map((word) => ({ word, struck: false }));

export class Bench {
  constructor(about) {
    this.about = about;
    this.models = about.models.filter(isVectors);
    if (!this.models.length) {
      this.element = h(
        "div",
        {},
        unfit("The bench measures word vectors, and none are open.", "aslant explore sample"),
      );
      return;
    }
    const lists = Object.fromEntries(["x", "y", "a", "b", "w", "c1", "c2"].map((key) => [key, empty()]));
    const model = String(this.models[0].number);
    this.store = new Store(
      "bench",
      { ...DEFAULTS, model, seed: String(about.seed) },
      lists,
      (settings) => this.keys(settings),
      {
        ...modelValues(this.models),
        measure: Object.keys(MEASURES),
        scheme: about.schemes,
        alternative: about.alternatives,
      },
    );
    this.answer = new Answer({ api: "bench", model: () => this.store.settings.model });
    this.asking = new Asking("bench", this.answer, () => this.request());
    this.question = h("p", { class: "question" });
    this.told = h("p", { class: "soft", role: "status" });
    this.place = h("div", { class: "boxes" });
    this.element = h(
      "div",
      { class: "bench" },
      h("div", { class: "left" }, this.settings(), this.question, this.told, this.place),
      h("div", { class: "right" }, this.answer.element),
      strip(this.answer),
    );
    this.boxes = [];
    this.stated = this.known(); // an address with a direction states it for its words
    this.store.addEventListener("change", () => this.draw());
    this.draw(!this.store.fresh); // empty boxes are a question only once somebody has emptied them
    if (this.store.fresh) this.fill("weat-6");
  }

  keys({ measure }) {
    const lists = this.store?.lists ?? { c1: 0, c2: 0 };
    return MEASURES[measure].boxes.flatMap((key) => (key === "c" ? classKeys(lists) : [key]));
  }

  get measure() {
    return MEASURES[this.store.settings.measure];
  }

  title(key) {
    return TITLES[key] ?? `Class ${key.slice(1)}`;
  }

  async fill(id) {
    if (!id) return;
    try {
      this.take(await setNamed(id));
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  /** Put a whole set into the boxes that fit its groups; the measure changes if only another one takes them. */
  take(set) {
    const of = (role) => set.groups.filter((group) => group.role === role);
    const put = (lists, key, group) => {
      if (group) lists[key] = { name: group.name, words: asWords(group.words) };
    };
    this.store.change(({ settings, lists }) => {
      if (of("classes").length) {
        settings.measure = "polarity";
        for (const key of classKeys(lists)) delete lists[key];
        of("classes")
          .slice(0, MOST_CLASSES)
          .forEach((group, at) => put(lists, `c${at + 1}`, group));
      }
      if (of("targets").length > 1 && settings.measure === "polarity") settings.measure = "weat";
      if (of("targets").length > 1 && settings.measure === "wefat")
        put(lists, "w", {
          name: of("targets")
            .map(({ name }) => name)
            .join(", "),
          words: of("targets").flatMap(({ words }) => words),
        });
      ["x", "y"].forEach((key, at) => put(lists, key, of("targets")[at]));
      ["a", "b"].forEach((key, at) => put(lists, key, of("attributes")[at]));
      if (of("words").length && !["polarity", "wefat"].includes(settings.measure)) settings.measure = "wefat";
      put(lists, "w", of("words")[0]);
      if (set.alternative && settings.measure === "weat") settings.alternative = set.alternative;
      this.stated = set.alternative ? new Set(set.groups.flatMap(({ words }) => words)) : null;
    });
    const notes = [set.title !== "own" && `${set.title}.`, set.caution, set.note, ...(set.notes ?? [])].filter(Boolean);
    this.told.textContent = notes.map(visible).join(" ");
  }

  /** The words of the four boxes. */
  known() {
    return new Set(["x", "y", "a", "b"].flatMap((key) => this.store.lists[key].words.map(({ word }) => word)));
  }

  /** The direction that a set states holds for its words: with words of one's own the test is two-sided again. */
  unstate() {
    const { settings } = this.store;
    if (!this.stated || settings.alternative === "two-sided") return;
    if ([...this.known()].every((word) => this.stated.has(word))) return;
    this.stated = null;
    settings.alternative = "two-sided";
    this.store.write();
    this.told.textContent = "The direction was stated for other words; with these the test is two-sided.";
  }

  draw(asks = true) {
    this.unstate();
    const { settings } = this.store;
    const shown = this.keys(settings).join();
    if (this.shown !== shown) this.lay(shown);
    this.drawSettings();
    for (const box of this.boxes) box.draw();
    const words = this.keys(settings).flatMap((key) => this.store.lists[key].words.map(({ word }) => word));
    look(settings.model, words);
    if (asks) this.asking.change();
  }

  lay(shown) {
    this.shown = shown;
    for (const box of this.boxes) box.close();
    const keys = this.keys(this.store.settings);
    const others = () => keys.map((key) => ({ key, title: this.title(key) }));
    const classes = keys.filter((key) => key.startsWith("c"));
    this.boxes = keys.map(
      (key) =>
        new Box({
          store: this.store,
          key,
          title: this.title(key),
          model: () => this.store.settings.model,
          others,
          removed: classes.length > 2 && classes.includes(key) ? () => this.removeClass(key) : null,
        }),
    );
    const more =
      classes.length &&
      classes.length < MOST_CLASSES &&
      button("Add a class", () => this.addClass(), { class: "wide" });
    this.place.replaceChildren(...this.boxes.map((box) => box.element), ...(more ? [more] : []));
  }

  addClass() {
    this.store.change(({ lists, settings }) => {
      lists[`c${classKeys(lists).length + 1}`] = empty();
      if (settings.scheme === "binary") settings.scheme = "one-vs-rest";
    });
  }

  removeClass(key) {
    this.store.change(({ lists }) => {
      const left = classKeys(lists)
        .filter((other) => other !== key)
        .map((other) => lists[other]);
      for (const other of classKeys(lists)) delete lists[other];
      left.forEach((list, at) => {
        lists[`c${at + 1}`] = list;
      });
    });
    say("The class was removed.");
  }

  /** The settings above the boxes; scheme and direction show only where the measure has them. */
  settings() {
    const { store } = this;
    const set = (key) =>
      store.change(({ settings }) => {
        settings.measure = key;
      });
    this.measures = h(
      "fieldset",
      { class: "measures" },
      h("legend", { class: "unseen" }, "Measure"),
      Object.entries(MEASURES).map(([key, { name }]) =>
        h(
          "label",
          {},
          h("input", { type: "radio", name: "measure", value: key, onchange: () => set(key) }),
          h("span", {}, name),
        ),
      ),
    );
    this.scheme = choose(
      store,
      "scheme",
      "Scheme",
      this.about.schemes.map((one) => [one, one]),
    );
    this.direction = choose(
      store,
      "alternative",
      "Direction",
      this.about.alternatives.map((one) => [one, WAYS[one] ?? one]),
      (value) => {
        this.stated = null;
        store.change(({ settings }) => {
          settings.alternative = value;
        });
      },
    );
    return h(
      "div",
      { class: "controls" },
      h("div", { class: "first" }, this.measures, undoButton(store)),
      modelChoices(store, this.models),
      pick("Start from a set", setOptions(["weat", "classes", "words"]), (id) => this.fill(id)),
      fileField(
        "Read a file …",
        (found) => this.take(found),
        (text) => {
          this.told.textContent = text;
        },
      ),
      this.scheme,
      this.direction,
    );
  }

  drawSettings() {
    const { settings } = this.store;
    for (const radio of this.measures.querySelectorAll("input")) radio.checked = radio.value === settings.measure;
    this.scheme.hidden = settings.measure !== "polarity";
    this.direction.hidden = settings.measure !== "weat";
    this.direction.lastElementChild.value = settings.alternative;
    this.question.textContent = this.measure.asks;
  }

  request() {
    const { settings } = this.store;
    const { boxes } = this.measure;
    const named = (keys) =>
      keys.filter((key) => boxes.includes(key)).map((key) => this.store.sent(key, this.title(key)));
    return {
      panel: settings.measure,
      model: Number(settings.model),
      compare: numeric(settings.compare),
      seed: Number(settings.seed),
      targets: named(["x", "y"]),
      attributes: named(["a", "b"]),
      words: boxes.includes("w") ? this.store.sent("w").words : [],
      classes: boxes.includes("c")
        ? classKeys(this.store.lists).map((key) => this.store.sent(key, this.title(key)))
        : [],
      scheme: settings.scheme,
      alternative: settings.measure === "weat" ? settings.alternative : "two-sided",
    };
  }
}
