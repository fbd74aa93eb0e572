/** The charts as a slider over the run: drag to any moment, press an event to jump to it, arrows step. */
import { clock, fill, gettext, number } from "../../model/text.js";
import { placeOf } from "../base/canvas.js";
import { need } from "../base/dom.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Engine } from "../../net/engine.js"
 * @import { ChartsView } from "./charts.js"
 */

const NEAR_PX = 9;

export class Scrubber {
  /**
   * `engine` is given where it can go to times that are still to come.
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {ChartsView} charts
   * @param {Engine | null} [engine]
   */
  constructor(root, playhead, charts, engine = null) {
    this.root = need("[data-scrub]", root);
    this.playhead = playhead;
    this.charts = charts;
    this.engine = engine;
    this.root.addEventListener("pointerdown", (event) => this.down(event));
    this.root.addEventListener("pointermove", (event) => this.move(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    this.root.setPointerCapture(event.pointerId);
    const mark = this.markAt(event);
    if (mark) this.playhead.go(mark.event.number + 1);
    else this.scrub(event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    this.root.classList.toggle("points", this.markAt(event) !== undefined);
    if (this.root.hasPointerCapture(event.pointerId) && event.buttons) this.scrub(event);
  }

  /** @param {PointerEvent} event */
  scrub(event) {
    const us = this.charts.timeAt(placeOf(event).x);
    if (us === null) return;
    const { engine } = this;
    if (engine && us > this.playhead.session.nowUs) this.ahead(engine, us);
    else this.playhead.toTime(us);
  }

  /**
   * @param {Engine} engine
   * @param {number} us
   */
  ahead(engine, us) {
    this.playhead.now();
    engine.rush(us);
  }

  /**
   * The event whose sign is under the pointer.
   * @param {PointerEvent} event
   */
  markAt(event) {
    const at = placeOf(event);
    if (at.y > this.charts.top) return undefined;
    return this.charts.marks.find(({ x, end }) => at.x > x - NEAR_PX && at.x < Math.max(end, x + NEAR_PX));
  }

  /**
   * The keys of a slider; they are view only here, at the present too.
   * @param {KeyboardEvent} event
   */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { playhead } = this;
    /** @type {Record<string, number>} */
    const back = { ArrowLeft: 1, ArrowDown: 1 };
    /** @type {Record<string, number>} */
    const forward = { ArrowRight: 1, ArrowUp: 1 };
    let act = null;
    if (event.key === "PageDown" || (event.shiftKey && back[event.key])) act = () => playhead.event(-1);
    else if (event.key === "PageUp" || (event.shiftKey && forward[event.key])) act = () => playhead.event(1);
    else if (back[event.key]) act = () => playhead.back();
    else if (forward[event.key]) act = () => playhead.forward();
    else if (event.key === "Home") act = () => playhead.home();
    else if (event.key === "End") act = () => playhead.now() || (this.engine && this.ahead(this.engine, playhead.session.endsUs));
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  update() {
    const { playhead } = this;
    /**
     * @param {string} name
     * @param {string | number} value
     */
    const set = (name, value) => {
      if (this.root.getAttribute(name) !== String(value)) this.root.setAttribute(name, String(value));
    };
    set("aria-valuemin", Math.min(playhead.history.start, playhead.position));
    set("aria-valuemax", playhead.session.next);
    set("aria-valuenow", playhead.position);
    const texts = { time: clock(playhead.nowUs), n: number(playhead.position) };
    set(
      "aria-valuetext",
      playhead.behind
        ? fill(gettext("%(time)s, transition %(n)s"), texts)
        : fill(gettext("%(time)s, transition %(n)s, the present"), texts),
    );
  }
}
