/** The list of what happened, newest first; each line opens its reason. */
import { groupOf, queueOf } from "../../model/kinds.js";
import { shownQueue } from "../../model/shown.js";
import { sentenceOf } from "../../model/why.js";
import { fill, gettext, number, seconds } from "../../model/text.js";
import { around, el, find, focused, keepChildren, need, required } from "../base/dom.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Line } from "../../model/timeline.js"
 */

/** @typedef {{ details: boolean, group: string, queue: boolean }} Chosen which lines are shown */

const SHOWN = 60;
/** How many lines stand above those up to the moment of the past that is shown: the next ones after it. */
const LATER = 12;
/** The keys of the two headings, where a moment of the past divides the list. */
const [AFTER, UP_TO] = ["after", "up-to"];

export class Narrative {
  /**
   * `pick(line or null)` is called with the line that is to be explained.
   * @param {HTMLElement} root
   * @param {Playhead} session
   * @param {(line: Line | null) => void} pick
   */
  constructor(root, session, pick) {
    this.root = root;
    this.session = session;
    this.pick = pick;
    /** @type {number | null} the line that is explained, by its first transition */
    this.picked = null;
    this.rendered = "";
    /** @type {Chosen} file details too, one group of kinds or "", one queue only */
    this.chosen = { details: false, group: "", queue: false };
    root.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.place()).observe(required(root.parentElement, "the box of the log"));
    /**
     * @template {HTMLElement} T
     * @param {T} field
     * @param {(field: T) => Partial<Chosen>} read
     */
    const wish = (field, read) => field.addEventListener("change", () => this.restrict(read(field)));
    wish(need("[data-act=details]", HTMLInputElement), ({ checked }) => ({ details: checked }));
    wish(need("[data-narrative-group]", HTMLSelectElement), ({ value }) => ({ group: value }));
    wish(need("[data-act=only-queue]", HTMLInputElement), ({ checked }) => ({ queue: checked }));
  }

  update() {
    const { lines } = this.session.timeline;
    const { behind, position } = this.session;
    const last = lines[lines.length - 1];
    const mark = last
      ? [last.number, last.times, lines.length, this.picked, this.filter(), behind && position].join()
      : "";
    if (mark === this.rendered) return;
    this.rendered = mark;
    const { lines: before, later } = this.shown();
    const items = [...before.slice(-SHOWN), ...later.slice(0, LATER)].reverse();
    const nexts = new Set(later);
    const here = (behind && before.at(-1)) || null;
    const held = focused()?.closest("#narrative") && focused()?.dataset.first;
    // An item with the same content stays.
    const signature = (/** @type {Line} */ line) =>
      [line.first, line.t.kind, line.atUs, line.times, line.messages, nexts.has(line), line === here, this.picked === line.first, this.many()].join();
    const bySignature = new Map(items.map((line) => [signature(line), line]));
    const keys = [...bySignature.keys()];
    if (later.length) {
      keys.splice(Math.min(LATER, later.length), 0, UP_TO);
      keys.unshift(`${AFTER}${later.length}`);
    }
    keepChildren(this.root, keys, (key) => {
      if (key === UP_TO) return el("li.log-part", {}, gettext("Up to this moment"));
      if (key.startsWith(AFTER)) return el("li.log-part", {}, fill(gettext("Later than this moment: %(n)s"), { n: number(later.length) }));
      const line = required(bySignature.get(key), "a line of what happened");
      return this.item(line, nexts.has(line), here);
    });
    this.place();
    if (held) find(`[data-first="${held}"]`, this.root)?.focus({ preventScroll: true });
  }

  /** Put the lines below each other by transforms: a new one lays none of the others out anew. */
  place() {
    let top = 0;
    for (const line of /** @type {Iterable<HTMLElement>} */ (this.root.children)) {
      line.style.transform = `translateY(${top}px)`;
      top += line.offsetHeight;
    }
    this.root.style.height = `${top}px`;
  }

  /**
   * Show other lines.
   * @param {Partial<Chosen>} change
   */
  restrict(change) {
    Object.assign(this.chosen, change);
    this.update();
  }

  filter() {
    return [...Object.values(this.chosen), shownQueue(this.session.state)].join();
  }

  /** Up to the moment that is shown, and later: events, and the housekeeping of files too where the reader has chosen it. */
  shown() {
    const { details, group, queue } = this.chosen;
    const name = shownQueue(this.session.state);
    const chosen = (/** @type {Line} */ line) =>
      (details || !line.detail || group === "files") &&
      (!group || groupOf(line.t) === group) &&
      (!queue || [null, name].includes(queueOf(line.t)));
    const { lines, later } = this.session.log();
    return { lines: lines.filter(chosen), later: later.filter(chosen) };
  }

  /** Whether lines contain the name of their queue. */
  many() {
    return Object.keys(this.session.state.queues).length > 1;
  }

  /**
   * One line; `later` if it had not happened at the moment that is shown, which `here` is the newest line of.
   * @param {Line} line
   * @param {boolean} later
   * @param {Line | null} here
   */
  item(line, later, here) {
    const sentence = sentenceOf(line);
    const times = line.times > 1 && !sentence.counted ? ` \u00d7${line.times}` : "";
    const pressed = this.picked === line.first;
    const queue = this.many() ? queueOf(line.t) : null;
    return el(
      "li",
      {},
      el(
        later ? "button.event.later" : "button.event",
        {
          type: "button",
          "data-first": line.first,
          title: `${gettext("jump to that moment")} · ${line.t.rule}`,
          "aria-pressed": String(pressed),
          "aria-current": line === here ? "true" : null,
          "aria-label": fill(later ? gettext("%(time)s s, later than the moment that is shown: %(text)s") : gettext("%(time)s s: %(text)s"), {
            time: seconds(line.atUs),
            text: queue ? `${queue}: ${sentence.text}` : sentence.text,
          }),
        },
        el("span.time", {}, seconds(line.atUs)),
        el(`span.glyph.tone-${sentence.tone}`, { "aria-hidden": "true" }, sentence.glyph),
        el("span.text", {}, queue && el("b.of-queue", {}, queue), sentence.text + times),
      ),
    );
  }

  /** @param {PointerEvent} event */
  click(event) {
    const button = around(event, "[data-first]");
    if (button) this.choose(Number(button.dataset.first));
  }

  /**
   * Explain the line that began with transition `first`; the same again lets go of it.
   * @param {number} first
   */
  choose(first) {
    this.picked = this.picked === first ? null : first;
    const { lines, later } = this.session.log();
    this.pick([...lines, ...later].find((line) => line.first === this.picked) || null);
    this.update();
  }

  /** Let go of the line without a word to `pick`. */
  release() {
    this.picked = null;
    this.update();
  }

  /**
   * Walk to an older (1) or newer (-1) line.
   * @param {number} direction
   */
  walk(direction) {
    const { lines: before, later } = this.shown();
    const lines = [...before, ...later];
    if (!lines.length) return;
    const at = this.picked === null ? lines.length : lines.findIndex((line) => line.first === this.picked);
    const next = lines[at - direction];
    if (next) this.choose(next.first);
    else if (this.picked !== null && direction < 0) this.choose(this.picked);
  }
}
