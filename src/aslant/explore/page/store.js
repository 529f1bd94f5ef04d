// The state of one panel: settings (text) and boxes of words. Kept in the address (so that a link restores it) and,
// for the panels that do not show, in this tab's session; every change can be undone.
import { fragment, listOf, parsed, setting } from "./address.js";

const MOST_UNDONE = 100;
const FEW = 3;

export const emptyList = (name = "") => ({ name, words: [] });

export class Store extends EventTarget {
  /** `shown(settings)` are the lists that an address holds; `allowed` the values that a setting may have, where few are. */
  constructor(panel, settings, lists, shown, allowed = {}) {
    super();
    Object.assign(this, {
      panel,
      settings: { ...settings },
      lists: structuredClone(lists),
      shown,
      allowed,
      undone: [],
    });
    this.defaults = { ...settings };
    this.fresh = !this.restore(parsed(location.hash)) && !this.restore(parsed(this.remembered()));
  }

  remembered() {
    try {
      return sessionStorage.getItem(`aslant-${this.panel}`) ?? "";
    } catch {
      return "";
    }
  }

  /** Take over what an address says, if it says anything of this panel. */
  restore({ panel, pairs }) {
    if (panel !== this.panel || !Object.keys(pairs).length) return false;
    Object.assign(this.settings, this.defaults);
    for (const key of Object.keys(this.lists))
      if (key in pairs || this.shown(this.settings).includes(key)) this.lists[key] = emptyList();
    for (const [key, text] of Object.entries(pairs)) {
      const value = setting(text);
      if (Object.hasOwn(this.settings, key))
        this.settings[key] = this.allowed[key]?.includes(value) === false ? this.defaults[key] : value;
      else if (/^[a-z]\d?$/.test(key)) this.lists[key] = listOf(text);
    }
    return true;
  }

  /** The address of this panel; lists that do not show stay out of it. */
  get address() {
    const changed = Object.entries(this.settings).filter(([key, value]) => value !== this.defaults[key]);
    const lists = Object.fromEntries(this.shown(this.settings).map((key) => [key, this.lists[key] ?? emptyList()]));
    return fragment(this.panel, Object.fromEntries(changed), lists);
  }

  snapshot() {
    return JSON.stringify({ settings: this.settings, lists: this.lists });
  }

  /** Change the state by a function, and tell everybody. */
  change(how) {
    const before = this.snapshot();
    how(this);
    if (this.snapshot() === before) return;
    this.undone.push(before);
    if (this.undone.length > MOST_UNDONE) this.undone.shift();
    this.tell();
  }

  undo() {
    const before = this.undone.pop();
    if (!before) return;
    Object.assign(this, JSON.parse(before));
    this.tell();
  }

  tell() {
    this.write();
    this.dispatchEvent(new Event("change"));
  }

  write() {
    history.replaceState(null, "", this.address);
    try {
      sessionStorage.setItem(`aslant-${this.panel}`, this.address);
    } catch {
      /* the address is enough */
    }
  }

  /** The words of a box that take part, as they are sent; a box without a name is called by its few words. */
  sent(key, title = "") {
    const list = this.lists[key] ?? emptyList();
    const words = list.words.filter(({ struck }) => !struck).map(({ word }) => word);
    return { name: list.name || (words.length && words.length <= FEW ? words.join(", ") : title), words };
  }
}
