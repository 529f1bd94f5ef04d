// Filling boxes: from a set that ships, or from a file, whose content (never its path) goes to the server.
import { post, Refusal, sentence } from "./api.js";
import { button, dialog, fresh, h, say, visible } from "./dom.js";

const KINDS = { weat: "Association tests", classes: "Classes", words: "Words", pairs: "Pairs", templates: "Templates" };
const MOST_BYTES = 150_000; // what fits into a request, as text
let sets = [];

export const knowSets = (shipped) => {
  sets = shipped;
};
const found = async (name, body) => {
  const set = await post(name, body);
  if (set.incomplete) throw new Refusal(sentence(set.incomplete), "refused");
  return set;
};
export const setNamed = (id) => found("set", { id });

/** The sets that ship, as options of a choice, by kind; all kinds unless some are named. */
export const setOptions = (kinds = Object.keys(KINDS)) =>
  kinds
    .map((kind) => ({
      title: KINDS[kind] ?? kind,
      options: sets.filter((one) => one.kind === kind).map(({ id, title }) => [id, `${title} (${id})`]),
    }))
    .filter(({ options }) => options.length);

const read = async (file) => {
  if (file.size > MOST_BYTES)
    throw new Refusal(
      `${file.name} has ${file.size.toLocaleString("en")} bytes; a file of words may have ${MOST_BYTES.toLocaleString("en")}.`,
      "refused",
    );
  const bytes = new Uint8Array(await file.arrayBuffer());
  return found("file", {
    name: file.name,
    content: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")),
  });
};

/** A field that reads a file and hands on the set that was found in it; what went wrong is one sentence. */
export const fileField = (label, take, told) => {
  const input = h("input", {
    type: "file",
    accept: ".csv,.tsv,.txt,.toml,.json,.jsonl,.xlsx,.yaml,.yml",
    class: "unseen",
    onchange: async () => {
      const [file] = input.files;
      input.value = "";
      if (!file) return;
      try {
        take(await read(file));
      } catch (error) {
        told(error.message);
      }
    },
  });
  return h("label", { class: "button file" }, label, input);
};

/** A dialog that fills one box from any group of any set, or from a file. */
export const fillBox = (box) => {
  const groups = h("div", { class: "groups" });
  const told = h("p", { class: "problem", role: "alert", id: fresh("told") });
  const put = (group, keep) => {
    shown.close();
    box.change((list) => {
      const old = keep ? list.words : [];
      const there = new Set(old.map(({ word }) => word));
      if (!keep || !list.name) list.name = group.name;
      list.words = [
        ...old,
        ...[...new Set(group.words)].filter((word) => !there.has(word)).map((word) => ({ word, struck: false })),
      ];
    });
    say(`${group.words.length} words put into the box.`);
    box.element.querySelector(".word, .type").focus();
  };
  const groupRow = (group) =>
    h(
      "li",
      {},
      h(
        "div",
        {},
        h("b", {}, visible(group.name)),
        ` ${group.words.length} words: `,
        h(
          "span",
          { class: "soft" },
          group.words.slice(0, 8).map(visible).join(", "),
          group.words.length > 8 ? " …" : "",
        ),
      ),
      button("Put in", () => put(group, false), { "aria-label": `Put in ${visible(group.name)}` }),
      button("Add", () => put(group, true), { "aria-label": `Add ${visible(group.name)}` }),
    );
  const list = (set) => {
    told.textContent = "";
    groups.replaceChildren(
      ...[set.note, ...(set.notes ?? [])].filter(Boolean).map((note) => h("p", { class: "soft" }, note)),
      h("ul", {}, set.groups.map(groupRow)),
    );
  };
  const choose = h(
    "select",
    {
      "aria-label": "Set",
      onchange: async () => {
        if (!choose.value) return;
        try {
          list(await setNamed(choose.value));
        } catch (error) {
          told.textContent = error.message;
        }
      },
    },
    h("option", { value: "" }, "Choose a set …"),
    setOptions().map(({ title, options }) =>
      h(
        "optgroup",
        { label: title },
        options.map(([value, text]) => h("option", { value }, text)),
      ),
    ),
  );
  const shown = dialog(
    "Fill the box",
    h(
      "div",
      { class: "row" },
      choose,
      fileField("Read a file …", list, (text) => {
        told.textContent = text;
      }),
    ),
    told,
    groups,
  );
  choose.focus();
};
