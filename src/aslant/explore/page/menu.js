// A small menu beside a button: arrows walk, Escape closes, the focus goes back to where it came from.
import { h } from "./dom.js";

let shown = null;

export const closeMenu = (back = false) => {
  const { menu, from } = shown ?? {};
  shown = null;
  menu?.remove();
  if (back && from?.isConnected) from.focus();
};

/** Open a menu of [text, action]; `null` as an action makes a heading. */
export const openMenu = (from, label, items) => {
  closeMenu();
  const entries = items.map(([text, action]) =>
    action
      ? h(
          "button",
          {
            type: "button",
            role: "menuitem",
            tabindex: "-1",
            onclick: () => {
              closeMenu(true);
              action();
            },
          },
          text,
        )
      : h("span", { class: "soft", role: "presentation" }, text),
  );
  const menu = h("div", { class: "menu", role: "menu", "aria-label": label, onkeydown: walk }, entries);
  document.body.append(menu);
  shown = { menu, from };
  place(menu, from.getBoundingClientRect());
  menu.querySelector("button")?.focus();
};

const place = (menu, at) => {
  const { width, height } = menu.getBoundingClientRect();
  const above = at.bottom + height + 8 > innerHeight && at.top > height + 8;
  menu.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8)) + scrollX}px`;
  menu.style.top = `${(above ? at.top - height - 4 : at.bottom + 4) + scrollY}px`;
};

const walk = (event) => {
  const buttons = [...shown.menu.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 }[event.key];
  if (to !== undefined) {
    buttons[to % buttons.length].focus();
    event.preventDefault();
  } else if (event.key === "Escape" || event.key === "Tab") {
    closeMenu(true);
    event.preventDefault();
    event.stopPropagation();
  }
};

document.addEventListener("pointerdown", (event) => {
  if (shown && !shown.menu.contains(event.target)) closeMenu();
});
