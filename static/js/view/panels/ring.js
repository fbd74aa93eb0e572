/** The ring of a queue's members: where the last instruction went, drawn below the nodes' cards. */
import { fill, gettext, number } from "../../model/text.js";
import { el, setText } from "../base/dom.js";

/** @import { Line } from "../../model/timeline.js" */

const HOP_MS = 450;
const PERCENT = 100;

/**
 * The ring of nodes with these names: its element, and `show(line, order)`, which shows the last instruction and lets
 * it travel if it is a new one; `order` has the members, the master first.
 * @param {string[]} names
 */
export function ringOf(names) {
  const place = (/** @type {string} */ node) => `${((names.indexOf(node) + 0.5) / names.length) * PERCENT}%`;
  const token = el("span.ring-token", { hidden: true });
  const stops = names.map((node) => el("span.ring-stop", {}, node));
  stops.forEach((stop, at) => {
    stop.style.left = place(names[at]);
  });
  /** @type {number | null} the line that was shown last */
  let last = null;

  /** @param {string[]} way */
  function travel(way) {
    for (const each of token.getAnimations()) each.cancel();
    token.animate(
      way.map((node) => ({ left: place(node) })),
      { duration: HOP_MS * (way.length - 1), easing: "ease-in-out" },
    );
  }

  /**
   * @param {Line | undefined} line
   * @param {string[]} order
   */
  function show(line, order) {
    stops.forEach((stop, at) => stop.classList.toggle("is-member", order.includes(names[at])));
    const idle = !line || order.length < 2;
    token.hidden = idle;
    if (idle) return;
    setText(token, `${number(line.t.count)} × ${line.t.instruction}`);
    token.style.left = place(order[0]);
    if (last === line.number) return;
    last = line.number;
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) travel([...order, order[0]]);
  }

  return { root: el("div.ring-track", { "aria-hidden": "true" }, ...stops, token), show };
}

/**
 * What goes around, in words.
 * @param {Line | undefined} line
 * @param {string[]} order
 */
export function ringText(line, order) {
  if (!line || order.length < 2) return gettext("Nothing goes around the ring.");
  return fill(gettext("%(count)s × %(instruction)s: %(way)s"), {
    count: number(line.t.count),
    instruction: line.t.instruction,
    way: [...order, order[0]].join(" → "),
  });
}
