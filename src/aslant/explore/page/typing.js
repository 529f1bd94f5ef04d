// A field for words, with completion from the vocabulary (the combobox pattern of ARIA).
import { complete } from "./vocabulary.js";
import { coveredElement } from "./covering.js";
import { fresh, h } from "./dom.js";

const REST = 60; // milliseconds without a key before the vocabulary is asked

/** The words of a text that was typed or pasted: separated by commas, semicolons, tabs or lines. */
export const wordsIn = (text) =>
  text
    .split(/[,;\t\r\n]+/)
    .map((word) => word.trim())
    .filter(Boolean);

export const typing = ({ label, model, add, described }) => {
  const list = h("ul", {
    role: "listbox",
    id: fresh("words"),
    class: "completions",
    "aria-label": "Words of the vocabulary",
    hidden: true,
  });
  let options = [];
  let active = -1;
  let timer = 0;
  let asked = new AbortController();

  const input = h("input", {
    type: "text",
    role: "combobox",
    class: "type",
    "aria-label": label,
    placeholder: "type a word …",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "done",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
    "aria-describedby": described,
    maxlength: 20000,
  });

  const mark = (index) => {
    active = index;
    list
      .querySelectorAll("[role=option]")
      .forEach((option, i) => option.setAttribute("aria-selected", String(i === active)));
    const chosen = list.children[active];
    if (chosen) {
      input.setAttribute("aria-activedescendant", chosen.id);
      chosen.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };

  const show = (rows) => {
    options = rows;
    list.replaceChildren(
      ...rows.map((row) =>
        h(
          "li",
          {
            role: "option",
            id: fresh("option"),
            "aria-selected": "false",
            onpointerdown: (event) => {
              event.preventDefault();
              take(row.word);
            },
          },
          coveredElement(row),
          row.rank && h("small", {}, row.rank.toLocaleString("en")),
        ),
      ),
    );
    list.hidden = !rows.length;
    input.setAttribute("aria-expanded", String(rows.length > 0));
    mark(-1);
  };

  const stop = () => {
    clearTimeout(timer);
    asked.abort();
    show([]);
  };
  const take = (text) => {
    stop();
    const words = wordsIn(text);
    input.value = "";
    if (words.length) add(words);
  };

  const ask = () => {
    clearTimeout(timer);
    const prefix = input.value.trim();
    if (!prefix || /[,;]/.test(prefix)) return show([]);
    timer = setTimeout(async () => {
      asked.abort();
      asked = new AbortController();
      try {
        const { words } = await complete(model(), prefix, asked.signal);
        if (input.value.trim() === prefix && document.activeElement === input) show(words);
      } catch {
        show([]);
      } // superseded, or away: the field works without completion
    }, REST);
    return undefined;
  };

  input.addEventListener("input", () => {
    if (/[,;\n\t]\s*$/.test(input.value)) take(input.value);
    else ask();
  });
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") ?? "";
    if (wordsIn(text).length < 2) return;
    event.preventDefault();
    take(text);
  });
  input.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.isComposing) return;
    if (key === "ArrowDown" && options.length) {
      mark((active + 1) % options.length);
      event.preventDefault();
    } else if (key === "ArrowUp" && options.length) {
      mark(active <= 0 ? options.length - 1 : active - 1);
      event.preventDefault();
    } else if (key === "Enter") {
      take(active >= 0 ? options[active].word : input.value);
      event.preventDefault();
    } else if (key === "Escape" && !list.hidden) {
      stop();
      event.stopPropagation();
      event.preventDefault();
    }
  });
  input.addEventListener("blur", () => {
    if (input.value.trim()) take(input.value);
    else stop();
  });
  return h("div", { class: "typing" }, input, list);
};
