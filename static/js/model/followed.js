/** The story of one message on the first page: its beats, and the sentence of each; each a function of one moment's state. */
import { EXTENT as E } from "./catalogue/rows.js";
import { locate, recordOf, stateOf, waitsInBuffer } from "./messages.js";
import { aboutPlace } from "./places.js";
import { figures, sentence, situation } from "./situation.js";
import { bytes, gettext, number } from "./text.js";

/** @import { State } from "./catalogue/types.js" */

/** Where a message is on its way: its state, or with a consumer; null before it comes and after it has gone. */
/** @typedef {"alpha" | "beta" | "gamma" | "delta" | "consumer"} Beat */

/** The beats of a message's story, in the order in which they come; gamma may take the place of beta, there and back. @type {Beat[][]} */
const STORY = [["alpha"], ["beta", "gamma"], ["delta"], ["beta", "gamma"], ["consumer"]];
/** The way back, which may be over before it was seen. */
const BACK = STORY.length - 2;

/**
 * @param {State} state
 * @param {number} seq
 * @returns {{ beat: Beat, place: string } | null}
 */
export function beatOf(state, seq) {
  const { queue } = figures(state);
  const found = queue && locate(queue, seq);
  if (!found) return null;
  const { place, row } = found;
  if (aboutPlace(place).unacked) return { beat: "consumer", place };
  return { beat: /** @type {Beat} */ (stateOf(place, row ? row[E.flags] : 0)), place };
}

/**
 * How many beats of its story a message has reached, given how many it had: they come one after the other.
 * @param {State} state
 * @param {number} seq
 * @param {number} reached
 */
export function beatsReached(state, seq, reached) {
  const now = beatOf(state, seq);
  if (!now || !STORY[reached]) return reached;
  if (STORY[reached].includes(now.beat)) return reached + 1;
  return reached === BACK && STORY[BACK + 1].includes(now.beat) ? STORY.length : reached;
}

/**
 * The beats of one message as they come. Each waits until the one before it has been read: rows that were on their way when the
 * engine was told to wait, or that a slow machine gets all at once, take no beat from the reader.
 */
export class Beats {
  /** @param {number} seq */
  constructor(seq) {
    this.seq = seq;
    this.reached = 0;
    /** @type {number[]} the transitions that made those which nobody has read yet */
    this.waiting = [];
  }

  /**
   * Take the state after a transition.
   * @param {number} at
   * @param {State} state
   */
  saw(at, state) {
    const reached = beatsReached(state, this.seq, this.reached);
    if (reached !== this.reached) this.waiting.push(at);
    this.reached = reached;
  }

  /** The transition that made the next beat to read; null where none has come. */
  next() {
    return this.waiting.shift() ?? null;
  }
}

/**
 * The sentence of each beat; the second one while the content waits in the store's write buffer, where no file has it yet.
 * @type {Record<Beat, () => [lies: string, waits?: string]>}
 */
const CAPTIONS = {
  alpha: () => [gettext("Alpha: message %(seq)s is whole in RAM, content and index, in %(place)s.")],
  beta: () => [
    gettext("Beta: the content of message %(seq)s sank to disk; its index stays in RAM, in %(place)s."),
    gettext("Beta: the content of message %(seq)s left RAM for the write buffer (there %(buffered)s for the next write to disk); its index stays in RAM, in %(place)s."),
  ],
  gamma: () => [
    gettext("Gamma: the content of message %(seq)s is on disk, and its index in RAM and on disk, in %(place)s."),
    gettext("Gamma: the content of message %(seq)s is in the write buffer (there %(buffered)s for the next write to disk), and its index in RAM and on disk, in %(place)s."),
  ],
  delta: () => [
    gettext("Delta: nothing of message %(seq)s is in RAM; its content and its index are on disk."),
    gettext("Delta: RAM keeps nothing of message %(seq)s; its content is in the write buffer (there %(buffered)s for the next write to disk), its index on disk."),
  ],
  consumer: () => [gettext("Delivered: message %(seq)s is with a consumer, and kept until the consumer has acknowledged it.")],
};

/**
 * Bytes in the write buffer of the store in which a message's content waits; 0 where the content lies in a file, or in none.
 * @param {State} state
 * @param {number} seq
 */
function waitingWith(state, seq) {
  const { queue } = figures(state);
  const record = queue && recordOf(state, queue, seq);
  return record && waitsInBuffer(state, record) ? (state.stores[record.store].buffered_bytes ?? 0) : 0;
}

/**
 * The sentence above the stage while one message is followed; the situation where it is not there.
 * @param {State} state
 * @param {number} seq
 */
export function captionOf(state, seq) {
  const now = beatOf(state, seq);
  const { counters } = figures(state);
  if (!now && (counters.next_seq_id ?? 0) > seq)
    return sentence("plain", gettext("Message %(seq)s has left the queue."), { seq: number(seq) });
  if (!now) return situation(state);
  const tone = now.beat === "consumer" ? "plain" : now.beat;
  const buffered = waitingWith(state, seq);
  const [lies, waits = lies] = CAPTIONS[now.beat]();
  return sentence(tone, buffered ? waits : lies, { seq: number(seq), place: now.place, buffered: bytes(buffered) });
}
