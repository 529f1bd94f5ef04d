// The nearest words of a word, in a dialog; each can be looked at in turn.
import { post } from "./api.js";
import { coveredElement, covering, coverSwitch } from "./covering.js";
import { button, dialog, h, visible } from "./dom.js";

export const showNeighbours = async (model, word) => {
  const body = h("div", { "aria-live": "polite" }, h("p", { class: "soft" }, "Looking …"));
  const shown = dialog(`Nearest words of “${visible(word)}”`, body);
  try {
    const answer = await post("neighbours", { model: Number(model), word, k: 20 });
    const draw = () => body.replaceChildren(...listed(model, answer));
    covering.addEventListener("change", draw);
    shown.addEventListener("close", () => covering.removeEventListener("change", draw));
    draw();
  } catch (error) {
    body.replaceChildren(h("p", { class: "problem" }, error.message));
  }
};

const listed = (model, { says, neighbours, incomplete }) => {
  if (incomplete) return [h("p", { class: "problem" }, incomplete)];
  const offensive = neighbours.some((row) => row.offensive);
  const rows = neighbours.map((row) =>
    h(
      "tr",
      {},
      h(
        "th",
        { scope: "row" },
        button(coveredElement(row), () => showNeighbours(model, row.word), { class: "link" }),
      ),
      h("td", { class: "right" }, String(row.cosine)),
      h("td", { class: "right" }, row.rank?.toLocaleString("en") ?? ""),
    ),
  );
  const head = ["Word", "Cosine", "Frequency rank"].map((title, at) =>
    h("th", { scope: "col", class: at ? "right" : null }, title),
  );
  return [
    says && h("p", {}, says),
    offensive && coverSwitch(),
    h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
  ].filter(Boolean);
};
