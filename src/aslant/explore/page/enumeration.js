// Biases nobody named in advance: groups of names × categories of words, to walk through cell by cell.
import { Answer } from "./answer.js";
import { coveredElement, covering, coverSwitch } from "./covering.js";
import { h, say, visible } from "./dom.js";
import { count, isVectors, modelChoices, modelValues, unfit } from "./panel.js";
import { Running } from "./running.js";
import { Store } from "./store.js";

const LIMITS = {
  groups: ["Groups of names", 2, 40],
  categories: ["Categories of words", 2, 200],
  words: ["Most frequent words", 100, 100000],
  rotations: ["Rotations", 100, 100000],
};
const DEFAULTS = { groups: "12", categories: "64", words: "30000", rotations: "2000" };
const joined = (rows, count) =>
  rows.slice(0, count).flatMap((row, at) => (at ? [", ", coveredElement(row)] : [coveredElement(row)]));

export class Enumeration {
  constructor(about) {
    this.models = about.models.filter(isVectors);
    if (!this.models.length) {
      this.element = h(
        "div",
        {},
        unfit("An enumeration groups words by their vectors, and no vectors are open.", "aslant explore sample"),
      );
      return;
    }
    this.store = new Store(
      "enumeration",
      { ...DEFAULTS, model: String(this.models[0].number), seed: String(about.seed) },
      {},
      () => [],
      modelValues(this.models),
    );
    this.answer = new Answer({ api: "enumeration", title: "What was found", model: () => this.store.settings.model });
    this.running = new Running({
      api: "enumeration",
      name: "Enumerate",
      answer: this.answer,
      request: () => this.request(),
      done: (result) => this.show(result),
    });
    const controls = h(
      "div",
      { class: "controls" },
      modelChoices(this.store, this.models, false),
      Object.entries(LIMITS).map(([key, [label, least, most]]) => count(this.store, key, label, least, most)),
      this.running.button,
    );
    this.map = h("div", { class: "map" });
    this.detail = h("section", { class: "detail", role: "region", "aria-label": "The chosen cell" });
    this.row = h("tr", { class: "under-row" }, h("td", {}, this.detail));
    this.answer.figure.before(this.map);
    this.element = h(
      "div",
      {},
      h("p", { class: "note", role: "note" }, about.offensive_note),
      controls,
      h(
        "p",
        { class: "soft" },
        "Takes from seconds to minutes: every pair is tested against so many random rotations of the names. What is finished is remembered while the server runs.",
      ),
      this.running.progress,
      this.answer.element,
    );
    this.answer.tell(
      "Nothing is named in advance: names and words are grouped by their vectors, and every pair of groups is tested.",
    );
    covering.addEventListener("change", () => {
      if (this.result) this.lay();
    });
  }

  request() {
    return Object.fromEntries(Object.entries(this.store.settings).map(([key, value]) => [key, Number(value)]));
  }

  show(result) {
    this.result = result;
    this.at = null;
    this.chosen = null;
    this.answer.show(result, this.running.asked);
    this.lay();
  }

