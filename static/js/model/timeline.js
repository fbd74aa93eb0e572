/** What happened so far, bounded: samples for the charts, marks for the events, lines for the narrative. */
import { KINDS } from "./catalogue/kinds.js";
import { Events } from "./events.js";
import { fateOfStart, foundBy } from "./fate.js";
import { pendingOf, readyOf } from "./messages.js";
import { isMember } from "./places.js";
import { Activity, Samples } from "./samples.js";
import { total } from "./stretches.js";

/**
 * @import { AnyTransition, QueueSnapshot, RunSnapshot, Transition, TransitionOf, Values } from "./catalogue/types.js"
 * @import { Fate } from "./fate.js"
 * @import { Numbered } from "./stretches.js"
 */

const MAX_LINES = 300;
const MERGE_US = 1_000_000;
const MOST_PASSES = 6;

/**
 * A line of the narrative: one transition, or several of a kind that came close together.
 * `whole` is that one, or its like with the sums of all of them; `passes` are the last of them, oldest first.
 * @typedef {{ number: number, atUs: number, t: AnyTransition, whole: AnyTransition, passes: Pass[], detail: boolean, times: number, messages: number, fate: Fate | null, first: number, sinceUs: number, target: Target | null, moment: Moment }} Line
 * @typedef {{ atUs: number, t: AnyTransition }} Pass
 */

/**
 * What governed a moment: the node's settings, and the prefetch of its consumers where they agree.
 * @typedef {{ settings: Values, prefetch: number | undefined }} Moment
 */

/**
 * A target of a queue, with the memory from which it was made.
 * @typedef {{ t: TransitionOf<"TargetChanged">, memory: Values }} Target
 */

/** What a queue shows of its process: too much for a line. */
const CLOCK = new Set(["queue_process", "rate_timer_at_us", "reported_duration", "desired_duration"]);

