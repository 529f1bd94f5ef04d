// Two axes between words, and other words placed on them; a brush marks a region, a search finds a word.
import { Answer } from "./answer.js";
import { post } from "./api.js";
import { Asking } from "./asking.js";
import { Box } from "./box.js";
import { coveredElement, covering } from "./covering.js";
import { button, fresh, h } from "./dom.js";
import { fileField, setNamed, setOptions } from "./filling.js";
import { showNeighbours } from "./neighbours.js";
import { isVectors, modelChoices, modelValues, pick, undoButton, unfit } from "./panel.js";
import { Store } from "./store.js";
import { look } from "./vocabulary.js";

const TITLES = { p: "Right end", q: "Left end", r: "Upper end", s: "Lower end", w: "Words to place" };
const KEYS = Object.keys(TITLES);
// What the panel opens with: words between two pairs of ends.
const START = {
  p: { name: "she", words: ["she", "woman", "her", "girl", "mother"] },
  q: { name: "he", words: ["he", "man", "his", "boy", "father"] },
  r: { name: "science", words: ["science", "technology", "physics", "engineering"] },
  s: { name: "arts", words: ["art", "poetry", "dance", "literature"] },
};

export class Axes {
  constructor(about) {
    this.about = about;
    this.models = about.models.filter(isVectors);
    if (!this.models.length) {
      this.element = h(
        "div",
        {},
        unfit("The axes place words by their vectors, and no vectors are open.", "aslant explore sample"),
      );
      return;
    }
    const lists = Object.fromEntries(KEYS.map((key) => [key, { name: "", words: [] }]));
    this.store = new Store(
      "axes",
      { model: String(this.models[0].number), seed: String(about.seed) },
      lists,
      () => KEYS,
      modelValues(this.models),
    );
    this.answer = new Answer({
      api: "axes",
      title: "Where the words are",
      pictured: true,
      model: () => this.store.settings.model,
      drawn: (view) => this.hear(view),
    });
    this.asking = new Asking("axes", this.answer, () => this.request());
    this.build();
    this.store.addEventListener("change", () => this.draw());
    if (this.store.fresh) this.start();
    else this.draw();
  }

  build() {
    const others = () => KEYS.map((key) => ({ key, title: TITLES[key] }));
    this.boxes = KEYS.map(
      (key) => new Box({ store: this.store, key, title: TITLES[key], model: () => this.store.settings.model, others }),
    );
    const [right, left, up, down, words] = this.boxes.map((box) => box.element);
    const controls = h(
      "div",
      { class: "controls" },
      modelChoices(this.store, this.models, false),
      pick("Words from a set", setOptions(["words", "weat", "classes"]), (id) => this.take(id)),
      fileField(
        "Read a file …",
        (set) => this.place(set),
        (text) => {
          this.told.textContent = text;
        },
      ),
      undoButton(this.store),
    );
    this.told = h("p", { class: "soft", role: "status" });
    this.search = h("input", { type: "search", id: fresh("search"), oninput: () => this.find() });
    this.brushed = h("div", { class: "brushed", "aria-live": "polite" });
    this.over = h("div");
    this.trend = new Answer({ api: "trend", title: "Over the years", model: () => this.store.settings.model });
    this.trend.element.hidden = true;
    const years = this.about.models.filter((model) => model.year !== null && isVectors(model)).length;
    const byYear =
      years > 2 && button("Follow the horizontal axis over the years", () => this.follow(), { class: "under" });
    this.answer.figure.before(
      h(
        "div",
        { class: "finder" },
        h("label", { class: "field", for: this.search.id }, h("span", {}, "Search the chart"), this.search),
        h("p", { class: "soft" }, "Drag over the chart to list a region; click a word for its neighbours."),
      ),
    );
    this.answer.figure.after(this.brushed);
    this.element = h(
      "div",
      { class: "bench" },
      h(
        "div",
        { class: "left" },
        controls,
        this.told,
        h("fieldset", { class: "axis" }, h("legend", {}, "Horizontal axis"), h("div", { class: "boxes" }, left, right)),
        h("fieldset", { class: "axis" }, h("legend", {}, "Vertical axis"), h("div", { class: "boxes" }, down, up)),
        words,
        byYear || "",
      ),
      h("div", { class: "right" }, this.answer.element, this.trend.element),
    );
    covering.addEventListener("change", () => this.list());
  }

