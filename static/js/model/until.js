/**
 * "Run until": the run plays until a condition comes true, and is paused there. The conditions are written in the one
 * language of conditions (conditions.js); what they count (`happened`, `became`) is counted from the start of the wait.
 * Where it came true among transitions that were too fast to show, the moment is requested from the past.
 */
import { Watch } from "./conditions.js";
import { ownOrUsual } from "./generations.js";
import { DEFAULT_QUEUE } from "./messages.js";
import { fold } from "./reduce.js";
import { shownQueue, shownState } from "./shown.js";
import { Tally } from "./tally.js";
import { gettext } from "./text.js";

/**
 * @import { RunSnapshot, Transition } from "./catalogue/types.js"
 * @import { Condition } from "./conditions.js"
 * @import { Change, Session } from "./session.js"
 */

/** How much of the run's time is waited at most. */
export const BOUND_US = 60_000_000;

/** @param {string} kind */
export const happens = (kind) => ({ path: `happened.${kind}`, op: ">", value: 0 });
/** @param {string} alarm */
const rings = (alarm) => ({ path: `node.alarms.${alarm}`, value: true });

/**
 * For each condition its text, and the condition itself, for a queue and a message. `ofMessage`: it needs a seq_id.
 * @typedef {Record<string, { text: () => string, when: (queue: string, seq: number) => Condition, ofMessage?: boolean }>} Conditions
 */

/** @type {Conditions} */
const OF_MESSAGES = {
  gamma: { text: () => gettext("a gamma appears"), when: () => ({ path: "became.gamma", op: ">", value: 0 }) },
};
/** @type {Conditions} */
const OF_ALL = {
  memory: { text: () => gettext("memory alarm"), when: () => rings("memory") },
  disk: { text: () => gettext("disk alarm"), when: () => rings("disk") },
  deleted: { text: () => gettext("store file deleted"), when: () => happens("FileDeleted") },
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
    ofMessage: true,
  },
};

/**
 * The conditions for the queue that a state shows: those of its kind stand between what all kinds of queues have.
 * @param {RunSnapshot} state
 * @returns {Conditions}
 */
export const conditionsOf = (state) => ({ ...OF_MESSAGES, ...ownOrUsual(shownState(state), "until"), ...OF_ALL });

/** A condition that is waited for: it has come true when it holds and did not before. */
class Wait {
  /**
   * @param {Condition} condition
   * @param {RunSnapshot} state
   */
  constructor(condition, state, tally = new Tally()) {
    this.watch = new Watch(condition);
    this.tally = tally;
    this.held = this.holds(state);
  }

  /** @param {RunSnapshot} state */
  holds(state) {
    return this.watch.holds(this.tally.moment(state));
  }

  /**
   * Whether the condition comes true with a transition; `state` is the one after it.
   * @param {Transition} t
   * @param {RunSnapshot} state
   */
  metBy(t, state) {
    this.tally.observe(t);
    return this.comesTrue(state);
  }

  /**
   * The same of transitions of which only the numbers by kind are known.
   * @param {Record<string, number>} skipped
   * @param {RunSnapshot} state
   */
  metAmong(skipped, state) {
    this.tally.skip(skipped);
    return this.comesTrue(state);
  }

  /** @param {RunSnapshot} state */
  comesTrue(state) {
    const { held } = this;
    this.held = this.holds(state);
    return this.held && !held;
  }
}

/**
 * Transitions of which only the numbers are known, from one position to another; `tally` is the count before them.
 * @typedef {{ from: number, to: number, tally: Tally }} Gap
 */

export class Until {
  /**
   * `control({play})` reaches the engine; `done({name, how, position})` is called at the end of every wait. `fetchRows(from, to)` has
   * what happened between two positions sent; it resolves with the position up to which that is known now.
   * @param {Session} session
   * @param {(message: { play: boolean }) => void} control
   * @param {(end: { name: string | null, how: string, position: number | null }) => void} done
   * @param {(from: number, to: number) => Promise<number>} fetchRows
   */
  constructor(session, control, done, fetchRows) {
    this.session = session;
    this.control = control;
    this.done = done;
    this.fetchRows = fetchRows;
    /** @type {string | null} */
    this.name = null;
    /** When the wait began, and whether time has passed since. */
    this.from = 0;
    this.began = false;
    /** @type {{ how: string, position: number | null, gap?: Gap } | null} how it ends, once that is known */
    this.found = null;
    /** Whether the moment is being requested from the past. */
    this.searching = false;
    /** @type {Wait | null} */
    this.wait = null;
    session.watch((t, number, state) => this.observe(t, number, state));
    session.listen((change) => this.follow(change));
  }

