/** The events of a run: what a reader may want to jump to. Each row is looked at once, as it is folded. */
import { KINDS } from "./catalogue/kinds.js";
import { readyOf } from "./messages.js";

const SAME_US = 1_000_000;
const MAX_EVENTS = 200;
/** How many of the smallest events are kept: they go first. */
const MAX_SMALL = 60;

/** Events that are many and small: they have a tick, no name. */
export const SMALL = new Set(["fsync", "roll"]);

const PAGED = new Set(["AlphasPushed", "BetasPushed"]);

/** Paging begins where the target is finite at last, by hand or by the memory monitor. */
function ofTarget({ queue, target }, events) {
  const before = events.targets[queue] ?? null;
  events.targets[queue] = target;
  return before === null && target !== null ? "paging" : null;
}

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

function ofStop({ how }, events) {
  events.stopped = how;
  return how === "clean" || how === "deleted" ? null : "crash";
}

function ofStart(t, events) {
  const { stopped } = events;
  events.stopped = null;
  return stopped === null ? "start" : "restart";
}

/** The first of its kind is an event of its own. */
const first = (name, later) => (t, events) => {
  if (events.seen.has(name)) return later;
  events.seen.add(name);
  return name;
};

/** Kinds whose meaning on the time line depends on what was before; the others' is in the catalogue. */
const DEPENDS = {
  TargetChanged: ofTarget,
  AlphasPushed: first("beta", "out"),
  PendingPaged: first("beta", "out"),
  BetasPushed: first("delta", null),
  NodeChanged: ofAlarms,
  QueueStopped: ofStop,
  QueueStarted: ofStart,
};

export class Events {
  constructor() {
    /** [{number, atUs, type}], oldest first. */
    this.list = [];
    this.targets = {};
    this.alarms = {};
    this.stopped = null;
    this.seen = new Set();
    this.last = {};
    /** Queues that have had something on disk since they were empty last: only then is being empty again an event. */
    this.deep = new Set();
  }

  /**
   * Look at one transition, with the state after it. The same again within a second is the same event.
   * @param {number} number
   * @param {number} atUs
   * @param {any} t
   * @param {any} state
   */
  observe(number, atUs, t, state = null) {
    this.note(number, atUs, this.typeOf(t));
    if (PAGED.has(t.kind)) this.deep.add(t.queue);
    if (!KINDS[t.kind].leaves || !this.deep.has(t.queue) || !state || readyOf(state.queues[t.queue]) > 0) return;
    this.deep.delete(t.queue);
    this.note(number, atUs, "drained");
  }

  typeOf(t) {
    return DEPENDS[t.kind] ? DEPENDS[t.kind](t, this) : KINDS[t.kind].mark;
  }

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
