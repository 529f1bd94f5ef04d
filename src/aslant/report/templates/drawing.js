// Run by QuickJS (report/drawing.py) before Vega and Vega-Lite: what these want of a browser, and two functions.
var console = { log() {}, info() {}, warn() {}, error() {} };
var setTimeout = (call) => { Promise.resolve().then(call); return 0; };
var clearTimeout = () => {};
var structuredClone = (value) => {
  if (Array.isArray(value)) return value.map(structuredClone);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, structuredClone(part)]));
};

// Widths of Arial, Helvetica and Liberation Sans in thousandths of the size, from the space to the tilde, and others.
const PLAIN = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
  667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
  556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
const BOLD = [
  278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
  667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611,
  611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];
const OTHER = { "–": 556, "−": 584, "×": 584, "“": 333, "”": 333, "‘": 222, "’": 222, "·": 278, "•": 350, "≤": 549, "≥": 549 };
const CYRILLIC_AND_BEFORE = 0x530;

const width = (text, size, weight) => {
  const widths = weight === "bold" || weight >= 600 ? BOLD : PLAIN;
  let sum = 0;
  // Accents decompose and take no room of their own; a letter of another script is as wide as one of its kind.
  for (const letter of text.normalize("NFD")) {
    const code = letter.codePointAt(0);
    if (code >= 0x300 && code < 0x370) continue;
    sum += widths[code - 32] ?? OTHER[letter] ?? (code < CYRILLIC_AND_BEFORE ? 600 : 1000);
  }
  return (sum * size) / 1000;
};

var compile = (chart) => JSON.stringify(vegaLite.compile(JSON.parse(chart)).spec);

let drawn = null;
var draw = async (specification) => {
  drawn = { error: "it was not finished" };
  vega.textMetrics.width = (item, text) =>
    text == null ? 0 : width(String(text), item.fontSize ?? 11, item.fontWeight);
  try {
    const view = new vega.View(vega.parse(JSON.parse(specification)), { renderer: "none", logLevel: vega.None });
    drawn = { svg: await view.toSVG() };
    view.finalize();
  } catch (error) {
    drawn = { error: String(error) };
  }
};
var picture = () => JSON.stringify(drawn);