  async start() {
    const set = await setNamed("occupations-share-of-women").catch(() => ({ groups: [{ name: "", words: [] }] }));
    const full = { ...START, w: { name: "occupations", words: set.groups[0].words } };
    this.store.change(({ lists }) => {
      for (const [key, { name, words }] of Object.entries(full))
        lists[key] = { name, words: words.map((word) => ({ word, struck: false })) };
    });
  }

  draw() {
    for (const box of this.boxes) box.draw();
    look(
      this.store.settings.model,
      KEYS.flatMap((key) => this.store.lists[key].words.map(({ word }) => word)),
    );
    this.asking.change();
  }

  async take(id) {
    if (!id) return;
    try {
      this.place(await setNamed(id));
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  place(set) {
    const words = [...new Set(set.groups.flatMap((group) => group.words))];
    this.store.change(({ lists }) => {
      lists.w = {
        name: set.groups.length === 1 ? set.groups[0].name : (set.title ?? "words"),
        words: words.map((word) => ({ word, struck: false })),
      };
    });
  }

  axis(name, first, second) {
    return { name, first: this.store.sent(first).words, second: this.store.sent(second).words };
  }

  request() {
    const { model, seed } = this.store.settings;
    return {
      model: Number(model),
      x: this.axis("horizontal axis", "p", "q"),
      y: this.axis("vertical axis", "r", "s"),
      words: this.store.sent("w").words,
      seed: Number(seed),
    };
  }

  async follow() {
    const { model, x, words, seed } = this.request();
    this.trend.element.hidden = false;
    this.trend.busy("working …");
    const asked = { model, first: x.first, second: x.second, words, seed };
    try {
      this.trend.show(await post("trend", asked), asked);
    } catch (error) {
      this.trend.tell(error.message, true);
    }
    this.trend.element.scrollIntoView({ block: "nearest" });
  }

  /** A chart was drawn: hear what is brushed and clicked in it. */
  hear(view) {
    this.view = view;
    this.region = null;
    this.list();
    view.addSignalListener("brush", (_, region) => {
      this.region = region && Object.keys(region).length ? region : null;
      this.list();
    });
    view.addEventListener("click", (_, item) => {
      if (item?.datum?.word) showNeighbours(this.store.settings.model, item.datum.word);
    });
    this.find();
  }

  find() {
    this.view?.signal("search", this.search.value.trim()).runAsync();
  }

  /** List the words of the region that is brushed. */
  list() {
    const within = (value, ends) => !ends || (value >= Math.min(...ends) && value <= Math.max(...ends));
    const { region } = this;
    const points = region
      ? (this.answer.answer?.points ?? []).filter((point) => within(point.x, region.x) && within(point.y, region.y))
      : [];
    this.brushed.replaceChildren(
      ...(region
        ? [
            h("h3", {}, `${points.length} ${points.length === 1 ? "word" : "words"} in the region`),
            h(
              "ul",
              { class: "chips" },
              points.map((point) =>
                h(
                  "li",
                  {},
                  button(coveredElement(point), () => showNeighbours(this.store.settings.model, point.word), {
                    class: "link",
                  }),
                ),
              ),
            ),
            points.length
              ? button("Place only these", () =>
                  this.store.change(({ lists }) => {
                    const kept = new Set(points.map((point) => point.word));
                    for (const one of lists.w.words) one.struck ||= !kept.has(one.word);
                  }),
                )
              : "",
          ]
        : []),
    );
  }
}
