/** A menu of what can be done with a thing: arrows walk it, Enter does it, Escape gives the focus back. */
import { gettext } from "../../model/text.js";
import { el, findAll, focused, need } from "./dom.js";

/** @type {{ menu: HTMLElement, anchor: HTMLElement } | null} the menu that is open */
let shown = null;

function close(back = false) {
  if (!shown) return;
  const { menu, anchor } = shown;
  shown = null;
  anchor.setAttribute("aria-expanded", "false");
  menu.remove();
  if (back) anchor.focus();
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} menu
 */
function key(event, menu) {
  const items = findAll("button", menu);
  const at = items.findIndex((item) => item === focused());
  const goal = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") close(event.key === "Escape");
  else if (goal === undefined) return;
  else items.at(goal % items.length)?.focus();
  if (event.key !== "Tab") event.preventDefault();
  event.stopPropagation();
}

/**
 * Open a menu below `anchor`: items are {text, run}. Pressed again, it closes.
 * @param {HTMLElement} anchor
 * @param {string} label
 * @param {{ text: string, run: () => unknown }[]} items
 */
export function openMenu(anchor, label, items) {
  const again = shown?.anchor === anchor;
  close();
  if (again) return;
  const entries = items.length ? items : [{ text: gettext("There is nothing yet to join it to."), run: () => {} }];
  const menu = el(
    "div.menu",
    { role: "menu", "aria-label": label },
    ...entries.map(({ text, run }) =>
      el("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: () => (close(true), run()) }, text),
    ),
  );
  menu.addEventListener("keydown", (event) => key(event, menu));
  (anchor.closest("main") ?? document.body).append(menu);
  const box = anchor.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const left = Math.max(4, Math.min(innerWidth - size.width - 4, box.left));
  const top = box.bottom + size.height + 8 < innerHeight ? box.bottom + 4 : Math.max(4, box.top - size.height - 4);
  Object.assign(menu.style, { left: `${left}px`, top: `${top}px` });
  shown = { menu, anchor };
  anchor.setAttribute("aria-expanded", "true");
  need("button", menu).focus();
}

addEventListener("pointerdown", (event) => {
  if (shown && event.target instanceof Node && !shown.menu.contains(event.target) && !shown.anchor.contains(event.target)) close();
});
