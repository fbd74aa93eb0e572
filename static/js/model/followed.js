/** The story of one message on the first page: its beats, and the sentence of each; each a function of one moment's state. */
import { EXTENT as E, HOME_STORE, PERSISTENT } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { locate, recordOf, recordOfNumber, stateOf, waitsInBuffer } from "./messages.js";
import { aboutPlace } from "./places.js";
import { figures } from "./facts.js";
import { sentence, situation } from "./situation.js";
import { bytes, gettext, number } from "./text.js";

/**
 * @import { RunSnapshot } from "./catalogue/types.js"
 * @import { History } from "./history.js"
 */

/** Where a message is on its way: its state, or with a consumer; null before it comes and after it has gone. */
/** @typedef {"alpha" | "beta" | "gamma" | "delta" | "consumer"} Beat */

/** The beats of a message's story, in the order in which they come; gamma may take the place of beta, there and back. @type {Beat[][]} */
const STORY = [["alpha"], ["beta", "gamma"], ["delta"], ["beta", "gamma"], ["consumer"]];
/** The way back, which may be over before it was seen. */
const BACK = STORY.length - 2;
/** One beat for each, as the first page tells them: beta on the way there, gamma on the way back. @type {Beat[]} */
export const BEATS = STORY.map((beats, at) => beats[at === BACK ? 1 : 0]);

/**
 * @param {RunSnapshot} state
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
 * @param {RunSnapshot} state
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
   * @param {RunSnapshot} state
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
 * The position at which a beat is drawn: where its moment ends. Of what happens at one time the lanes come first, and the store and
 * the files some transitions later; in between the gauges would not show yet what the sentence says.
 * @param {number} at the transition that made the beat
 * @param {number} end the last position that may be drawn
 * @param {Pick<History, "timeOf" | "positionAt">} kept the history of the run
 */
export function endOfMoment(at, end, kept) {
  const us = kept.timeOf(at + 1);
  return us === null ? at + 1 : Math.min(end, kept.positionAt(us));
}

/** How far a content is on its way to a file: only handed to the store's process, in the store's write buffer, in the file. */
/** @typedef {"sent" | "buffer" | "file"} Content */
/** @typedef {{ content: Content, index: boolean }} Written how far a message's content is, and whether a file has its index entry */

/**
 * The sentence of each beat, by what of the message is in files.
 * @type {Record<Beat, (written: Written) => string>}
 */
const CAPTIONS = {
  alpha: () => gettext("Alpha: message %(seq)s is whole in RAM, content and index, in %(place)s."),
  beta: ({ content }) =>
    ({
      file: gettext("Beta: the content of message %(seq)s sank to disk; its index stays in RAM, in %(place)s."),
      buffer: gettext("Beta: the content of message %(seq)s left RAM for the write buffer (%(buffered)s there wait for the next write to disk); its index stays in RAM, in %(place)s."),
      sent: gettext("Beta: the queue has handed the content of message %(seq)s to the message store, which has yet to write it; its index stays in RAM, in %(place)s."),
    })[content],
  gamma: ({ content, index }) => {
    if (!index || content === "sent")
      return gettext("Gamma: the index of message %(seq)s is in RAM, in %(place)s; its content and a copy of its index are in files, or on their way there.");
    return content === "file"
      ? gettext("Gamma: the content of message %(seq)s is on disk, and its index in RAM and on disk, in %(place)s.")
      : gettext("Gamma: the content of message %(seq)s is in the write buffer (%(buffered)s there wait for the next write to disk), and its index in RAM and on disk, in %(place)s.");
  },
  delta: ({ content, index }) =>
    content === "file" && index
      ? gettext("Delta: nothing of message %(seq)s is in RAM; its content and its index are on disk.")
      : gettext("Delta: nothing of message %(seq)s is in RAM's lanes; its content and its index are in files, or on their way there."),
  consumer: () => gettext("Delivered: message %(seq)s is with a consumer, and kept until the consumer has acknowledged it."),
};

/**
 * Why the followed message is where it is: what memory and the consumer do at this moment.
 * @type {Record<Beat, (past: boolean, about: { persistent: boolean, read: boolean }) => string>}
 */
const CAUSES = {
  alpha: (past) =>
    past
      ? gettext("Memory is past %(line)s: only the contents that are next to be delivered stay in RAM.")
      : gettext("While memory is below %(line)s, new messages stay in RAM."),
  beta: (past) =>
    past ? gettext("Memory passed %(line)s, so the newest contents sink.") : gettext("What sank while memory was short stays on disk."),
  delta: (past) =>
    past
      ? gettext("Memory is still past %(line)s, so indexes leave RAM too, the newest first.")
      : gettext("What left RAM while memory was short stays on disk until its turn comes."),
  gamma: (_, { persistent }) =>
    persistent
      ? gettext("A persistent message has its index on disk as well.")
      : gettext("What RAM knows of runs out, so the queue reads one segment of indexes back."),
  consumer: (_, { read }) =>
    read
      ? gettext("The consumer gets the oldest message first, and its content is read from disk for it.")
      : gettext("The consumer gets the oldest message first."),
};

/**
 * The cause of the beat at which a message is, for the heading above its sentence; null where it is not in the queue.
 * @param {RunSnapshot} state
 * @param {number} seq
 */
export function causeOf(state, seq) {
  const now = beatOf(state, seq);
  if (!now) return null;
  const { past, pagingAt, queue } = figures(state);
  const flags = queue && locate(queue, seq)?.row?.[E.flags];
  const about = { persistent: Boolean((flags ?? 0) & PERSISTENT), read: aboutPlace(now.place).content !== "ram" };
  return sentence("plain", CAUSES[now.beat](past, about), { line: bytes(pagingAt) }).text;
}

/**
 * How far a message is on its way to files, and the bytes in the write buffer in which its content waits.
 * @param {RunSnapshot} state
 * @param {number} seq
 * @param {number | null} msgNo its number in the stores, where a counted lane knows of no row
 * @returns {Written & { buffered: number }}
 */
function writtenOf(state, seq, msgNo) {
  const { queue } = figures(state);
  const index = queue !== null && generationOf(queue).indexInFile(queue.own, seq);
  const row = queue && locate(queue, seq)?.row;
  if (row && !(row[E.flags] & HOME_STORE)) return { content: "file", index, buffered: 0 };
  const records = Object.keys(state.stores).map((store) => (msgNo === null ? null : recordOfNumber(state, store, msgNo)));
  const record = row ? recordOf(state, queue, seq) : records.find((each) => each);
  if (!record) return { content: "sent", index, buffered: 0 };
  if (!waitsInBuffer(state, record)) return { content: "file", index, buffered: 0 };
  return { content: "buffer", index, buffered: state.stores[record.store].buffered_bytes ?? 0 };
}

/**
 * The sentence above the stage while one message is followed; the situation where it is not there.
 * @param {RunSnapshot} state
 * @param {number} seq
 * @param {number | null} [msgNo] the number of its content in the stores, where it is known
 */
export function captionOf(state, seq, msgNo = null) {
  const now = beatOf(state, seq);
  const { next } = figures(state);
  if (!now && next > seq)
    return sentence("plain", gettext("Message %(seq)s has left the queue."), { seq: number(seq) });
  if (!now) return situation(state);
  const tone = now.beat === "consumer" ? "plain" : now.beat;
  const { buffered, ...written } = writtenOf(state, seq, msgNo);
  return sentence(tone, CAPTIONS[now.beat](written), { seq: number(seq), place: now.place, buffered: bytes(buffered) });
}