/** Parts of the node that are counted all the time: a stop, a start and an alarm have lines of their own. */
const QUIET = new Set(["memory", "clock", "disk", "cluster"]);

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
     * @type {Record<string, { queue: QueueSnapshot, entries: Numbered[] }>}
     */
    this.stopped = {};
    /** @type {Moment | null} what governs now; null where it must be read again */
    this.moment = null;
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
   * @param {RunSnapshot} state
   */
  note(number, atUs, t, state) {
    this.sampling.count(t);
    this.marks.observe(number, atUs, t, state);
    if (t.kind === "TargetChanged") this.target(t, state);
    if (governsAnew(t)) this.moment = null;
    if (isQuietNode(t) || this.opens(atUs, t)) return;
    this.activity.observe(atUs);
    if (KINDS[t.kind].shown === "step") return;
    this.moment ??= momentOf(state);
    this.line(number, atUs, t, { target: this.targetIn(state, /** @type {AnyTransition} */ (t).queue), moment: this.moment });
  }

  /**
   * The target that a queue has in a state, with where it comes from; null where that was not seen.
   * @param {RunSnapshot} state
   * @param {string | undefined} queue
   */
  targetIn(state, queue) {
    const found = queue === undefined ? undefined : this.targets[queue];
    return found && found.t.target === state.queues[found.t.queue]?.counters.target_ram_count ? found : null;
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
   * Keep a target with the memory of its moment, and whether it was set by hand (Q43).
   * @param {TransitionOf<"TargetChanged">} t
   * @param {RunSnapshot} state
   */
  target(t, state) {
    this.targets[t.queue] = { t, memory: { ...state.node.memory } };
    this.pins[t.queue] = causeOf(t) === "pinned";
  }

  /**
   * Keep what a stop is about to end: together with the start after it, it gives what was lost.
   * @param {Transition} t
   * @param {RunSnapshot} state
   */
  before(t, state) {
    const found = foundBy(t);
    if (found && "queue" in t && this.stopped[t.queue]) this.stopped[t.queue].entries = found;
    if (t.kind !== "QueueStopped") return;
    const queue = state.queues[t.queue];
    this.held = readyOf(queue) + pendingOf(queue);
    if (t.how !== "deleted") this.stopped[t.queue] = { queue, entries: [] };
  }

  /**
   * @param {number} number
   * @param {number} atUs
   * @param {Transition} t
   * @param {{ target: Target | null, moment: Moment }} known what held when it happened
   */
  line(number, atUs, t, known) {
    const detail = isDetail(t);
    const at = this.continued(atUs, t);
    if (at >= 0) {
      const [line] = this.lines.splice(at, 1);
      this.lines.push(
        Object.assign(line, {
          number,
          atUs,
          t,
          whole: summed(line.whole, t),
          passes: [...line.passes, { atUs, t }].slice(-MOST_PASSES),
          times: line.times + 1,
          messages: line.messages + messagesOf(t),
          ...known,
        }),
      );
      return;
    }
    // A mirror (queue@node) begins empty, and nothing is lost by that.
    const start = t.kind === "QueueStarted" && !isMember(t.queue) ? t : null;
    const messages = start ? this.lost(start) : messagesOf(t);
    const fate = start ? this.fate(start) : null;
    this.lines.push({ ...lineOf(number, atUs, t, known), detail, messages, fate });
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
   * Take a sample of the state for the charts: after a transition, or where the state came whole.
   * @param {number} atUs
   * @param {RunSnapshot} state
   * @param {Transition | null} [t]
   */
  sample(atUs, state, t = null) {
    this.sampling.take(atUs, state, t && queueChangedBy(t));
  }
}

/**
 * A line for one transition alone.
 * @param {number} number
 * @param {number} atUs
 * @param {AnyTransition} t
 * @param {{ target: Target | null, moment: Moment }} known what held when it happened
 * @returns {Line}
 */
export function lineOf(number, atUs, t, known) {
  return { number, atUs, t, whole: t, passes: [{ atUs, t }], detail: isDetail(t), times: 1, messages: messagesOf(t), fate: null, first: number, sinceUs: atUs, ...known };
}

/**
 * Where a target comes from: the node's check, a hand, or a conversion to lazy (Q43, Q56).
 * @param {TransitionOf<"TargetChanged">} t
 */
export function causeOf({ target, why }) {
  if (why.restored) return "restored";
  if (why.pinned !== undefined) return why.pinned ? "pinned" : "freed";
  if (typeof why.duration === "number") return "computed";
  return target === null ? "unlimited" : "converting";
}

/**
 * What governs in a state.
 * @param {RunSnapshot} state
 * @returns {Moment}
 */
export function momentOf({ node }) {
  const found = new Set(
    Object.values(node.actors)
      .filter((actor) => actor.role === "consumer")
      .map((actor) => actor.prefetch),
  );
  return { settings: { ...node.settings }, prefetch: found.size === 1 ? [...found][0] : undefined };
}

/**
 * Whether after a transition something else governs.
 * @param {Transition} t
 */
function governsAnew(t) {
  if (t.kind === "NodeChanged") return t.part === "settings";
  return t.kind === "ActorChanged" && (t.values === null || "prefetch" in t.values || "role" in t.values);
}

/**
 * How many messages a transition moves or counts, where it does either.
 * @param {AnyTransition} t
 */
export function messagesOf(t) {
  if (t.kind === "Reduced") return movedBy(t.why ?? {});
  return KINDS[t.kind].fold === "shift" ? total(t.extents ?? []) : (t.count ?? total(t.runs ?? []));
}

/**
 * The queue that a transition changed, "" for none, null for any: a gauge of a queue may hang on the node's settings.
 * @param {Transition} t
 */
function queueChangedBy(t) {
  if ("queue" in t) return t.queue;
  return t.kind === "NodeChanged" && t.part === "settings" ? null : "";
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
  return MOVED.reduce((sum, name) => sum + (why[name] || 0), 0);
}

/** What the steps of a reduction moved. */
const MOVED = ["q1_moved", "q4_moved", "pending_paged", "betas_moved"];

/**
 * The later one of two reductions with what both moved; of other kinds the later one.
 * @param {AnyTransition} before
 * @param {AnyTransition} t
 * @returns {AnyTransition}
 */
function summed(before, t) {
  if (t.kind !== "Reduced") return t;
  const [one, other] = [before.why ?? {}, t.why ?? {}];
  const moved = MOVED.filter((name) => name in one || name in other).map((name) => [name, (one[name] || 0) + (other[name] || 0)]);
  return { ...t, why: { ...other, ...Object.fromEntries(moved) } };
}

/**
 * Two transitions of a kind are one line when their sentences are the same: which client, which queue, from which lane to which.
 * @param {AnyTransition} last
 * @param {AnyTransition} t
 */
function mergeable(last, t) {
  const before = /** @type {Values} */ (last);
  if (t.kind === "HappenedElsewhere") return before.vhost === t.vhost;
  return Object.entries(t).every(
    ([name, value]) => name === "rule" || (value !== null && typeof value !== "string") || before[name] === value,
  );
}

/**
 * Numbers of the node that tick all the time are charts, not events.
 * @param {Transition} t
 */
function isQuietNode(t) {
  if (t.kind === "NodeChanged") return QUIET.has(t.part);
  if (t.kind === "ActorChanged") return t.values !== null && !("state" in t.values) && !("running" in t.values);
  if (t.kind === "ProcessChanged") return !t.values?.state || "kind" in t.values;
  if (t.kind === "QueueChanged") return Object.keys(t.values).every((name) => CLOCK.has(name));
  return false;
}