  /** The table of groups and categories: one stop of the keyboard, arrows walk from cell to cell. */
  lay() {
    const { groups, categories, cells } = this.result;
    this.row.remove();
    const found = new Map(cells.map((cell) => [`${cell.category} ${cell.group}`, cell]));
    const all = [...groups, ...categories, ...cells].flatMap(({ words, centre = [] }) => [...words, ...centre]);
    this.cells = categories.map((category) => groups.map((group) => found.get(`${category.number} ${group.number}`)));
    const first = this.cells.findIndex((row) => row.some((cell) => cell?.significant));
    this.at ??= first < 0 ? [0, 0] : [first, this.cells[first].findIndex((cell) => cell)];
    const empty = this.cells.filter((row) => !row.some((cell) => cell?.significant)).length;
    const body = categories.map((category, row) =>
      h(
        "tr",
        { hidden: !this.all && !this.cells[row].some((cell) => cell?.significant) },
        h("th", { scope: "row" }, joined(category.centre, 3)),
        groups.map((group, column) => h("td", {}, this.cell(this.cells[row][column], row, column))),
      ),
    );
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, "Category of words"),
      groups.map((group) => h("th", { scope: "col" }, visible(group.title))),
    );
    this.map.replaceChildren(
      ...(all.some((word) => word.offensive) ? [coverSwitch()] : []),
      ...(empty ? [this.emptySwitch(empty)] : []),
      h(
        "p",
        { class: "soft", id: "walking" },
        "Choose a cell to see its words. With the keyboard: arrows walk, Enter chooses.",
      ),
      cells.some((cell) => cell.reached)
        ? h("p", { class: "soft" }, "An outlined cell is significant, but random words score as high: no finding.")
        : "",
      h(
        "div",
        { class: "scroll", role: "region", "aria-label": "Groups and categories", tabindex: "0" },
        h(
          "table",
          { class: "cells", role: "grid", "aria-describedby": "walking", onkeydown: (event) => this.walk(event) },
          h("thead", {}, head),
          h("tbody", {}, body),
        ),
      ),
    );
    if (this.chosen) this.choose(...this.chosen, false);
  }

  emptySwitch(empty) {
    const box = h("input", {
      type: "checkbox",
      checked: this.all,
      onchange: () => {
        this.all = box.checked;
        this.lay();
        this.map.querySelector(".every").focus();
      },
      class: "every",
    });
    return h("label", { class: "check" }, box, `Show also the ${empty} categories in which nothing stands out`);
  }

  cell(cell, row, column) {
    if (!cell) return h("span", { class: "soft", "aria-label": "not tested" }, "–");
    const here = row === this.at[0] && column === this.at[1];
    return h(
      "button",
      {
        type: "button",
        class: cell.reached ? "reached" : cell.significant ? "found" : "none",
        tabindex: here ? "0" : "-1",
        "data-at": `${row} ${column}`,
        onclick: () => this.choose(row, column, true),
      },
      cell.significant
        ? h("span", { class: "inside-cell" }, cell.words.length ? joined(cell.words, 2) : cell.value)
        : "·",
      h(
        "span",
        { class: "unseen" },
        `, ${cell.significant ? "stands out" : "does not stand out"}${cell.reached ? ", as random words do" : ""}, ${cell.value}`,
      ),
    );
  }

  walk(event) {
    const at = event.target.dataset?.at?.split(" ").map(Number);
    const by = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!at || !by) return;
    event.preventDefault();
    let [row, column] = [at[0] + by[0], at[1] + by[1]];
    for (; this.cells[row] && column in this.cells[row]; row += by[0], column += by[1]) {
      const next = this.map.querySelector(`[data-at="${row} ${column}"]`);
      if (!next?.checkVisibility()) continue;
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      this.at = [row, column];
      return;
    }
  }

  choose(row, column, move) {
    const cell = this.cells[row][column];
    this.chosen = [row, column];
    const [group, category] = [this.result.groups[column], this.result.categories[row]];
    const words = (title, rows, size = rows.length) =>
      h(
        "div",
        {},
        h("h4", {}, size > rows.length ? `${title} (${rows.length} of ${size.toLocaleString("en")})` : title),
        h("p", {}, rows.length ? joined(rows, rows.length) : "none"),
      );
    this.detail.replaceChildren(
      h("h3", {}, `${visible(group.title)} × `, joined(category.centre, 3)),
      h(
        "p",
        { class: "says" },
        cell.says ?? `It ${cell.significant ? "stands" : "does not stand"} out from random rotations of the names.`,
      ),
      h(
        "dl",
        { class: "facts" },
        cell.facts.map(({ label, value, means }) =>
          h("div", {}, h("dt", {}, label), h("dd", {}, h("b", {}, value), means && h("small", {}, means))),
        ),
      ),
      words("Words that lean most to the group", cell.words),
      words("Names of the group", group.words, group.size),
      words("Words of the category", category.words, category.size),
    );
    for (const button of this.map.querySelectorAll("[data-at]")) {
      button.classList.toggle("chosen", button.dataset.at === `${row} ${column}`);
      if (button.classList.contains("chosen")) button.closest("tr").after(this.row);
    }
    this.row.firstElementChild.colSpan = this.result.groups.length + 1;
    if (!move) return;
    this.detail.scrollIntoView({ block: "nearest" });
    say(this.detail.textContent.slice(0, 400));
  }
}
