/**
 * "Run until": the run plays until a condition comes true, and is paused there. The conditions are written in the one
 * language of conditions (conditions.js); what they count (`happened`, `became`) is counted from the start of the wait.
 */
import { Watch } from "./conditions.js";
import { DEFAULT_QUEUE } from "./messages.js";
import { shownQueue } from "./shown.js";
import { Tally } from "./tally.js";
import { gettext } from "./text.js";

/**
 * @import { State, Transition } from "./catalogue/types.js"
 * @import { Condition } from "./conditions.js"
 * @import { Change, Session } from "./session.js"
 */

/** How much of the run's time is waited at most. */
export const BOUND_US = 60_000_000;

/** @param {string} kind */
const happens = (kind) => ({ path: `happened.${kind}`, op: ">", value: 0 });
/** @param {string} alarm */
const rings = (alarm) => ({ path: `node.alarms.${alarm}`, value: true });

/**
 * For each condition its text, and the condition itself, about a queue and a message. `asks`: it needs a seq_id.
 * @type {Record<string, { text: () => string, when: (queue: string, seq: number) => Condition, asks?: boolean }>}
 */
export const CONDITIONS = {
  gamma: { text: () => gettext("a gamma appears"), when: () => ({ path: "became.gamma", op: ">", value: 0 }) },
  delta: { text: () => gettext("delta grows"), when: () => happens("BetasPushed") },
  memory: { text: () => gettext("memory alarm"), when: () => rings("memory") },
  disk: { text: () => gettext("disk alarm"), when: () => rings("disk") },
  combined: { text: () => gettext("store files combined"), when: () => happens("FilesCombined") },
  deleted: { text: () => gettext("store file deleted"), when: () => happens("FileDeleted") },
  read: { text: () => gettext("segment read back"), when: () => happens("DeltaRead") },
  empty: {
    text: () => gettext("queue empty"),
    when: (queue) => ({
      all: [
        { any: [happens("Fetched"), happens("Dropped")] },
        { path: ["queues", queue, "ready"], value: 0 },
      ],
    }),
  },
  delivered: {
    text: () => gettext("a message is delivered or removed"),
    when: (queue, seq) => ({
      any: ["unacked", "gone"].map((place) => ({ path: ["queues", queue, "place", seq], value: place })),
    }),
    asks: true,
  },
};

/** A condition that is waited for: it has come true when it holds and did not before. */
class Wait {
  /**
   * @param {Condition} condition
   * @param {State} state
   */
  constructor(condition, state) {
    this.watch = new Watch(condition);
    this.tally = new Tally();
    this.held = this.holds(state);
  }

  /** @param {State} state */
  holds(state) {
    return this.watch.holds(this.tally.moment(state));
  }

  /**
   * Whether the condition comes true with a transition; `state` is the one after it.
   * @param {Transition} t
   * @param {State} state
   */
  metBy(t, state) {
    this.tally.observe(t);
    return this.comesTrue(state);
  }

  /**
   * The same of transitions of which only the numbers by kind are known.
   * @param {Record<string, number>} skipped
   * @param {State} state
   */
  metAmong(skipped, state) {
    this.tally.skip(skipped);
    return this.comesTrue(state);
  }

  /** @param {State} state */
  comesTrue(state) {
    const { held } = this;
    this.held = this.holds(state);
    return this.held && !held;
  }
}

export class Until {
  /**
   * `control({play})` reaches the engine; `done({name, how, position})` is told the end of every wait.
   * @param {Session} session
   * @param {(message: { play: boolean }) => void} control
   * @param {(end: { name: string | null, how: string, position: number | null }) => void} done
   */
  constructor(session, control, done) {
    this.session = session;
    this.control = control;
    this.done = done;
    /** @type {string | null} */
    this.name = null;
    /** When the wait began, and whether time has passed since. */
    this.from = 0;
    this.began = false;
    /** @type {{ how: string, position: number | null } | null} how it ends, once that is known */
    this.found = null;
    /** @type {Wait | null} */
    this.wait = null;
    session.watch((t, number, state) => this.observe(t, number, state));
    session.listen((change) => this.follow(change));
  }

  /**
   * Wait until a condition comes true that does not hold yet; one that asks for a message gets its seq_id.
   * @param {string} name
   * @param {number | null} [seq]
   */
  start(name, seq = null) {
    const { state } = this.session;
    this.name = name;
    this.from = this.session.nowUs;
    this.began = this.session.play;
    this.found = null;
    this.wait = new Wait(CONDITIONS[name].when(shownQueue(state) ?? DEFAULT_QUEUE, /** @type {number} */ (seq)), state);
    this.control({ play: true });
  }

  /** Wait no more; the run goes on as it does. */
  cancel() {
    if (this.name) this.end("cancelled");
  }

  /**
   * @param {Transition} t
   * @param {number} number
   * @param {State} state
   */
  observe(t, number, state) {
    if (this.name && !this.found && this.wait?.metBy(t, state)) this.pauseFor("reached", number + 1);
  }

  /**
   * The wait is over, but its end is told when the run stands: until then time passes, whatever a text says.
   * @param {string} how
   * @param {number | null} [position]
   */
  pauseFor(how, position = null) {
    this.found = { how, position };
    this.control({ play: false });
  }

  /** @param {Change} change */
  follow({ kind, skipped }) {
    if (!this.name) return;
    if (!this.found) this.matchEvent(kind, skipped || {});
    else if (kind === "frame" && !this.session.play) this.end(this.found.how, this.found.position);
  }

  /**
   * @param {string} kind
   * @param {Record<string, number>} skipped
   */
  matchEvent(kind, skipped) {
    const stopped = kind !== "snapshot" && !this.session.play && this.began;
    this.began ||= this.session.play;
    if (stopped) this.end("stopped");
    else if (kind === "snapshot" && this.wait?.metAmong(skipped, this.session.state)) this.pauseFor("fast");
    else if (this.session.nowUs - this.from > BOUND_US) this.pauseFor("bound");
  }

  /**
   * @param {string} how
   * @param {number | null} [position]
   */
  end(how, position = null) {
    const { name } = this;
    this.name = null;
    this.done({ name, how, position });
  }
}
