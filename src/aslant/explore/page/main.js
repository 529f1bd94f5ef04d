// The page begins here: what is open, the panels as tabs, colours, and what to do while the server is away.
import { AWAY, get, knock, states } from "./api.js";
import { parsed } from "./address.js";
import { Axes } from "./axes.js";
import { Bench } from "./bench.js";
import { button, copy, h, say } from "./dom.js";
import { Enumeration } from "./enumeration.js";
import { knowSets } from "./filling.js";
import { Pairs } from "./pairs.js";
import { records, recount } from "./records.js";
import { Templates } from "./templates.js";

const PANELS = {
  bench: ["Bench", Bench],
  axes: ["Axes", Axes],
  enumeration: ["Enumeration", Enumeration],
  templates: ["Templates", Templates],
  pairs: ["Pairs", Pairs],
};
const main = document.getElementById("main");
const tabs = document.querySelector(".tabs");
const made = {};
let shown = null;
let about = null;

const show = (panel, focus = false) => {
  shown = panel;
  for (const tab of tabs.children) {
    const on = tab.dataset.panel === panel;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    if (on && focus) tab.focus();
    if (on) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft; // scrollIntoView would make Tab go on from here
  }
  for (const part of main.children) part.hidden = part.id !== `panel-${panel}`;
  if (!made[panel]) build(panel);
  made[panel].store?.write();
  document.title = `${PANELS[panel][0]} · aslant explore`;
};

const build = (panel) => {
  made[panel] = new PANELS[panel][1](about);
  document
    .getElementById(`panel-${panel}`)
    .replaceChildren(h("h2", { class: "unseen" }, PANELS[panel][0]), made[panel].element);
};

const choose = (panel, focus = false) => {
  if (panel === shown) return;
  history.pushState(null, "", location.href);
  show(panel, focus);
};

const lay = () => {
  const names = Object.keys(PANELS);
  tabs.replaceChildren(
    ...names.map((panel) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${panel}`,
          "data-panel": panel,
          "aria-controls": `panel-${panel}`,
          onclick: () => choose(panel),
        },
        PANELS[panel][0],
      ),
    ),
  );
  main.replaceChildren(
    ...names.map((panel) =>
      h("div", { role: "tabpanel", id: `panel-${panel}`, "aria-labelledby": `tab-${panel}`, hidden: true }),
    ),
  );
  tabs.addEventListener("keydown", (event) => {
    const at = names.indexOf(shown);
    const to = {
      ArrowRight: (at + 1) % names.length,
      ArrowLeft: (at + names.length - 1) % names.length,
      Home: 0,
      End: names.length - 1,
    }[event.key];
    if (to !== undefined) {
      choose(names[to], true);
      event.preventDefault();
    }
  });
};

/** Another address in the same page (a link, or back and forward): the panel takes over what it says. */
const follow = () => {
  const address = parsed(location.hash);
  if (!Object.hasOwn(PANELS, address.panel)) return;
  const { store } = made[address.panel] ?? {};
  if (store && store.address !== location.hash && store.restore(address)) store.dispatchEvent(new Event("change"));
  if (address.panel !== shown) show(address.panel);
};

const colours = () => {
  const key = "aslant-theme";
  const stored = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  (document.getElementById(stored() ?? "") ?? document.getElementById("theme-system")).checked = true;
  document.querySelector(".theme").addEventListener("change", (event) => {
    try {
      localStorage.setItem(key, event.target.id);
    } catch {
      /* until the page is left */
    }
  });
};

const lost = document.getElementById("lost");
states.addEventListener("lost", ({ detail }) => {
  if (!lost.hidden && lost.firstChild?.textContent === detail) return;
  lost.replaceChildren(
    h("span", {}, detail),
    " ",
    detail === AWAY ? button("Try again", knock) : button("Copy the part behind #", () => copy(location.hash)),
  );
  lost.hidden = false;
});
states.addEventListener("back", () => {
  lost.hidden = true;
  say("The server is back.");
  if (about) recount().catch(() => {});
  else begin();
});

const begin = async () => {
  try {
    about = await get("about");
  } catch (error) {
    document.getElementById("starting").textContent = error.message;
    return;
  }
  knowSets(about.sets);
  document.getElementById("version").textContent = `aslant ${about.version} · seed ${about.seed}`;
  lay();
  const { panel } = parsed(location.hash);
  const fits = about.panels?.find((one) => one in PANELS) ?? "bench";
  show(Object.hasOwn(PANELS, panel) ? panel : fits);
  records().catch(() => {});
  addEventListener("popstate", follow);
  addEventListener("hashchange", follow);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) recount().catch(() => {});
  });
};

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input[type=text], input[type=search], textarea");
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing?.value && made[shown]?.store) {
    made[shown].store.undo();
    event.preventDefault();
  }
});
colours();
begin();
