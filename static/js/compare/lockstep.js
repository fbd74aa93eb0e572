/** Two runs at one time: both playheads go where the clock is, and stop at the events of either. Pure. */
import { History } from "../model/history.js";
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";

/** @import { FrameMessage, SnapshotMessage } from "../model/catalogue/types.js" */

const MAX_ROWS = 100_000;
const MAX_WEIGHT = 3_000_000;

/**
 * A run from the messages about it, and a playhead that can show any moment of it.
 * @param {(FrameMessage | SnapshotMessage)[]} messages
 */
export function runOf(messages) {
  const session = new Session(new History({ maxRows: MAX_ROWS, maxWeight: MAX_WEIGHT }));
  for (const message of messages)
    if (message.t === "snapshot") session.snapshot(message);
    else session.frame(message);
  return new Playhead(session);
}

export class Lockstep {
  /**
   * `runs` are two playheads, `untilUs` is where both end.
   * @param {Playhead[]} runs
   * @param {number} untilUs
   */
  constructor(runs, untilUs) {
    this.runs = runs;
    this.untilUs = untilUs;
    this.us = 0;
    this.playing = false;
    this.speed = 1;
    /** @type {number | null} */
    this.lastMs = null;
    this.events = [...new Set(runs.flatMap((run) => run.timeline.events.map((event) => event.atUs)))].sort(
      (a, b) => a - b,
    );
  }

  /**
   * Show a time in both runs.
   * @param {number} us
   */
  go(us) {
    this.us = Math.max(0, Math.min(us, this.untilUs));
    for (const run of this.runs) run.toTime(this.us);
    if (this.us >= this.untilUs) this.playing = false;
  }

  /**
   * The next (1) or previous (-1) event of either run, or an end of time.
   * @param {number} direction
   */
  event(direction) {
    const found =
      direction > 0
        ? this.events.find((us) => us > this.us)
        : this.events.findLast((us) => us < this.us);
    this.go(found ?? (direction > 0 ? this.untilUs : 0));
  }

  /** Begin or stop to play; at the end it begins anew. */
  toggle() {
    this.playing = !this.playing;
    this.lastMs = null;
    if (this.playing && this.us >= this.untilUs) this.go(0);
  }

  /**
   * Let the time of the screen pass; returns whether it goes on.
   * @param {number} ms
   */
  tick(ms) {
    if (!this.playing) return false;
    const passed = this.lastMs === null ? 0 : Math.min(250, ms - this.lastMs);
    this.lastMs = ms;
    this.go(this.us + passed * 1000 * this.speed);
    return this.playing;
  }
}