  /**
   * Wait until a condition comes true that does not hold yet; one about a message gets its seq_id.
   * @param {string} name
   * @param {number | null} [seq]
   */
  start(name, seq = null) {
    const { state } = this.session;
    this.name = name;
    this.from = this.session.knownUs;
    this.began = this.session.play;
    this.found = null;
    this.searching = false;
    this.wait = new Wait(conditionsOf(state)[name].when(shownQueue(state) ?? DEFAULT_QUEUE, /** @type {number} */ (seq)), state);
    this.control({ play: true });
  }

  /** Wait no more; the run goes on as it does. */
  cancel() {
    if (this.name) this.end("cancelled");
  }

  /**
   * @param {Transition} t
   * @param {number} number
   * @param {RunSnapshot} state
   */
  observe(t, number, state) {
    if (this.name && !this.found && this.wait?.metBy(t, state)) this.pauseFor("reached", number + 1);
  }

  /**
   * The wait is over, but its end is reported when the run stands: until then time passes, and the text stays as it is.
   * @param {string} how
   * @param {number | null} [position]
   * @param {Gap} [gap]
   */
  pauseFor(how, position = null, gap = undefined) {
    this.found = { how, position, gap };
    this.control({ play: false });
  }

  /** @param {Change} change */
  follow({ kind, skipped }) {
    if (!this.name) return;
    if (!this.found) this.matchEvent(kind, skipped || {});
    else if (kind === "frame" && !this.session.play && !this.searching) this.stand(this.found);
  }

  /**
   * @param {string} kind
   * @param {Record<string, number>} skipped
   */
  matchEvent(kind, skipped) {
    const stopped = kind !== "snapshot" && !this.session.play && this.began;
    this.began ||= this.session.play;
    if (stopped) this.end("stopped");
    else if (kind !== "snapshot" || !this.metInGap(skipped)) this.matchBound();
  }

  matchBound() {
    if (this.session.knownUs - this.from > BOUND_US) this.pauseFor("bound");
  }

  /**
   * Whether the condition came true among transitions of which the page got only the numbers; then the run is paused.
   * @param {Record<string, number>} skipped
   */
  metInGap(skipped) {
    const { wait, session } = this;
    const tally = wait?.tally.copy();
    if (!tally || !wait?.metAmong(skipped, session.state)) return false;
    const to = session.next;
    this.pauseFor("fast", null, { from: to - session.history.gapsAt(to).before, to, tally });
    return true;
  }

  /**
   * The run stands: report how the wait ended, as soon as that is known.
   * @param {{ how: string, position: number | null, gap?: Gap }} found
   */
  stand({ how, position, gap }) {
    if (gap) this.searchPast(gap);
    else this.end(how, position);
  }

  /**
   * Search the past for the moment and report it; where the past no longer has it, report that it was too fast to show.
   * @param {Gap} gap
   */
  async searchPast(gap) {
    const { found } = this;
    this.searching = true;
    const position = await this.momentIn(gap);
    if (!this.name || this.found !== found) return;
    this.searching = false;
    if (this.session.play) this.end("cancelled");
    else this.end(position === null ? "fast" : "reached", position);
  }

  /**
   * The position right after the condition came true, or null where the past does not contain it.
   * @param {Gap} gap
   */
  async momentIn({ from, to, tally }) {
    const past = this.session.history;
    const state = past.stateAt(from);
    if (!state || !this.wait) return null;
    const wait = new Wait(this.wait.watch.condition, state, tally);
    for (let at = from, known = from; at < to; ) {
      known = await this.fetchRows(at, to);
      if (known <= at) return null;
      for (const { number, t } of past.rowsFrom(at)) {
        if (number >= to) return null;
        fold(state, t);
        at = number + 1;
        if (wait.metBy(t, state)) return at;
      }
      if (at < known) return null;
    }
    return null;
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
