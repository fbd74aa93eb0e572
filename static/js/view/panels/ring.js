/** The ring of a queue's members: where the last instruction went, drawn below the nodes' cards. */
import { fill, gettext, number } from "../../model/text.js";
import { el, findAll, setText } from "../base/dom.js";

const HOP_MS = 450;
const PERCENT = 100;

export class Ring {
  constructor(names) {
    this.names = names;
    this.number = null;
    this.token = el("span.ring-token", { hidden: true });
    this.root = el(
      "div.ring-track",
      { "aria-hidden": "true" },
      ...names.map((node) => el("span.ring-stop", { "data-stop": node }, node)),
      this.token,
    );
    for (const stop of findAll("[data-stop]", this.root)) stop.style.left = this.place(stop.dataset.stop);
  }

  place(node) {
    return `${((this.names.indexOf(node) + 0.5) / this.names.length) * PERCENT}%`;
  }

  /** Show the last instruction, and let it travel if it is a new one; `order` has the members, the master first. */
  update(line, order) {
    for (const stop of findAll("[data-stop]", this.root))
      stop.classList.toggle("is-member", order.includes(stop.dataset.stop));
    const known = line && order.length > 1;
    this.token.hidden = !known;
    if (!known) return;
    setText(this.token, `${number(line.t.count)} × ${line.t.instruction}`);
    this.token.style.left = this.place(order[0]);
    if (this.number === line.number) return;
    this.number = line.number;
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.travel([...order, order[0]]);
  }

  travel(way) {
    this.token.getAnimations().forEach((each) => each.cancel());
    this.token.animate(
      way.map((node) => ({ left: this.place(node) })),
      { duration: HOP_MS * (way.length - 1), easing: "ease-in-out" },
    );
  }
}

/** What goes around, in words. */
export function ringText(line, order) {
  if (!line || order.length < 2) return gettext("Nothing goes around the ring.");
  return fill(gettext("%(count)s × %(instruction)s: %(way)s"), {
    count: number(line.t.count),
    instruction: line.t.instruction,
    way: [...order, order[0]].join(" → "),
  });
}
