// Where an answer shows: the sentence first, then the numbers, how often one has tried, the chart, the table, the code.
import { post, sentence } from "./api.js";
import { draw } from "./chart.js";
import { coveredElement, covering, coverSwitch } from "./covering.js";
import { button, copy, fresh, h, notice, say } from "./dom.js";
import { showNeighbours } from "./neighbours.js";
import { counted, keptChanged } from "./records.js";

const list = (facts) =>
  h(
    "dl",
    { class: "facts" },
    facts.map(({ label, value, means }) =>
      h("div", {}, h("dt", {}, label), h("dd", {}, h("b", {}, value), means && h("small", {}, means))),
    ),
  );

/** A table of an answer; a row with a word leads to its neighbours, and a word that may offend is covered. */
export const table = (columns, rows, model, caption) => {
  const cell = (row, column, at) => {
    const text = row[column.key] ?? "";
    const shown =
      row.word !== undefined && String(text) === row.word
        ? model === null
          ? coveredElement(row)
          : button(coveredElement(row), () => showNeighbours(model, row.word), { class: "link" })
        : row.offensive && String(text).includes(row.word)
          ? coveredElement(row)
          : h("bdi", {}, String(text));
    const kind = column.right ? "right" : null;
    return at ? h("td", { class: kind }, shown) : h("th", { scope: "row", class: kind }, shown);
  };
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map(({ title, right }) => h("th", { scope: "col", class: right ? "right" : null }, title)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            columns.map((column, at) => cell(row, column, at)),
          ),
        ),
      ),
    ),
  );
};

export class Answer extends EventTarget {
  /** `asked()` is the request that the shown answer belongs to; `model()` the model whose words are looked at. */
  constructor({ api, title = "What it shows", model = () => null, drawn = () => {}, pictured = false }) {
    super();
    Object.assign(this, { api, model, drawn, request: null, answer: null, opened: {} });
    const heading = h("h2", { id: fresh("answer") }, title);
    this.status = h("span", { class: "status soft" });
    this.says = h("p", { class: "says" });
    this.counted = h("p", { class: "tries", hidden: true });
    this.body = h("div");
    this.plot = h("div", { class: "plot" });
    this.figure = h("figure", { hidden: true }, this.plot);
    this.after = h("div");
    this.element = h(
      "section",
      { class: "answer", "aria-labelledby": heading.id },
      h("div", { class: "head" }, heading, this.status),
      this.says,
      this.counted,
      ...(pictured ? [this.figure, this.body] : [this.body, this.figure]),
      this.after,
    );
    covering.addEventListener("change", () => {
      if (this.answer) this.show(this.answer, this.request);
    });
  }

  busy(text) {
    this.status.textContent = text;
    this.element.setAttribute("aria-busy", String(Boolean(text)));
  }

  /** Show one sentence in place of an answer: what is still needed, or what went wrong. */
  tell(text, problem = false) {
    this.busy("");
    this.answer = null;
    this.says.textContent = sentence(text);
    this.says.classList.toggle("problem", problem);
    this.body.replaceChildren();
    this.told = null;
    this.counted.hidden = true;
    this.figure.hidden = true;
    this.after.replaceChildren();
    say(text);
    this.dispatchEvent(new Event("change"));
  }

  show(answer, request) {
    if (answer.incomplete) return this.tell(answer.incomplete);
    const model = this.model();
    Object.assign(this, { answer, request });
    this.busy(answer.draft ? "first look …" : "");
    this.says.classList.remove("problem");
    this.says.textContent = answer.says ?? "";
    if (!answer.draft && this.told !== answer.says) {
      this.told = answer.says;
      say(answer.says ?? "");
    }
    this.body.replaceChildren(
      ...[answer.facts?.length && list(answer.facts), answer.other && this.second(answer.other)].filter(Boolean),
    );
    if (answer.tries) {
      this.counted.textContent = answer.tries.says;
      counted(answer.tries.count);
    }
    this.counted.hidden = !this.counted.textContent;
    this.counted.classList.toggle("old", !answer.tries);
    this.picture(answer);
    this.after.replaceChildren(
      ...[
        !answer.draft && answer.code && this.tools(answer.code),
        answer.notes?.length &&
          this.fold(
            "How to read it",
            h(
              "ul",
              { class: "notes" },
              answer.notes.map((note) => h("li", {}, sentence(note))),
            ),
          ),
        answer.rows?.length && this.folded("The numbers", answer, model),
        answer.other?.rows?.length &&
          this.folded(`The numbers of ${answer.other.name}`, answer.other, request?.compare ?? model),
      ].filter(Boolean),
    );
    this.dispatchEvent(new Event("change"));
    return undefined;
  }

  second({ name, says, incomplete, facts, tries, difference }) {
    const corrected = (counted) => counted?.this && h("p", { class: "tries" }, counted.this.trim());
    return h(
      "section",
      { class: "second", "aria-label": `Compared with ${name}` },
      h("h3", {}, `Compared with ${name}`),
      h("p", {}, incomplete ? sentence(incomplete) : says),
      corrected(tries),
      facts?.length ? list(facts) : null,
      difference && [
        h("p", { class: "difference" }, difference.says),
        corrected(difference.tries),
        list(difference.facts),
      ],
    );
  }

  async picture({ chart, chart_text: text }) {
    this.figure.hidden = !chart;
    if (!chart) return;
    const written = JSON.stringify(chart);
    if (written === this.written) return;
    this.written = written;
    try {
      const view = await draw(this.plot, chart, text);
      if (this.written === written) this.drawn(view);
    } catch (error) {
      this.plot.replaceChildren(h("p", { class: "problem" }, `The chart could not be drawn: ${error.message}`));
    }
  }

  /** Something that folds, and stays as the reader left it while the answer changes. */
  fold(title, ...children) {
    const numbers = /^The numbers/.test(title) && !this.answer?.facts?.length; // there are no others to see
    const details = h(
      "details",
      {
        open: this.opened[title] ?? numbers,
        ontoggle: () => {
          this.opened[title] = details.open === numbers ? undefined : details.open;
        },
      },
      h("summary", {}, title),
      children,
    );
    return details;
  }

  folded(title, { columns, rows }, model) {
    return this.fold(title, rows.some((row) => row.offensive) && coverSwitch(), table(columns, rows, model, title));
  }

  tools(code) {
    const kinds = [
      ["python", "Python"],
      ["command", "command"],
      ["toml", "TOML"],
    ].filter(([kind]) => code[kind]);
    return h(
      "div",
      { class: "tools" },
      kinds.map(([kind, name]) => button(`Copy as ${name}`, () => copy(code[kind]), { "data-code": kind })),
      button("Copy link", () => copy(location.href)),
      button("Add to report", () => this.keep()),
      h(
        "div",
        { class: "code" },
        this.fold(
          "Show the code",
          ...kinds.map(([kind, name]) => [
            h("h3", {}, name),
            h("pre", { tabindex: "0", role: "group", "aria-label": `As ${name}` }, h("code", {}, code[kind])),
          ]),
        ),
      ),
    );
  }

  async keep() {
    try {
      const { kept } = await post("keep", { api: this.api, request: this.request });
      keptChanged(kept);
      notice(`Added: the report has ${kept} ${kept === 1 ? "result" : "results"}.`);
    } catch (error) {
      notice(error.message);
    }
  }
}
