/**
 * What happened since a moment, counted: the twin of engine/replay/tally.py. Conditions read it as `happened.Kind`,
 * `moved.Kind`, `became.gamma` and `stopped.kill` (see paths.js).
 */
import { EXTENT as E } from "./catalogue/rows.js";
import { stateOf } from "./messages.js";
import { aboutPlace } from "./places.js";

/** @param {Record<string, number>} counts */
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

  /** Count a transition. */
  observe({ kind, to, extents, how }) {
    add(this.happened, kind, 1);
    if (kind === "QueueStopped") add(this.stopped, how, 1);
    if (!Array.isArray(extents)) return;
    for (const extent of extents) {
      add(this.moved, kind, extent[E.count]);
      if (to !== null && !aboutPlace(to).unacked) add(this.became, stateOf(to, extent[E.flags]), extent[E.count]);
    }
  }

  /** Count transitions of which only the numbers by kind are known. */
  skip(counts) {
    for (const [kind, count] of Object.entries(counts)) if (count) add(this.happened, kind, count);
  }

  /** A state with the counts, as conditions ask for both. */
  moment(state) {
    return { ...state, happened: this.happened, moved: this.moved, became: this.became, stopped: this.stopped };
  }
}
