// Asking while somebody types: a first look at once, the settled answer after a rest, and only the newest shows.
import { post, states } from "./api.js";

const REST = 400; // milliseconds without a change before the settled answer is asked for

export class Asking {
  constructor(api, answer, request) {
    Object.assign(this, { api, answer, request, number: 0, timer: 0, under: null });
    states.addEventListener("back", () => {
      if (this.failed) this.change();
    });
  }

  /** Something has changed: ask. */
  change() {
    clearTimeout(this.timer);
    const request = this.request();
    const written = JSON.stringify(request);
    if (written === this.last && !this.failed) return;
    this.last = written;
    this.ask(request, true);
    this.timer = setTimeout(() => this.ask(request, false), REST);
  }

  async ask(request, draft) {
    const number = (this.number += 1);
    this.under?.abort();
    this.under = new AbortController();
    this.failed = false;
    this.answer.busy(draft ? "looking …" : "settling …");
    try {
      const answer = await post(this.api, { ...request, draft }, this.under.signal);
      if (number === this.number) this.answer.show(answer, request);
    } catch (error) {
      if (number !== this.number || error.kind === "superseded") return;
      this.failed = true;
      if (error.kind === "lost") this.answer.busy("waiting for the server …");
      else this.answer.tell(error.message, true);
    }
  }
}
