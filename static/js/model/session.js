/** What the page knows of a session: the state, the history, and where the run is. Frames in, listeners told. */
import { decode } from "./catalogue/rows.js";
import { Deleted } from "./deleted.js";
import { History } from "./history.js";
import { Numbers } from "./numbers.js";
import { emptyState, fold } from "./reduce.js";
import { Timeline } from "./timeline.js";
import { Unsynced } from "./unsynced.js";

/** @import { FrameMessage, SnapshotMessage, State, Transition, TransitionRow } from "./catalogue/types.js" */

/**
 * What listeners are told after a batch: how it came, and how many rows it had.
 * @typedef {{ kind: string, rows: number, why?: string, skipped?: Record<string, number> | null, frame?: Frame }} Change
 */

/**
 * A whole state and a batch of rows as a host sends them, or as a page makes them of a record that it has.
 * @typedef {Omit<SnapshotMessage, "t" | "skipped"> & { skipped: Record<string, number> | null }} Snapshot
 * @typedef {Omit<FrameMessage, "t">} Frame
 */

/** @typedef {(t: Transition, number: number, state: State) => void} Watcher who is told each transition, with the state after it */

export class Session {
  constructor(past = new History()) {
    this.state = emptyState();
    this.timeline = new Timeline();
    this.history = past;
    this.numbers = new Numbers();
    this.unsynced = new Unsynced();
    this.deleted = new Deleted();
    this.next = 0;
    /** The position from which on the time line tells of the run. */
    this.toldFrom = Infinity;
    this.nowUs = 0;
    /** Where the run ends, if that is known and can be gone to; it begins there otherwise. */
    this.endsUs = 0;
    this.digest = "";
    this.play = false;
    this.speed = 1;
    /** @type {Record<string, number> | null} */
    this.skipped = null;
    this.version = 0;
    /** @type {((change: Change) => void)[]} */
    this.listeners = [];
    /** @type {Watcher[]} */
    this.watchers = [];
    /** @type {Set<string>} */
    this.seen = new Set();
  }

  /**
   * Call `listener(change)` after every batch; change is {rows, kind}.
   * @param {(change: Change) => void} listener
   */
  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Call `watcher(t, number, state)` for every transition, with the state after it.
   * @param {Watcher} watcher
   */
  watch(watcher) {
    this.watchers.push(watcher);
  }

  /** @param {Change} change */
  notify(change) {
    this.version += 1;
    for (const listener of this.listeners) listener(change);
  }

  /** Another run comes: what was told of this one is not of it. */
  forget() {
    this.timeline.clear();
    this.history.clear();
    this.numbers.clear();
    this.deleted.clear();
    this.toldFrom = Infinity;
  }

  /**
   * Take the whole state at once.
   * @param {Snapshot} message
   */
  snapshot(message) {
    const { next, digest } = this;
    const other = message.next === next && digest && message.digest && digest !== message.digest;
    if (message.next < next || other) this.forget();
    this.toldFrom = Math.min(this.toldFrom, message.next);
    this.state = message.state;
    this.numbers.take(this.state);
    this.unsynced.clear();
    this.next = message.next;
    this.nowUs = message.at_us;
    this.digest = message.digest;
    this.skipped = message.why === "join" ? null : message.skipped;
    for (const [kind, count] of Object.entries(message.skipped || {})) if (count) this.seen.add(kind);
    this.history.snapshot(this.next, this.nowUs, this.state);
    this.timeline.sample(this.nowUs, this.state);
    this.notify({ kind: "snapshot", rows: 0, why: message.why, skipped: message.skipped });
  }

  /**
   * Fold the rows of a frame.
   * @param {Frame} message
   */
  frame(message) {
    message.rows.forEach((row, at) => {
      const us = message.at_us[at];
      const t = decode(/** @type {TransitionRow} */ (row));
      this.timeline.before(t, this.state);
      fold(this.state, t);
      this.seen.add(t.kind);
      this.numbers.observe(t);
      this.unsynced.observe(t, us);
      this.deleted.observe(t, message.first + at);
      this.history.add(t, us, this.state);
      for (const watcher of this.watchers) watcher(t, message.first + at, this.state);
      this.timeline.note(message.first + at, us, t, this.state);
      if (message.rows.length < 60) this.timeline.sample(us, this.state);
    });
    this.next = message.first + message.rows.length;
    this.nowUs = message.now_us ?? this.nowUs;
    this.digest = message.digest ?? this.digest;
    this.play = message.play ?? this.play;
    this.speed = message.speed ?? this.speed;
    if (message.rows.length) this.skipped = null;
    this.timeline.sample(this.nowUs, this.state);
    this.notify({ kind: "frame", rows: message.rows.length, frame: message });
  }
}
