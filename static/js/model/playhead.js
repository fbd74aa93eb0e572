/**
 * Which moment is shown: the present of a session, or a moment of its past. To the views it is what the session
 * is: state, time, what happened. It changes what is shown and never the run.
 */
import { SMALL } from "./events.js";
import { Timeline, momentOf } from "./timeline.js";
import { Unsynced } from "./unsynced.js";

/**
 * @import { RunSnapshot } from "./catalogue/types.js"
 * @import { Session } from "./session.js"
 * @import { Line, Target } from "./timeline.js"
 */

const ROWS = 400;
const REASON_US = 200_000;
/** Rows that are noted again for lines which went on after a moment: those of one second, in a busy run. */
const MERGED = 5000;

/**
 * Another moment is shown: how many rows lie between, and who moved there.
 * @typedef {{ kind: string, rows: number, from: unknown }} Move
 */

export class Playhead {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.history = session.history;
    this.epoch = this.history.epoch;
    /** @type {number?} the position that is shown; null at the present */
    this.at = null;
    this.us = 0;
    this.stepped = false;
    /** @type {{ at: number, state: RunSnapshot } | null} */
    this.folded = null;
    /** @type {((move: Move) => void)[]} */
    this.listeners = [];
    /** @type {{ at: number | null, found: Unsynced } | null} the last result, and the moment that it belongs to */
    this.unsyncedAt = null;
    session.listen(() => {
      if (this.epoch !== this.history.epoch) this.now();
      this.epoch = this.history.epoch;
    });
  }

  /**
   * Call `listener({rows, kind, from})` whenever another moment is shown.
   * @param {(move: Move) => void} listener
   */
  listen(listener) {
    this.listeners.push(listener);
  }

  get behind() {
    return this.at !== null;
  }

  get position() {
    return this.at ?? this.session.next;
  }

  get state() {
    return this.folded ? this.folded.state : this.session.state;
  }

  get nowUs() {
    return this.behind ? this.us : this.session.nowUs;
  }

  /** Up to where it is known what happened, at the moment that is shown. */
  get knownUs() {
    return this.behind ? this.us : this.session.knownUs;
  }

  /** What no fsync had covered at the moment that is shown. */
  get unsynced() {
    if (!this.behind) return this.session.unsynced;
    if (this.unsyncedAt?.at !== this.at)
      this.unsyncedAt = { at: this.at, found: Unsynced.of(this.history.rowsBefore(this.position, ROWS)) };
    return this.unsyncedAt.found;
  }

  /**
   * The segments of a queue that were deleted by the moment that is shown: {count, first, last}.
   * @param {string} queue
   */
  deletedSegments(queue) {
    return this.session.deleted.before(queue, this.position);
  }

  get numbers() {
    return this.session.numbers;
  }

  get timeline() {
    return this.session.timeline;
  }

  /** Whether time passes in what is shown. */
  get play() {
    return !this.behind && this.session.play;
  }

  get speed() {
    return this.session.speed;
  }

  get skipped() {
    return this.behind ? null : this.session.skipped;
  }

  /** Transitions that could not be shown, right before and after this moment. */
  get gaps() {
    return this.history.gapsAt(this.position);
  }

  /**
   * Show a position, at a time after it if `us` is given; the last one is the present unless an earlier time is
   * given. Returns whether it can be shown.
   * @param {number} position
   * @param {{ us?: number | null, stepped?: boolean, from?: unknown }} [how]
   */
  go(position, { us = null, stepped = false, from = null } = {}) {
    if (position >= this.session.next && us === null) return this.now(from);
    const state = this.fold(position);
    if (!state) return false;
    const moved = Math.abs(position - this.position);
    this.folded = { at: position, state };
    this.at = position;
    this.us = us ?? this.history.timeOf(position) ?? 0;
    this.stepped = stepped;
    this.notify(moved, from);
    return true;
  }

  /**
   * The state of a position, from the one that is shown where that is the shorter way.
   * @param {number} position
   */
  fold(position) {
    const { folded, history: past } = this;
    const near = folded && position >= folded.at && position - folded.at < 50;
    if (near && past.stretchAt(position) === past.stretchAt(folded.at))
      return past.has(position) ? past.foldOn(folded.state, folded.at, position) : null;
    return past.stateAt(position);
  }

  /**
   * @param {number} rows
   * @param {unknown} from
   */
  notify(rows, from) {
    for (const listener of this.listeners) listener({ rows, kind: "time", from });
  }

  /**
   * Show the present again.
   * @param {unknown} [from]
   */
  now(from = null) {
    if (this.at === null) return false;
    const moved = this.session.next - this.at;
    this.at = null;
    this.folded = null;
    this.notify(moved, from);
    return true;
  }

  back() {
    const position = this.history.neighbour(this.position, -1);
    return position !== null && this.go(position, { stepped: true });
  }

  /** One transition on, through the past; false at the present. */
  forward() {
    if (this.at === null) return false;
    const position = this.history.neighbour(Math.max(this.at, this.history.start - 1), 1);
    return position === null ? this.now() : this.go(position, { stepped: true });
  }

  home() {
    return this.go(this.history.start);
  }

  /**
   * Show a time: everything that had happened by then.
   * @param {number} us
   */
  toTime(us) {
    if (us >= this.session.nowUs) return this.now();
    const position = this.history.positionAt(us);
    const time = this.history.timeOf(position) ?? 0;
    return this.go(position, { us: this.history.gapsAt(position).after || us < time ? time : us });
  }

  /**
   * The previous or next event (-1, 1) of the dock; the beginning or the present where there is none.
   * @param {number} direction
   */
  event(direction) {
    const here = this.position;
    const places = this.timeline.events
      .filter((event) => !SMALL.has(event.type))
      .map((event) => event.number + 1)
      .filter((position) => this.history.has(position) && Math.sign(position - here) === direction);
    if (direction > 0) return places.length ? this.go(Math.min(...places)) : this.now();
    return places.length ? this.go(Math.max(...places)) : this.home();
  }

  /** What led to this moment: lines as in the narrative, the newest last. */
  reasons() {
    if (!this.behind) return { lines: this.timeline.lines };
    const timeline = new Timeline();
    for (const { number, us, t } of this.history.rowsBefore(this.position, ROWS))
      if (this.us - us <= REASON_US) timeline.note(number, us, t, this.state);
    for (const line of timeline.lines) {
      const started = this.timeline.lines.find((each) => each.number === line.number);
      if (started && line.t.kind === "QueueStarted") Object.assign(line, { messages: started.messages, fate: started.fate });
    }
    return { lines: this.stepped ? timeline.lines.slice(-1) : timeline.lines };
  }

  /**
   * The log as this moment has it, and the lines that came later, each the newest last. A line that had begun by then has counted what
   * had happened by then.
   * @returns {{ lines: Line[], later: Line[] }}
   */
  log() {
    const { lines } = this.timeline;
    if (!this.behind) return { lines, later: [] };
    const { position } = this;
    const parts = this.begun(lines.filter(({ first, number }) => first < position && position <= number));
    const known = new Set(parts.map(({ first }) => first));
    return {
      lines: [...lines.filter(({ number }) => number < position), ...parts].sort((one, other) => one.number - other.number),
      later: lines.filter(({ first, number }) => number >= position && !known.has(first)),
    };
  }

  /**
   * Lines that went on after the moment that is shown, as far as they had come: noted again from where the first of them begins.
   * @param {Line[]} lines
   */
  begun(lines) {
    const firsts = new Set(lines.map(({ first }) => first));
    const count = this.position - Math.min(...firsts);
    if (!firsts.size || count > MERGED) return [];
    const again = new Timeline();
    for (const { number, us, t } of this.history.rowsBefore(this.position, count)) again.note(number, us, t, this.state);
    return again.lines.filter(({ first }) => firsts.has(first));
  }

  /**
   * What held when a line happened, from what is kept of the run: its queue's target, and what governed.
   * @param {Pick<Line, "number" | "t" | "target" | "moment">} line
   */
  heldAt({ number, t, target, moment }) {
    if (!this.behind) return { target, moment };
    const then = this.history.stateAt(number + 1);
    return {
      target: t.queue === undefined ? null : this.lastTarget(t.queue, number + 1),
      moment: then ? momentOf(then) : moment,
    };
  }

  /**
   * The last target of a queue before a position, with the memory from which it was made.
   * @param {string} queue
   * @param {number} [position] the moment that is shown
   * @returns {Target | null}
   */
  lastTarget(queue, position = this.position) {
    const found = this.history.lastBefore(position, (t) => t.kind === "TargetChanged" && t.queue === queue);
    if (found?.t.kind !== "TargetChanged") return null;
    return { t: found.t, memory: this.history.stateAt(found.number + 1)?.node.memory ?? {} };
  }
}
