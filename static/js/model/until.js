/** "Run until": the run plays, its rows are watched, and it is paused when one of them is what was waited for. */
import { EXTENT as E } from "./catalogue/rows.js";
import { locate, readyOf, stateOf } from "./messages.js";
import { aboutPlace } from "./places.js";
import { holding } from "./runs.js";
import { shownQueue } from "./shown.js";
import { gettext } from "./text.js";

/** How much of the run's time is waited at most. */
export const BOUND_US = 60_000_000;

const kinds =
  (...names) =>
  ({ kind }) =>
    names.includes(kind);

function becomesGamma({ to, extents }) {
  if (to !== "q2" && to !== "q3") return false;
  return Array.isArray(extents) && extents.some((extent) => stateOf(to, extent[E.flags]) === "gamma");
}

function isEmpty(state) {
  const queue = state.queues[shownQueue(state)];
  return readyOf(queue) === 0;
}

/** Whether a transition hands message `seq` of the queue that is shown to a consumer. */
function deliversMessage({ kind, queue, extents }, state, seq) {
  return DELIVERIES.has(kind) && queue === shownQueue(state) && holding(extents, seq) !== null;
}

/** Whether message `seq` was published and is not ready any more. */
function wasDelivered(state, seq) {
  const queue = state.queues[shownQueue(state)];
  if (!queue || seq >= (queue.counters.next_seq_id ?? 0)) return false;
  const found = locate(queue, seq);
  return !found || aboutPlace(found.place).unacked;
}

const alarmOf =
  (name) =>
  ({ kind, part, values }) =>
    kind === "NodeChanged" && part === "alarms" && values[name] === true;

/**
 * For each condition: its name, whether a transition (with the state after it) is it, the kinds that prove it where only
 * their number is known, and whether a state shows that it has been (`now`). `asks`: it needs a seq_id.
 */
export const CONDITIONS = {
  gamma: { text: () => gettext("a gamma appears"), met: becomesGamma, kinds: [] },
  delta: { text: () => gettext("delta grows"), met: kinds("BetasPushed"), kinds: ["BetasPushed"] },
  memory: {
    text: () => gettext("memory alarm"),
    met: alarmOf("memory"),
    kinds: [],
    now: (state) => Boolean(state.node.alarms.memory),
  },
  disk: {
    text: () => gettext("disk alarm"),
    met: alarmOf("disk"),
    kinds: [],
    now: (state) => Boolean(state.node.alarms.disk),
  },
  combined: {
    text: () => gettext("store files combined"),
    met: kinds("FilesCombined"),
    kinds: ["FilesCombined"],
  },
  deleted: {
    text: () => gettext("store file deleted"),
    met: kinds("FileDeleted"),
    kinds: ["FileDeleted"],
  },
  read: { text: () => gettext("segment read back"), met: kinds("DeltaRead"), kinds: ["DeltaRead"] },
  empty: {
    text: () => gettext("queue empty"),
    met: (t, state) => TAKES.has(t.kind) && isEmpty(state),
    kinds: [],
    now: (state, seq, skipped) => Boolean(skipped.Fetched || skipped.Dropped) && isEmpty(state),
  },
  delivered: {
    text: () => gettext("a message is delivered"),
    met: deliversMessage,
    kinds: [],
    now: wasDelivered,
    asks: true,
  },
};

const TAKES = new Set(["Fetched", "Dropped"]);
const DELIVERIES = new Set(["Fetched", "PublishedDelivered"]);

export class Until {
  /** `control({play})` reaches the engine; `done({name, how, position})` is told the end of every wait. */
  constructor(session, control, done) {
    this.session = session;
    this.control = control;
    this.done = done;
    this.name = null;
    session.watch((t, number, state) => this.see(t, number, state));
    session.listen((change) => this.follow(change));
  }

  /** Wait for a condition, one that asks for a message with its seq_id. */
  start(name, seq = null) {
    this.name = name;
    this.seq = seq;
    this.from = this.session.nowUs;
    this.began = this.session.play;
    this.found = null;
    this.control({ play: true });
  }

  /** Wait no more; the run goes on as it does. */
  cancel() {
    if (this.name) this.end("cancelled");
  }

  see(t, number, state) {
    if (!this.name || this.found || !CONDITIONS[this.name].met(t, state, this.seq)) return;
    this.pauseFor("reached", number + 1);
  }

  /** The wait is over, but its end is told when the run stands: until then time passes, whatever a text says. */
  pauseFor(how, position = null) {
    this.found = { how, position };
    this.control({ play: false });
  }

  follow({ kind, skipped }) {
    if (!this.name) return;
    if (!this.found) this.look(kind, skipped || {});
    else if (kind === "frame" && !this.session.play) this.end(this.found.how, this.found.position);
  }

  look(kind, skipped) {
    if (kind === "snapshot") this.lookAtSkipped(skipped);
    else if (this.session.play) this.began = true;
    else if (this.began) {
      this.end("stopped");
      return;
    }
    if (!this.found && this.session.nowUs - this.from > BOUND_US) this.pauseFor("bound");
  }

  /** Transitions were too fast to show: their numbers by kind, or the state itself, may tell. */
  lookAtSkipped(skipped) {
    const { state } = this.session;
    const { kinds: proving, now } = CONDITIONS[this.name];
    if (proving.some((kind) => skipped[kind]) || now?.(state, this.seq, skipped)) this.pauseFor("fast");
  }

  end(how, position = null) {
    const { name } = this;
    this.name = null;
    this.done({ name, how, position });
  }
}
