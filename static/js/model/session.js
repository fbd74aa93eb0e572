/** A session as the page has it: the state, the history, and the time of the run. Frames come in, listeners are notified. */
import { decode } from "./catalogue/rows.js";
import { Deleted, History } from "./history.js";
import { chooseHost, stateHere, transitionHere } from "./hosts.js";
import { Numbers } from "./numbers.js";
import { emptyState, fold } from "./reduce.js";
import { PlayClock } from "./play-clock.js";
import { Timeline } from "./timeline.js";
import { Unsynced } from "./unsynced.js";

/** @import { FrameMessage, SnapshotMessage, RunSnapshot, Transition, TransitionRow } from "./catalogue/types.js" */

/**
 * What listeners get after a batch: how it came, and how many rows it had.
 * @typedef {{ kind: string, rows: number, why?: string, skipped?: Record<string, number> | null, frame?: Frame }} Change
 */

/**
 * A whole state and a batch of rows as a host sends them, or as a page makes them of a record that it has.
 * @typedef {Omit<SnapshotMessage, "t" | "skipped"> & { skipped: Record<string, number> | null }} Snapshot
 * @typedef {Omit<FrameMessage, "t">} Frame
 */

/** How often listeners are notified when only time has passed. */
const PASSED_MS = 500;

/** @typedef {(t: Transition, number: number, state: RunSnapshot) => void} Watcher that is called with each transition, with the state after it */

export class Session {
  constructor(past = new History()) {
    this.state = emptyState();
    this.timeline = new Timeline();
    this.history = past;
    this.numbers = new Numbers();
    this.unsynced = new Unsynced();
    this.deleted = new Deleted();
    this.next = 0;
    /** The position from which on the time line has the run. */
    this.timelineFrom = Infinity;
    /** The moment that is shown, and the one up to which it is known what happened: between two messages time passes by itself. */
    this.nowUs = 0;
    this.knownUs = 0;
    this.clock = new PlayClock();
    this.notifiedMs = 0;
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
    /** @type {(() => void)[]} */
    this.timeWatchers = [];
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

  /**
   * Call `watcher()` many times a second while time passes: only the moment that is shown is another one.
   * @param {() => void} watcher
   */
  watchTime(watcher) {
    this.timeWatchers.push(watcher);
  }

  /** @param {Change} change */
  notify(change) {
    this.version += 1;
    for (const listener of this.listeners) listener(change);
  }

  /** Another run begins: forget what is known of this one. */
  forget() {
    this.timeline.clear();
    this.history.clear();
    this.numbers.clear();
    this.deleted.clear();
    this.timelineFrom = Infinity;
  }

  /**
   * Time passes without a message until `ms` of the page's time.
   * @param {number} ms
   */
  pass(ms) {
    const us = this.clock.at(ms);
    if (us === this.nowUs) return;
    this.nowUs = us;
    for (const watcher of this.timeWatchers) watcher();
    if (ms - this.notifiedMs < PASSED_MS) return;
    this.notifiedMs = ms;
    this.notify({ kind: "passed", rows: 0 });
  }

  /**
   * Show no later moment before the next message.
   * @param {number} ms
   */
  hold(ms) {
    this.clock.hold(ms);
    this.pass(ms);
  }

  /**
   * Everything up to a moment is known, and the clock goes on as the message prescribes.
   * @param {number} us
   * @param {number} ms
   * @param {{ to_us?: number | null, pace?: number | null }} ahead
   * @param {boolean} goesOn whether time passes as before
   */
  reach(us, ms, { to_us: toUs, pace }, goesOn) {
    this.clock[goesOn ? "follow" : "set"](us, ms, toUs ?? us, pace ?? this.speed);
    this.knownUs = us;
    this.nowUs = this.clock.us;
    this.notifiedMs = ms;
  }

  /**
   * Take the whole state at once.
   * @param {Snapshot} message
   * @param {number} [ms] the page's time
   */
  snapshot(message, ms = 0) {
    const { next, digest } = this;
    const other = message.next === next && digest && message.digest && digest !== message.digest;
    if (message.next < next || other) this.forget();
    this.timelineFrom = Math.min(this.timelineFrom, message.next);
    chooseHost(message.state);
    this.state = stateHere(message.state);
    this.numbers.take(this.state);
    this.unsynced.clear();
    this.next = message.next;
    this.reach(message.at_us, ms, message, this.play && message.why !== "join");
    this.digest = message.digest;
    this.skipped = message.why === "join" ? null : message.skipped;
    for (const [kind, count] of Object.entries(message.skipped || {})) if (count) this.seen.add(kind);
    this.history.snapshot(this.next, this.knownUs, this.state);
    this.timeline.moment = null;
    this.timeline.sample(this.knownUs, this.state);
    this.notify({ kind: "snapshot", rows: 0, why: message.why, skipped: message.skipped });
  }

  /**
   * Fold the rows of a frame.
   * @param {Frame} message
   * @param {number} [ms] the page's time
   */
  frame(message, ms = 0) {
    message.rows.forEach((row, at) => {
      const us = message.at_us[at];
      const t = transitionHere(decode(/** @type {TransitionRow} */ (row)), this.state);
      this.timeline.before(t, this.state);
      fold(this.state, t);
      this.seen.add(t.kind);
      this.numbers.observe(t);
      this.unsynced.observe(t, us);
      this.deleted.observe(t, message.first + at);
      this.history.add(t, us, this.state);
      for (const watcher of this.watchers) watcher(t, message.first + at, this.state);
      this.timeline.note(message.first + at, us, t, this.state);
      this.timeline.sample(us, this.state, t);
    });
    this.next = message.first + message.rows.length;
    this.digest = message.digest ?? this.digest;
    const before = { play: this.play, speed: this.speed };
    this.play = message.play ?? this.play;
    this.speed = message.speed ?? this.speed;
    const goesOn = this.play && before.play && this.speed === before.speed;
    this.reach(message.now_us ?? this.knownUs, ms, message, goesOn);
    if (message.rows.length) this.skipped = null;
    this.notify({ kind: "frame", rows: message.rows.length, frame: message });
  }
}
