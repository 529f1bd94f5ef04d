"use strict";
(() => {
  const tip = document.getElementById("tip");

  const place = (x, y) => {
    const gap = 14;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + gap + width > innerWidth ? Math.max(6, x - gap - width) : x + gap;
    const top = y + gap + height > innerHeight ? Math.max(6, y - gap - height) : y + gap;
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  };

  const show = (content, x, y) => {
    // Text nodes only: anything in a vocabulary stays text.
    if (typeof content === "string") tip.textContent = content;
    else tip.replaceChildren(listed(content));
    tip.hidden = false;
    place(x, y);
  };

  const hide = () => { tip.hidden = true; };

  const listed = (fields) => {
    const list = document.createElement("dl");
    for (const [name, value] of Object.entries(fields)) {
      const term = document.createElement("dt");
      const said = document.createElement("dd");
      term.textContent = name;
      said.textContent = String(value);
      list.append(term, said);
    }
    return list;
  };

  // Without a script a cell's title shows; with one, the same tooltip as the charts'.
  for (const cell of document.querySelectorAll("td[title]")) {
    cell.dataset.tip = cell.title;
    cell.removeAttribute("title");
  }
  document.addEventListener("pointermove", (event) => {
    const cell = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    if (cell) show(cell.dataset.tip, event.clientX, event.clientY);
    else if (!(event.target instanceof Element && event.target.closest(".plot"))) hide();
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", hide, { capture: true, passive: true });

  const tooltip = (handler, event, item, value) => {
    if (value === null || value === undefined || value === "") hide();
    else show(value, event.clientX, event.clientY);
  };

  // A chart is a picture at first; it is replaced by an interactive one once it is near the viewport.
  const draw = async (data) => {
    const plot = document.getElementById(data.dataset.for);
    const fluid = plot.closest(".fluid") !== null;
    const room = () => Math.floor(plot.parentElement.clientWidth);
    const still = plot.firstElementChild;
    const shape = vega.parse(JSON.parse(data.textContent), null, { ast: true });
    const canvas = document.createElement("div");
    const view = new vega.View(shape, {
      expr: vegaInterpreter, renderer: "svg", container: canvas, hover: true, tooltip, logLevel: vega.Error,
    });
    if (fluid && room() > 0) view.width(room());
    await view.runAsync();
    const drawn = canvas.querySelector("svg");
    drawn.setAttribute("viewBox", drawn.getAttribute("viewBox") || `0 0 ${drawn.getAttribute("width")} ${drawn.getAttribute("height")}`);
    still.replaceWith(canvas);
    plot.dataset.drawn = "yes";
    if (!fluid) return;
    let width = room();
    new ResizeObserver(() => {
      if (room() > 0 && room() !== width && !matchMedia("print").matches) {
        width = room();
        view.width(width).runAsync();
      }
    }).observe(plot.parentElement);
  };

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      draw(waiting.get(entry.target));
    }
  }, { rootMargin: "600px" });
  const waiting = new Map();
  for (const data of document.querySelectorAll('script[type="application/json"][data-for]')) {
    const figure = document.getElementById(data.dataset.for).closest("figure");
    waiting.set(figure, data);
    near.observe(figure);
  }
})();
