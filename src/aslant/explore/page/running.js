// Work that takes long: begun by a button, shown as it comes, stopped by the same button.
import { stream } from "./api.js";
import { table } from "./answer.js";
import { button, h, say } from "./dom.js";

export class Running {
  constructor({ api, name, answer, request, needed = () => null, done = (result) => answer.show(result, this.asked) }) {
    Object.assign(this, { api, name, answer, request, needed, done, under: null });
    this.button = button(name, () => (this.under ? this.under.abort() : this.run()), { class: "main run" });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": "How far it has come" });
    this.what = h("span", { class: "soft", role: "status" });
    this.soFar = h("div");
    this.progress = h("div", { class: "progress", hidden: true }, this.bar, this.what, this.soFar);
  }

  async run() {
    const needed = this.needed();
    if (needed) return this.answer.tell(needed);
    this.asked = this.request();
    this.under = new AbortController();
    this.begin();
    try {
      this.done(await stream(this.api, this.asked, this.under.signal, (line) => this.line(line)));
    } catch (error) {
      this.answer.tell(
        error.kind === "superseded"
          ? "Stopped. What was finished is remembered, and need not be done again."
          : error.message,
        error.kind !== "superseded",
      );
    } finally {
      this.under = null;
      this.button.textContent = this.name;
      this.progress.hidden = true;
      this.soFar.replaceChildren();
    }
    return undefined;
  }

  begin() {
    this.button.textContent = "Stop";
    this.progress.hidden = false;
    this.bar.removeAttribute("value");
    this.what.textContent = "beginning …";
    this.soFar.replaceChildren();
    this.answer.busy("working …");
    say("Working.");
  }

  line({ progress, columns, rows }) {
    if (progress) {
      const { done, total, what } = progress;
      if (total) this.bar.value = done / total;
      this.what.textContent = total
        ? `${what}: ${done.toLocaleString("en")} of ${total.toLocaleString("en")}`
        : `${what} …`;
    }
    if (rows)
      this.soFar.replaceChildren(
        h("p", { class: "soft" }, "So far, without chance:"),
        table(columns, rows, null, "Scores so far"),
      );
  }
}
