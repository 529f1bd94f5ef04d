// On a narrow page the answer is below the boxes: a strip at the lower edge has its numbers while somebody types.
import { h } from "./dom.js";

const SHOWN = 3;

export const strip = (answer) => {
  const element = h("button", {
    type: "button",
    class: "strip",
    hidden: true,
    onclick: () => answer.element.scrollIntoView(),
  });
  let seen = false;
  const draw = () => {
    const facts = answer.answer?.facts?.slice(0, SHOWN) ?? [];
    element.hidden = seen || !facts.length;
    element.replaceChildren(
      h("span", { class: "unseen" }, "Go to the answer: "),
      ...facts.map(({ label, value }) => h("span", {}, `${label} `, h("b", {}, value))),
    );
  };
  new IntersectionObserver(
    ([entry]) => {
      seen = entry.isIntersecting;
      draw();
    },
    { rootMargin: "0px 0px -20% 0px" },
  ).observe(answer.element);
  answer.addEventListener("change", draw);
  return element;
};
