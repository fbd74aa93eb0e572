/** "Run until": the run plays, its rows are watched, and it is paused when one of them is what was waited for. */
import { LANES, lengthOf, stateOf } from "./messages.js";
import { shownQueue } from "./shown.js";
import { gettext } from "./text.js";

/** How much of the run's time is waited at most. */
export const BOUND_US = 60_000_000;

const kinds =
  (...names) =>
  ([kind]) =>
    names.includes(kind);

function becomesGamma([, , , , to, extents]) {
  if (to !== "q2" && to !== "q3") return false;
  return Array.isArray(extents) && extents.some((extent) => stateOf(to, extent[4]) === "gamma");
}

function isEmpty(state) {
  const queue = state.queues[shownQueue(state)];
  return LANES.every((lane) => lengthOf(queue, lane) === 0);
}

/**
 * For each condition: its name, whether a row (with the state after it) is it, and the kinds that prove it where
 * only their number is known.
 */
export const CONDITIONS = {
  gamma: { text: () => gettext("a gamma appears"), met: becomesGamma, kinds: [] },
  delta: { text: () => gettext("delta grows"), met: kinds("BetasPushed"), kinds: ["BetasPushed"] },
  memory: {
    text: () => gettext("memory alarm"),
    met: ([kind, , part, values]) => kind === "NodeChanged" && part === "alarms" && values.memory === true,
    kinds: [],
  },
  file: {
    text: () => gettext("store file combined or deleted"),
    met: kinds("FilesCombined", "FileDeleted"),
    kinds: ["FilesCombined", "FileDeleted"],
  },
  read: { text: () => gettext("segment read back"), met: kinds("DeltaRead"), kinds: ["DeltaRead"] },
  empty: {
    text: () => gettext("queue empty"),
    met: (row, state) => TAKES.has(row[0]) && isEmpty(state),
    kinds: [],
  },
};

const TAKES = new Set(["Fetched", "Dropped"]);

export class Until {
  /** `control({play})` reaches the engine; `done({name, how, position})` is told the end of every wait. */
  constructor(session, control, done) {
    Object.assign(this, { session, control, done });
    this.name = null;
    session.watch((row, number, state) => this.see(row, number, state));
    session.listen((change) => this.follow(change));
  }

  /** Wait for a condition. */
  start(name) {
    this.name = name;
    this.from = this.session.nowUs;
    this.began = this.session.play;
    this.found = null;
    this.control({ play: true });
  }

  /** Wait no more; the run goes on as it does. */
  cancel() {
    if (this.name) this.end("cancelled");
  }

  see(row, number, state) {
    if (!this.name || this.found !== null || !CONDITIONS[this.name].met(row, state)) return;
    this.found = number + 1;
    this.control({ play: false });
  }

  follow({ kind, skipped }) {
    if (!this.name) return;
    if (this.found !== null) {
      if (this.found < this.session.next || !this.session.play) this.end("reached", this.found);
    } else if (kind === "snapshot") this.followSkipped(skipped || {});
    else if (this.session.play) this.began = true;
    else if (this.began) {
      this.end("stopped");
      return;
    }
    if (this.name && this.session.nowUs - this.from > BOUND_US) {
      this.control({ play: false });
      this.end("bound");
    }
  }

  /** Transitions were too fast to show: their numbers by kind, or the state itself, may tell. */
  followSkipped(skipped) {
    const { state } = this.session;
    const met =
      CONDITIONS[this.name].kinds.some((kind) => skipped[kind]) ||
      (this.name === "memory" && state.node.alarms.memory) ||
      (this.name === "empty" && skipped.Fetched && isEmpty(state));
    if (!met) return;
    this.control({ play: false });
    this.end("fast");
  }

  end(how, position = null) {
    const { name } = this;
    this.name = null;
    this.done({ name, how, position });
  }
}
