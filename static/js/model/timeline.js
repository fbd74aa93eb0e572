/** What happened so far, bounded: samples for the charts, marks for the events, lines for the narrative. */
import { KINDS } from "./catalogue/kinds.js";
import { Events } from "./events.js";
import { fateOfStart } from "./fate.js";
import { pendingOf, readyOf } from "./messages.js";
import { isMember } from "./places.js";
import { Activity, Samples } from "./samples.js";
import { total } from "./stretches.js";

/**
 * @import { AnyTransition, Entry, QueueState, State, Transition, TransitionOf, Values } from "./catalogue/types.js"
 * @import { Fate } from "./fate.js"
 */

const MAX_LINES = 300;
const MERGE_US = 1_000_000;

/**
 * A line of the narrative: one transition, or several of a kind that came close together.
 * @typedef {{ number: number, atUs: number, t: AnyTransition, detail: boolean, times: number, messages: number, fate: Fate | null, first: number, sinceUs: number }} Line
 */

/**
 * A target of a queue, with the memory from which it was made.
 * @typedef {{ t: TransitionOf<"TargetChanged">, memory: Values }} Target
 */

/** What a queue shows of its process: too much for a line. */
const CLOCK = new Set(["queue_process", "rate_timer_at_us", "reported_duration", "desired_duration"]);

export class Timeline {
  constructor() {
    this.marks = new Events();
    this.sampling = new Samples();
    this.activity = new Activity();
    /** @type {Line[]} */
    this.lines = [];
    /** @type {Record<string, Target>} */
    this.targets = {};
    /** @type {Record<string, boolean>} which queues' targets were set by hand, by name */
    this.pins = {};
    this.held = 0;
    /**
     * Queues that stopped, with what their recovery found, by name.
     * @type {Record<string, { queue: QueueState, entries: Entry[] }>}
     */
    this.stopped = {};
    /** Parts of the node whose first report of this run has come. */
    this.stated = new Set();
  }

  clear() {
    Object.assign(this, new Timeline());
  }

  get samples() {
    return this.sampling.list;
  }

  get events() {
    return this.marks.list;
  }

  /**
   * The last target of a queue, with the memory from which it was made: {t, memory}; null where there is none.
   * @param {string} queue
   */
  lastTarget(queue) {
    return this.targets[queue] ?? null;
  }

  /**
   * Another queue is shown.
   * @param {string} name
   */
  show(name) {
    this.sampling.show(name);
  }

  /**
   * Note one transition that has just been folded.
   * @param {number} number
   * @param {number} atUs
   * @param {Transition} t
   * @param {State} state
   */
  note(number, atUs, t, state) {
    this.sampling.count(t);
    this.marks.observe(number, atUs, t, state);
    if (t.kind === "TargetChanged") this.target(t, state);
    if (isQuietNode(t) || this.opens(atUs, t)) return;
    this.activity.observe(atUs);
    if (KINDS[t.kind].shown !== "step") this.line(number, atUs, t);
  }

  /**
   * Whether a run begins with it: what its settings are, and that no alarm is set, is no event.
   * @param {number} atUs
   * @param {Transition} t
   */
  opens(atUs, t) {
    if (t.kind !== "NodeChanged" || atUs !== 0 || this.stated.has(t.part)) return false;
    this.stated.add(t.part);
    return t.part === "settings" || (t.part === "alarms" && !t.values.memory && !t.values.disk);
  }

  /**
   * A target that comes with no duration was set by hand (Q43).
   * @param {TransitionOf<"TargetChanged">} t
   * @param {State} state
   */
  target(t, state) {
    this.targets[t.queue] = { t, memory: { ...state.node.memory } };
    this.pins[t.queue] = t.target !== null && typeof t.why.duration !== "number";
  }

  /**
   * Keep what a stop is about to end: together with the start after it, it gives what was lost.
   * @param {Transition} t
   * @param {State} state
   */
  before(t, state) {
    if (t.kind === "IndexRecovered" && this.stopped[t.queue]) this.stopped[t.queue].entries = t.entries;
    if (t.kind !== "QueueStopped") return;
    const queue = state.queues[t.queue];
    this.held = readyOf(queue) + pendingOf(queue);
    if (t.how !== "deleted") this.stopped[t.queue] = { queue, entries: [] };
  }

