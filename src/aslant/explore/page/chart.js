// Charts are Altair's specifications, compiled by Vega-Lite and drawn by Vega's interpreter: nothing is evaluated.
/* global vega, vegaLite, vegaInterpreter */
import { h } from "./dom.js";

const FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif";
const NARROW = 480; // where the entries of a legend stand below each other
const INK = "currentColor"; // the page's colour of text, in light and dark
const LINES = Object.fromEntries(
  ["labelColor", "titleColor", "gridColor", "domainColor", "tickColor"].map((name) => [name, INK]),
);
// As report/charts.py has it, so that a chart is the same here and in a report.
const CONFIG = {
  background: "transparent",
  font: FONT,
  title: { color: INK, subtitleColor: INK },
  axis: {
    ...LINES,
    gridOpacity: 0.12,
    domainOpacity: 0.4,
    tickOpacity: 0.4,
    titleFontWeight: "normal",
    labelFontSize: 12,
  },
  legend: {
    labelColor: INK,
    titleColor: INK,
    labelFontSize: 12,
    labelLimit: 0,
    columnPadding: 24,
    symbolType: "square",
  },
  view: { stroke: null },
  text: { color: INK },
};

const tip = h("div", { id: "tip", hidden: true });
document.body.append(tip);
const hide = () => {
  tip.hidden = true;
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});
document.addEventListener("scroll", hide, { capture: true, passive: true });

const tooltip = (handler, event, item, value) => {
  if (value === null || value === undefined || value === "") return hide();
  const fields = typeof value === "object" ? Object.entries(value) : [["", value]];
  tip.replaceChildren(
    h(
      "dl",
      {},
      fields.map(([name, text]) => [h("dt", {}, name), h("dd", {}, String(text))]),
    ),
  );
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${event.clientX + 14 + width > innerWidth ? Math.max(6, event.clientX - 14 - width) : event.clientX + 14}px`;
  tip.style.top = `${event.clientY + 14 + height > innerHeight ? Math.max(6, event.clientY - 14 - height) : event.clientY + 14}px`;
  return undefined;
};

/** Draw a chart into an element, as wide as there is room; returns the view, whose signals and clicks can be heard. */
export const draw = async (place, specification, text) => {
  const config = Object.fromEntries(
    [...new Set([...Object.keys(CONFIG), ...Object.keys(specification.config ?? {})])].map((name) => {
      const [own, given] = [CONFIG[name], specification.config?.[name]];
      return [name, typeof own === "object" && own ? { ...given, ...own } : (own ?? given)];
    }),
  );
  // A single chart takes the room there is, so that its text keeps its size; what is put together of several cannot.
  const single = typeof specification.width === "number" && !specification.autosize;
  const autosize = single ? { type: "fit-x", contains: "padding" } : specification.autosize;
  if (place.clientWidth < NARROW) config.legend = { ...config.legend, columns: 1 };
  const { spec } = vegaLite.compile(
    { ...specification, ...(autosize && { autosize }), background: "transparent", config },
    { logger: silent },
  );
  const canvas = h("div", { class: "canvas" });
  const view = new vega.View(vega.parse(spec, null, { ast: true }), {
    expr: vegaInterpreter,
    renderer: "svg",
    container: canvas,
    hover: true,
    tooltip,
    logLevel: vega.Error,
  });
  const room = () => Math.floor(place.clientWidth);
  const fluid = spec.autosize?.type === "fit-x" || spec.autosize?.type === "fit" || specification.width === "container";
  if (fluid && room() > 0) view.width(room());
  await view.runAsync();
  const svg = canvas.querySelector("svg");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", text ?? "Chart");
  for (const part of svg.children) part.setAttribute("aria-hidden", "true"); // one picture, whose numbers are in a table
  place.view?.finalize();
  place.view = view;
  place.replaceChildren(canvas);
  if (fluid) follow(place, view, room);
  return view;
};

const follow = (place, view, room) => {
  let width = room();
  new ResizeObserver((_, observer) => {
    if (place.view !== view) return observer.disconnect();
    if (room() > 0 && room() !== width) {
      width = room();
      view.width(width).runAsync();
    }
    return undefined;
  }).observe(place);
};

const silent = {
  level() {
    return this;
  },
  error() {
    return this;
  },
  warn() {
    return this;
  },
  info() {
    return this;
  },
  debug() {
    return this;
  },
};
