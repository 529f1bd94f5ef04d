// A box of words: chips that can be typed, struck out, removed, and dragged (or moved by a menu) to another box.
import { button, fresh, h, notice, say, visible, wordElement } from "./dom.js";
import { fillBox } from "./filling.js";
import { openMenu } from "./menu.js";
import { showNeighbours } from "./neighbours.js";
import { typing } from "./typing.js";
import { about, total, vocabulary } from "./vocabulary.js";

const KIND = "application/x-aslant-word";
const plain = (number) => Number(number).toLocaleString("en");

/** Add words to a list, each once; returns those that were there already. */
export const addWords = (list, words) => {
  const there = new Set(list.words.map(({ word }) => word));
  const twice = words.filter((word) => there.has(word));
  for (const word of words) {
    if (!there.has(word)) list.words.push({ word, struck: false });
    there.add(word);
  }
  return twice;
};

/** A box for the list `key` of a store; `others()` are the boxes that a word can be moved to. */
export class Box {
  constructor({ store, key, title, model = null, others = () => [], removed = null }) {
    Object.assign(this, { store, key, title, model, others });
    this.chips = h("ul", { class: "chips", onkeydown: (event) => this.walk(event) });
    this.missing = h("div", { class: "suggestions" });
    this.count = h("span", { class: "soft count" });
    const hint = h(
      "p",
      { class: "unseen", id: fresh("hint") },
      "Arrow keys walk through the words. Space strikes a word out or brings it back, Delete removes it, M opens its menu.",
    );
    this.chips.setAttribute("aria-describedby", hint.id);
    this.name = h("input", {
      type: "text",
      class: "name",
      "aria-label": `Name of the ${title.toLowerCase()}`,
      maxlength: 80,
      placeholder: "name it …",
      onchange: () =>
        store.change(() => {
          this.list.name = this.name.value.trim();
        }),
    });
    this.element = h(
      "section",
      {
        class: "box",
        role: "group",
        "aria-label": title,
        "data-key": key,
        ondragover: (event) => this.over(event),
        ondragleave: () => this.element.classList.remove("over"),
        ondrop: (event) => this.dropped(event),
      },
      h(
        "div",
        { class: "head" },
        h("h3", {}, title),
        button("Fill …", () => fillBox(this), { "aria-label": `Fill the ${title.toLowerCase()}` }),
        button(
          "Clear",
          () =>
            this.change((list) => {
              Object.assign(list, { name: "", words: [] }); // other words are something else
            }),
          { "aria-label": `Clear the ${title.toLowerCase()}` },
        ),
        removed && button("Remove", removed, { "aria-label": `Remove the ${title.toLowerCase()}` }),
      ),
      h("div", { class: "named" }, this.name, this.count),
      this.chips,
      typing({
        label: `Add a word to the ${title.toLowerCase()}`,
        model: () => this.model?.() ?? null,
        add: (words) => this.add(words),
        described: null,
      }),
      this.missing,
      hint,
    );
    this.listen = () => this.draw();
    vocabulary.addEventListener("change", this.listen);
    this.at = 0;
    this.draw();
  }

  get list() {
    return (this.store.lists[this.key] ??= { name: "", words: [] });
  }

  close() {
    vocabulary.removeEventListener("change", this.listen);
  }

  change(how) {
    this.store.change(() => how(this.list));
  }

  add(words) {
    let twice = [];
    this.change((list) => {
      twice = addWords(list, words);
    });
    if (twice.length) notice(`${twice.map(visible).join(", ")}: already in this box.`);
  }

  replace(old, words) {
    this.change((list) => {
      const at = list.words.findIndex(({ word }) => word === old);
      list.words.splice(at, 1);
      const there = new Set(list.words.map(({ word }) => word));
      list.words.splice(at, 0, ...words.filter((word) => !there.has(word)).map((word) => ({ word, struck: false })));
    });
  }

  remove(word) {
    this.change((list) => {
      list.words = list.words.filter((one) => one.word !== word);
    });
  }

  strike(word) {
    this.change((list) => {
      const one = list.words.find((other) => other.word === word);
      one.struck = !one.struck;
    });
  }

  moveTo(target, word) {
    if (target === this.key) return;
    this.store.change((store) => {
      const one = this.list.words.find((other) => other.word === word);
      this.list.words = this.list.words.filter((other) => other !== one);
      const list = (store.lists[target] ??= { name: "", words: [] });
      if (!list.words.some((other) => other.word === word)) list.words.push(one);
    });
    say(`${visible(word)} moved.`);
  }

  draw() {
    const held = this.chips.contains(document.activeElement);
    const { name, words } = this.list;
    if (document.activeElement !== this.name) this.name.value = name;
    this.at = Math.min(this.at, Math.max(words.length - 1, 0));
    this.chips.replaceChildren(...words.map((one, index) => this.chip(one, index)));
    this.chips.hidden = !words.length;
    const struck = words.filter((one) => one.struck).length;
    this.count.textContent = `${words.length} ${words.length === 1 ? "word" : "words"}${struck ? `, ${struck} struck out` : ""}`;
    this.missing.replaceChildren(
      ...words
        .filter((one) => !one.struck)
        .map((one) => this.suggested(one.word))
        .filter(Boolean),
    );
    if (!held) return;
    if (words.length) this.focus(this.at);
    else this.element.querySelector(".type").focus();
  }