  /**
   * @param {number} number
   * @param {number} atUs
   * @param {Transition} t
   */
  line(number, atUs, t) {
    const detail = isDetail(t);
    const at = this.continued(atUs, t);
    if (at >= 0) {
      const [line] = this.lines.splice(at, 1);
      this.lines.push(
        Object.assign(line, {
          number,
          atUs,
          t,
          times: line.times + 1,
          messages: line.messages + messagesOf(t),
        }),
      );
      return;
    }
    // A mirror (queue@node) begins empty, and nothing is lost by that.
    const start = t.kind === "QueueStarted" && !isMember(t.queue) ? t : null;
    const messages = start ? this.lost(start) : messagesOf(t);
    const fate = start ? this.fate(start) : null;
    this.lines.push({ number, atUs, t, detail, times: 1, messages, fate, first: number, sinceUs: atUs });
    if (this.lines.length > MAX_LINES) this.lines.splice(0, this.lines.length - MAX_LINES);
  }

  /**
   * What became of a queue's messages that stopped before; null where it only begins.
   * @param {TransitionOf<"QueueStarted">} t
   */
  fate({ queue, values }) {
    const before = this.stopped[queue];
    delete this.stopped[queue];
    return before ? fateOfStart(before, values.len ?? 0) : null;
  }

  /**
   * How many messages of before the stop are not there any more.
   * @param {TransitionOf<"QueueStarted">} t
   */
  lost({ values }) {
    const lost = Math.max(0, this.held - (values.len ?? 0));
    this.held = 0;
    return lost;
  }

  /**
   * Index of a recent line of which this transition is more of the same, or -1.
   * @param {number} atUs
   * @param {AnyTransition} t
   */
  continued(atUs, t) {
    for (let at = this.lines.length - 1; at >= Math.max(0, this.lines.length - 12); at -= 1) {
      const line = this.lines[at];
      if (
        line.t.kind === t.kind &&
        line.detail === isDetail(t) &&
        atUs - line.sinceUs < MERGE_US &&
        mergeable(line.t, t)
      )
        return at;
    }
    return -1;
  }

  /**
   * Take a sample of the state for the charts.
   * @param {number} atUs
   * @param {State} state
   */
  sample(atUs, state) {
    this.sampling.take(atUs, state);
  }
}

/**
 * How many messages a transition moves or counts, where it does either.
 * @param {AnyTransition} t
 */
export function messagesOf(t) {
  if (t.kind === "Reduced") return movedBy(t.why ?? {});
  return KINDS[t.kind].fold === "shift" ? total(t.extents ?? []) : (t.count ?? 0);
}

/** @param {AnyTransition} t */
function isDetail(t) {
  return KINDS[t.kind].shown === "detail" || (t.kind === "Reduced" && !movedBy(t.why ?? {}));
}

/**
 * How many messages a reduction moved in all its steps.
 * @param {Values} why
 */
export function movedBy(why) {
  return (why.q1_moved || 0) + (why.q4_moved || 0) + (why.pending_paged || 0) + (why.betas_moved || 0);
}

/**
 * Two transitions of a kind are one line when their sentences are the same: which client, which queue, from which lane to which.
 * @param {AnyTransition} last
 * @param {AnyTransition} t
 */
function mergeable(last, t) {
  const before = /** @type {Values} */ (last);
  return Object.entries(t).every(
    ([name, value]) => name === "rule" || (value !== null && typeof value !== "string") || before[name] === value,
  );
}

/**
 * Numbers of the node that tick all the time are charts, not events.
 * @param {Transition} t
 */
function isQuietNode(t) {
  if (t.kind === "NodeChanged") return t.part === "memory" || t.part === "clock" || t.part === "disk";
  if (t.kind === "ActorChanged") return t.values !== null && !("state" in t.values) && !("running" in t.values);
  if (t.kind === "ProcessChanged") return !t.values?.state || "kind" in t.values;
  if (t.kind === "QueueChanged") return Object.keys(t.values).every((name) => CLOCK.has(name));
  return false;
}
