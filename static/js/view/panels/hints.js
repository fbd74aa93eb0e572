/** A few steps for newcomers, those of the queue's kind; each ticks itself off when the engine has really done it. */
import { ownOrUsual } from "../../model/generations.js";
import { shownState } from "../../model/shown.js";
import { gettext } from "../../model/text.js";
import { el, find, icon, need, show } from "../base/dom.js";
import { keep } from "../base/theme.js";

/**
 * @import { FirstStep } from "../../model/generations.js"
 * @import { Session } from "../../model/session.js"
 */

export class Hints {
  /**
   * @param {HTMLElement} root
   * @param {Session} session
   */
  constructor(root, session) {
    this.root = root;
    this.session = session;
    this.mark = "";
    /** @type {Set<string>} steps that a state has met */
    this.met = new Set();
    need("[data-act=dismiss]", root).addEventListener("click", () => this.dismiss());
    if (document.cookie.includes("hints=off")) show(root, false); // a page that no server wrote for this reader
  }

  dismiss() {
    show(this.root, false);
    keep("hints", "off");
  }

  update() {
    if (this.root.hidden) return;
    const { state, seen } = this.session;
    const steps = ownOrUsual(shownState(state), "firstSteps");
    for (const { id, met } of steps) if (met?.(state)) this.met.add(id);
    const done = steps.map((step) => this.met.has(step.id) || Boolean(step.done?.some((kind) => seen.has(kind))));
    const mark = `${steps.map(({ id }) => id).join()} ${done.join()}`;
    if (mark === this.mark) return;
    this.mark = mark;
    const next = done.indexOf(false);
    need("ol", this.root).replaceChildren(...steps.map((step, at) => item(step, at, done[at], at === next)));
  }
}

/**
 * @param {FirstStep} step
 * @param {number} at
 * @param {boolean} done
 * @param {boolean} next
 */
function item(step, at, done, next) {
  const number = el("span.no", { "aria-hidden": "true" }, done ? icon("check") : String(at + 1));
  const state = done ? el("span.visually-hidden", {}, gettext("done")) : null;
  const jump = () => {
    const goal = find(step.goal);
    goal?.closest("details")?.setAttribute("open", "");
    goal?.focus();
    goal?.scrollIntoView({ block: "nearest" });
  };
  return el(
    `li${done ? ".done" : ""}${next ? ".next" : ""}`,
    next ? { "aria-current": "step" } : {},
    el("button", { type: "button", onclick: jump }, number, el("span.text", {}, step.text()), state),
  );
}
