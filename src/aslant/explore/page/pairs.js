// Pairs of sentences, by category: which of the two does a language model find more likely?
import { Answer } from "./answer.js";
import { button, h, visible } from "./dom.js";
import { choose, count, isVectors, modelChoices, modelValues, unfit } from "./panel.js";
import { Running } from "./running.js";
import { Store } from "./store.js";

export class Pairs {
  constructor(about) {
    this.about = about;
    this.models = about.models.filter((model) => !isVectors(model));
    if (!this.models.length) {
      this.element = h(
        "div",
        {},
        unfit("Pairs of sentences ask a language model, and none is open.", "aslant explore sample sample-mlm"),
      );
      return;
    }
    const sets = about.pair_sets ?? [];
    const settings = {
      model: String(this.models[0].number),
      set: (sets.find((one) => one.available) ?? sets[0])?.id ?? "crows-pairs",
      score: "auto",
      sample: "100",
      twins: "3",
      seed: String(about.seed),
    };
    this.store = new Store("pairs", settings, {}, () => [], {
      ...modelValues(this.models),
      set: sets.map(({ id }) => id),
      score: (about.pair_scores ?? []).map(({ id }) => id),
    });
    this.answer = new Answer({ api: "pairs", title: "Which sentences the model prefers" });
    this.running = new Running({
      api: "pairs",
      name: "Score the pairs",
      answer: this.answer,
      request: () => this.request(),
      needed: () => this.absent(),
      done: (result) => this.show(result),
    });
    this.list = h("section", { class: "sentences", "aria-label": "Pairs of sentences" });
    this.element = h(
      "div",
      {},
      h(
        "p",
        { class: "note", role: "note" },
        "The sentences state stereotypes about groups of people, some of them hateful, in order to measure whether a model prefers them.",
      ),
      this.controls(),
      this.running.progress,
      this.answer.element,
    );
    this.answer.figure.after(this.list);
    this.answer.tell("At 50 % the model prefers neither the more stereotyping sentences nor the others.");
    this.store.addEventListener("change", () => this.draw());
    this.draw();
  }

  controls() {
    const sets = (this.about.pair_sets ?? []).map(({ id, title, available }) => [
      id,
      available ? title : `${title} (not on this machine)`,
    ]);
    return h(
      "div",
      { class: "controls" },
      modelChoices(this.store, this.models, false),
      choose(this.store, "set", "Pairs", sets),
      choose(
        this.store,
        "score",
        "Score",
        (this.about.pair_scores ?? []).map(({ id, title }) => [id, title]),
      ),
      count(this.store, "sample", "Pairs at random (0: all)", 0, 10000),
      count(this.store, "twins", "Untrained models beside it", 0, 20),
      this.running.button,
    );
  }

  draw() {
    const absent = this.absent();
    if (absent) this.answer.tell(absent);
    this.store.write();
  }

  absent() {
    const chosen = (this.about.pair_sets ?? []).find(({ id }) => id === this.store.settings.set);
    return chosen && !chosen.available
      ? `These sentences are not on this machine, and this page downloads nothing. In a terminal: ${chosen.get}`
      : null;
  }

  request() {
    const { model, set, score, sample, twins, seed } = this.store.settings;
    return { model: Number(model), set, score, sample: Number(sample), twins: Number(twins), seed: Number(seed) };
  }

  show(result) {
    this.answer.show(result, this.running.asked);
    const pairs = result.pairs ?? [];
    const categories = [...new Set(pairs.map(({ category }) => category))];
    this.list.replaceChildren(
      h("h3", {}, "The pairs, by category"),
      h(
        "p",
        { class: "soft" },
        "The difference is the score of the more stereotyping sentence minus that of the other one.",
      ),
      ...categories.map((category) =>
        this.folded(
          category,
          pairs.filter((pair) => pair.category === category),
        ),
      ),
    );
  }

  folded(category, pairs) {
    const place = h("div");
    const one = ({ more, less, difference }) =>
      h(
        "tr",
        {},
        h("td", {}, h("p", {}, h("bdi", {}, visible(more))), h("p", { class: "soft" }, h("bdi", {}, visible(less)))),
        h("td", { class: "right" }, String(difference)),
      );
    const details = h(
      "details",
      {
        ontoggle: () => {
          if (!details.open || place.childElementCount) return;
          const show = button(
            `Show ${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"}: the more stereotyping sentence first`,
            () =>
              place.replaceChildren(
                h(
                  "div",
                  { class: "scroll", tabindex: "0", role: "region", "aria-label": `Pairs: ${category}` },
                  h(
                    "table",
                    {},
                    h(
                      "thead",
                      {},
                      h(
                        "tr",
                        {},
                        h("th", { scope: "col" }, "More stereotyping, then the other"),
                        h("th", { scope: "col", class: "right" }, "Difference"),
                      ),
                    ),
                    h("tbody", {}, pairs.map(one)),
                  ),
                ),
              ),
          );
          place.replaceChildren(show);
        },
      },
      h("summary", {}, `${visible(category)} (${pairs.length})`),
      place,
    );
    return details;
  }
}