  row(word) {
    return this.model ? about(this.model(), word) : undefined;
  }

  chip({ word, struck }, index) {
    const row = this.row(word);
    const gone = row && row.token === null;
    const ranked = row?.rank && !gone;
    const of = ranked && ` of ${plain(total(this.model()))}`;
    const heard = (text) => h("span", { class: "unseen" }, text);
    const main = h(
      "button",
      {
        type: "button",
        class: "word",
        tabindex: index === this.at ? "0" : "-1",
        "aria-pressed": String(struck),
        title: `${struck ? "Click to bring it back." : "Click to strike it out."}${ranked ? ` Frequency rank ${plain(row.rank)}${of}.` : ""}`,
        onclick: () => {
          this.at = index;
          this.strike(word);
        },
        onfocus: () => {
          this.at = index;
        },
      },
      wordElement(word),
      struck && heard(", struck out"),
      gone && h("small", { class: "gone" }, heard(", "), "missing"),
      ranked && h("small", {}, heard(", frequency rank "), plain(row.rank), heard(of)),
    );
    const more = button("⋯", () => this.menu(more, word), {
      class: "more",
      tabindex: "-1",
      "aria-haspopup": "menu",
      "aria-label": `More for ${visible(word)}`,
    });
    return h(
      "li",
      {
        class: `chip${struck ? " struck" : ""}${gone ? " missing" : ""}`,
        draggable: "true",
        "data-word": word,
        ondragstart: (event) => {
          event.dataTransfer.setData(KIND, JSON.stringify({ key: this.key, word }));
          event.dataTransfer.setData("text/plain", word);
          event.dataTransfer.effectAllowed = "move";
          Box.dragged = this;
        },
        ondragend: () => {
          Box.dragged = null;
        },
      },
      main,
      more,
    );
  }

  menu(from, word) {
    const one = this.list.words.find((other) => other.word === word);
    const moves = this.others()
      .filter(({ key }) => key !== this.key)
      .map(({ key, title }) => [`Move to the ${title.toLowerCase()}`, () => this.moveTo(key, word)]);
    const near = this.row(word)?.token ? [["Nearest words", () => showNeighbours(this.model(), word)]] : [];
    openMenu(from, `For ${visible(word)}`, [
      [one.struck ? "Bring back" : "Strike out", () => this.strike(word)],
      ...moves,
      ...near,
      ["Remove", () => this.remove(word)],
    ]);
  }

  suggested(word) {
    const row = this.row(word);
    if (!row || row.token !== null) return null;
    const parts = word.split(/\s+/);
    const split =
      parts.length > 1 &&
      button(`${parts.length} words`, () => this.replace(word, parts), {
        "aria-label": `Make ${parts.length} words of ${visible(word)}`,
      });
    const likes = (row.suggestions ?? []).map((other) =>
      button(wordElement(other), () => this.replace(word, [other]), {
        "aria-label": `Put ${visible(other)} in place of ${visible(word)}`,
      }),
    );
    return h(
      "p",
      {},
      wordElement(word),
      likes.length || split
        ? " is not in the vocabulary. Did you mean: "
        : ` is not in the vocabulary${row.suggestions ? ", and nothing like it" : ""}.`,
      likes,
      split,
    );
  }

  walk(event) {
    const buttons = [...this.chips.querySelectorAll(".word")];
    const at = buttons.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey) return;
    const { word } = this.list.words[at];
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: buttons.length - 1,
    }[event.key];
    if (to !== undefined) this.focus(Math.max(0, Math.min(to, buttons.length - 1)));
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(word);
    else if (event.key === "m" || event.key === "M" || event.key === "ContextMenu") this.menu(event.target, word);
    else return;
    event.preventDefault();
  }

  focus(index) {
    this.at = index;
    this.chips.querySelectorAll(".word").forEach((word, i) => {
      word.tabIndex = i === index ? 0 : -1;
    });
    this.chips.querySelectorAll(".word")[index]?.focus();
  }

  over(event) {
    const { types } = event.dataTransfer;
    if (!types.includes(KIND) && !types.includes("text/plain")) return;
    event.preventDefault();
    this.element.classList.add("over");
  }

  dropped(event) {
    event.preventDefault();
    this.element.classList.remove("over");
    const text = event.dataTransfer.getData(KIND);
    if (text && Box.dragged) Box.dragged.moveTo(this.key, JSON.parse(text).word);
    else
      this.add(
        event.dataTransfer
          .getData("text/plain")
          .split(/[,;\t\r\n]+/)
          .map((word) => word.trim())
          .filter(Boolean),
      );
  }
}
