/**
 * What happened since a moment, counted: the twin of engine/replay/player.py. Conditions read it as `happened.Kind`,
 * `moved.Kind`, `became.gamma` and `stopped.kill`, the names of paths.js.
 */
import { EXTENT as E } from "./catalogue/rows.js";
import { stateOf } from "./messages.js";
import { aboutPlace } from "./places.js";

/** @import { RunSnapshot, Transition } from "./catalogue/types.js" */

/**
 * @param {Record<string, number>} counts
 * @param {string} name
 * @param {number} more
 */
function add(counts, name, more) {
  counts[name] = (counts[name] ?? 0) + more;
}

export class Tally {
  constructor() {
    /** @type {Record<string, number>} */
    this.happened = {};
    /** @type {Record<string, number>} */
    this.moved = {};
    /** @type {Record<string, number>} */
    this.became = {};
    /** @type {Record<string, number>} */
    this.stopped = {};
  }

  /** The same counts, which may go on apart. */
  copy() {
    return Object.assign(new Tally(), structuredClone({ ...this }));
  }

  /**
   * Count a transition.
   * @param {Transition} t
   */
  observe(t) {
    add(this.happened, t.kind, 1);
    if (t.kind === "QueueStopped") add(this.stopped, t.how, 1);
    if (!("extents" in t)) return;
    for (const extent of t.extents) {
      add(this.moved, t.kind, extent[E.count]);
      if (t.to !== null && !aboutPlace(t.to).unacked) add(this.became, stateOf(t.to, extent[E.flags]), extent[E.count]);
    }
  }

  /**
   * Count transitions of which only the numbers by kind are known.
   * @param {Record<string, number>} counts
   */
  skip(counts) {
    for (const [kind, count] of Object.entries(counts)) if (count) add(this.happened, kind, count);
  }

  /**
   * A state with the counts, as conditions use both.
   * @param {RunSnapshot} state
   */
  moment(state) {
    return { ...state, happened: this.happened, moved: this.moved, became: this.became, stopped: this.stopped };
  }
}
