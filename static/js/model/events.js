/** The events of a run: moments that a reader may jump to. Each row is examined once, as it is folded. */
import { KINDS } from "./catalogue/kinds.js";
import { readyOf } from "./messages.js";
import { isCounted } from "./places.js";

/** @import { AnyTransition, Kind, RunSnapshot, Transition, TransitionOf, Values } from "./catalogue/types.js" */

const SAME_US = 1_000_000;
const MAX_EVENTS = 200;
/** How many of the smallest events are kept: they go first. */
const MAX_SMALL = 60;

/** Events that are many and small: they have a tick, no name. */
export const SMALL = new Set(["fsync", "roll"]);

const PAGED = new Set(["AlphasPushed", "BetasPushed"]);

/** @typedef {{ number: number, atUs: number, type: string }} RunEvent a moment that a reader may jump to */

/**
 * Paging begins where the target is finite at last, by hand or by the memory monitor.
 * @param {{ queue: string, target: number | null }} given
 * @param {Events} events
 */
function ofTarget({ queue, target }, events) {
  const before = events.targets[queue] ?? null;
  events.targets[queue] = target;
  return before === null && target !== null ? "paging" : null;
}

/**
 * @param {{ part: string, values: Values }} given
 * @param {Events} events
 */
function ofAlarms({ part, values }, events) {
  if (part !== "alarms") return null;
  const before = events.alarms;
  events.alarms = { ...before, ...values };
  for (const name of ["memory", "disk"]) {
    if (values[name] && !before[name]) return name;
    if (values[name] === false && before[name]) return "calm";
  }
  return null;
}

/**
 * @param {{ how: string }} given
 * @param {Events} events
 */
function ofStop({ how }, events) {
  events.stopped = how;
  return how === "clean" || how === "deleted" ? null : "crash";
}

/**
 * @param {AnyTransition} t
 * @param {Events} events
 */
function ofStart(t, events) {
  const { stopped } = events;
  events.stopped = null;
  return stopped === null ? "start" : "restart";
}

/**
 * The first of its kind is an event of its own.
 * @type {(name: string, later: string | null) => (t: AnyTransition, events: Events) => string | null}
 */
const first = (name, later) => (t, events) => {
  if (events.seen.has(name)) return later;
  events.seen.add(name);
  return name;
};

const toCounted = first("delta", null);

/** The first message of which RAM keeps nothing: published to a lane that is only counted. @type {(t: AnyTransition, events: Events) => string | null} */
function ofPublish(t, events) {
  return typeof t.to === "string" && isCounted(t.to) ? toCounted(t, events) : null;
}

/**
 * Kinds whose meaning on the time line depends on the state before them; the others' is in the catalogue.
 * @type {{ [K in Kind]?: (t: TransitionOf<K>, events: Events) => string | null }}
 */
const DEPENDS = {
  Published: ofPublish,
  TargetChanged: ofTarget,
  AlphasPushed: first("beta", "out"),
  PendingPaged: first("beta", "out"),
  BetasPushed: toCounted,
  NodeChanged: ofAlarms,
  QueueStopped: ofStop,
  QueueStarted: ofStart,
};

export class Events {
  constructor() {
    /** @type {RunEvent[]} oldest first */
    this.list = [];
    /** @type {Record<string, number | null>} */
    this.targets = {};
    /** @type {Record<string, boolean>} */
    this.alarms = {};
    /** @type {string | null} how a queue stopped last */
    this.stopped = null;
    /** @type {Set<string>} */
    this.seen = new Set();
    /** @type {Record<string, number>} when each type came last */
    this.last = {};
    /** @type {Set<string>} queues that have had something on disk since they were empty last: only then is being empty again an event. */
    this.deep = new Set();
  }

  /**
   * Examine one transition, with the state after it. The same again within a second is the same event.
   * @param {number} number
   * @param {number} atUs
   * @param {Transition} t
   * @param {RunSnapshot | null} state
   */
  observe(number, atUs, t, state = null) {
    this.note(number, atUs, this.typeOf(t));
    if (!("queue" in t)) return;
    if (PAGED.has(t.kind) || (t.kind === "Published" && isCounted(t.to ?? ""))) this.deep.add(t.queue);
    if (!KINDS[t.kind].leaves || !this.deep.has(t.queue) || !state || readyOf(state.queues[t.queue]) > 0) return;
    this.deep.delete(t.queue);
    this.note(number, atUs, "drained");
  }

  /** @param {Transition} t */
  typeOf(t) {
    const depends = /** @type {((t: Transition, events: Events) => string | null) | undefined} */ (DEPENDS[t.kind]);
    return depends ? depends(t, this) : KINDS[t.kind].mark;
  }

  /**
   * @param {number} number
   * @param {number} atUs
   * @param {string | null | undefined} type
   */
  note(number, atUs, type) {
    if (!type || atUs - (this.last[type] ?? -Infinity) < SAME_US) return;
    this.last[type] = atUs;
    this.list.push({ number, atUs, type });
    if (this.list.length > MAX_EVENTS) this.trim();
  }

  trim() {
    const small = this.list.filter((event) => SMALL.has(event.type));
    const gone = small.length > MAX_SMALL ? small[0] : this.list[0];
    this.list.splice(this.list.indexOf(gone), 1);
  }
}
