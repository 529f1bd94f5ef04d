// What this person has tried, and what was kept for a report: two buttons at the top, each with a list behind it.
import { post, reportAddress } from "./api.js";
import { button, dialog, h, say } from "./dom.js";

const number = (id, value) => {
  document.querySelector(`#${id} b`).textContent = String(value);
};
export const counted = (count) => number("tries", count);
export const keptChanged = (count) => number("kept", count);

const within = (title, fill) => {
  const body = h("div", {}, h("p", { class: "soft" }, "Looking …"));
  dialog(title, body);
  fill(body).catch((error) => body.replaceChildren(h("p", { class: "problem" }, error.message)));
};

const showTries = () =>
  within("What you have tried", async (body) => {
    const { tries, says } = await post("tries");
    counted(tries.length);
    const columns = [
      ["question", "Question"],
      ["pvalue", "p"],
      ["corrected", "p, corrected (Holm)"],
      ["qvalue", "q"],
      ["chance", "p (chance)"],
      ["chance_corrected", "p (chance), corrected"],
    ];
    const used = columns.filter(([key]) => tries.some((row) => row[key] !== undefined && row[key] !== null));
    body.replaceChildren(
      h(
        "p",
        {},
        says ?? "",
        " Each different question whose answer you saw counts once. Reloading the page does not start over: whoever tries often enough finds something, " +
          "so a result that you report needs the p that is corrected for all tries, and their number.",
      ),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Your tries" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              used.map(([, title], at) => h("th", { scope: "col", class: at ? "right" : null }, title)),
            ),
          ),
          h(
            "tbody",
            {},
            tries.map((row) =>
              h(
                "tr",
                {},
                used.map(([key], at) =>
                  at
                    ? h("td", { class: "right" }, String(row[key] ?? ""))
                    : h("th", { scope: "row", class: "wraps" }, row[key]),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  });

const showKept = () => within("Your report", (body) => drawKept(body));

const drawKept = async (body) => {
  const { kept } = await post("kept");
  keptChanged(kept.length);
  const remove = async (one) => {
    await post("kept/remove", { number: one.number });
    say("Removed.");
    await drawKept(body);
  };
  body.replaceChildren(
    ...(kept.length
      ? [
          h(
            "p",
            {},
            h(
              "a",
              { class: "button main", href: reportAddress(), target: "_blank", rel: "noopener" },
              "Open the report",
            ),
          ),
          h(
            "p",
            { class: "soft" },
            "One page that needs nothing else: save it from the browser. It begins with how many tries were made, and that these results were picked.",
          ),
          h(
            "ol",
            { class: "kept" },
            kept.map((one) =>
              h(
                "li",
                {},
                h("span", {}, one.title),
                button("Remove", () => remove(one), { "aria-label": `Remove ${one.title}` }),
              ),
            ),
          ),
        ]
      : [h("p", {}, "Nothing is kept yet. “Add to report” beside a result keeps it.")]),
  );
};

/** Wire the two buttons, and show what the server remembers of this person. */
export const records = async () => {
  document.getElementById("tries").addEventListener("click", showTries);
  document.getElementById("kept").addEventListener("click", showKept);
  await recount();
};

/** Ask for both numbers anew: another tab may have changed them. */
export const recount = async () => {
  const { tries } = await post("tries");
  counted(tries.length);
  const { kept } = await post("kept");
  keptChanged(kept.length);
};
