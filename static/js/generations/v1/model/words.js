/** Sentences about the transitions of version 1 alone, and why it does what all queues do. */
import { EXTENT as E, INDEXED, IN_RAM, IN_STORE } from "../../../model/catalogue/rows.js";
import { limitedLanesOf } from "../../../model/places.js";
import { fill, gettext, ngettext, number } from "../../../model/text.js";
import { lanePhrase, sentence } from "../../../model/why-sentence.js";
import { reductionReason } from "./reduction.js";
import { FILE_WORDS, STEP_WORDS } from "./words-files.js";

/**
 * @import { TransitionOf } from "../../../model/catalogue/types.js"
 * @import { Reasons, Words } from "../../../model/why-sentence.js"
 */

/** The lanes of contents in RAM, at the tail and at the head of a queue. */
const [TAIL, HEAD] = limitedLanesOf(null, "contents");

/**
 * @param {TransitionOf<"AlphasPushed">} t
 * @param {number} n
 */
function alphasPushed(t, n) {
  const fromHead = t.source === TAIL;
  const reason = fromHead
    ? gettext("Reduction begins at the head of q1: everything in front of it is needed sooner.")
    : gettext(
        "Then the tail of q4 goes to the front of q3: newest first, so the next deliveries stay in RAM.",
      );
  const text = ngettext(
    "%(n)s content leaves RAM: %(source)s \u2192 %(to)s",
    "%(n)s contents leave RAM: %(source)s \u2192 %(to)s",
    n,
  );
  const stays = ngettext(
    "%(n)s message moves, its small body stays in RAM: %(source)s \u2192 %(to)s",
    "%(n)s messages move, their small bodies stay in RAM: %(source)s \u2192 %(to)s",
    n,
  );
  const embedded = t.extents?.length > 0 && t.extents.every((extent) => extent[E.flags] & IN_RAM);
  return sentence("\u03b1\u2192\u03b2\u03b3", "beta", embedded ? stays : text, reason, lanePhrase(t));
}

/**
 * @param {TransitionOf<"DeltaRead">} t
 * @param {number} n
 */
function deltaRead(t, n) {
  return sentence(
    "\u03b4\u2192\u03b3",
    "delta",
    ngettext("%(n)s message read from delta into q3", "%(n)s messages read from delta into q3", n),
    gettext(
      "Delta is not empty, and q3 ran empty or the queue leaves lazy mode: one read brings back at most the rest of one segment. The messages become gammas, because their index is on disk; bodies embedded in the index come back into RAM with it.",
    ),
  );
}

/**
 * @param {TransitionOf<"LaneJoined">} t
 * @param {number} n
 */
function laneJoined(t, n) {
  const reason =
    t.to === HEAD
      ? gettext("q3 and delta ran out, so q1 is next in line: the whole of it becomes q4.")
      : gettext("Delta ran out, so q2 joins the tail of q3.");
  return sentence(
    `${t.source}\u2192${t.to}`,
    "plain",
    ngettext("%(source)s becomes %(to)s: %(n)s message", "%(source)s becomes %(to)s: %(n)s messages", n),
    reason,
    lanePhrase(t),
  );
}

/**
 * What all steps of a reduction did; the reason is that of its last pass.
 * @param {TransitionOf<"Reduced">} t
 */
function reduced({ why }) {
  const alphas = (why.q1_moved || 0) + (why.q4_moved || 0) + (why.pending_paged || 0);
  const betas = why.betas_moved || 0;
  const values = { alphas: number(alphas), betas: number(betas) };
  const out = ngettext("%(alphas)s message is paged out", "%(alphas)s messages are paged out", alphas);
  const rolls = ngettext("%(betas)s message rolls into delta", "%(betas)s messages roll into delta", betas);
  const done = [...(alphas ? [out] : []), ...(betas ? [rolls] : [])];
  const text = done.length ? fill(gettext("Memory is reduced: %(what)s"), { what: done.join(gettext(", ")) }) : gettext("Memory is reduced: nothing had to move");
  return sentence("\u2193", "beta", text, reductionReason(why), values);
}

/**
 * For each kind of its own the sentence of a transition, with how many messages it concerns.
 * @type {Words}
 */
export const WORDS = {
  ...FILE_WORDS,
  ...STEP_WORDS,
  PutBack: (t) =>
    sentence(
      "\u21a9",
      "plain",
      t.to === null ? gettext("The head is looked at") : gettext("The head returns to %(to)s"),
      gettext("After every fetch the head is checked for expiry: it is taken and put back."),
      lanePhrase(t),
    ),
  AlphasPushed: alphasPushed,
  PendingPaged: (t, n) =>
    sentence(
      "\u03b1\u2192\u03b2",
      "beta",
      ngettext("%(n)s unacked content leaves RAM", "%(n)s unacked contents leave RAM", n),
      gettext("Unacked messages count as RAM too: the newest of them go to disk."),
    ),
  BetasPushed: (t, n) =>
    sentence(
      "\u2192\u03b4",
      "delta",
      ngettext(
        "%(n)s message rolls from %(source)s into delta",
        "%(n)s messages roll from %(source)s into delta",
        n,
      ),
      gettext(
        "q2 and q3 may keep only so many index entries. RAM keeps only four numbers for the rest: start, count, how many are transient, and end.",
      ),
      lanePhrase(t),
    ),
  DeltaRead: deltaRead,
  LaneJoined: laneJoined,
  Reduced: reduced,
  ConversionStuck: ({ why }) =>
    sentence(
      "\u2699",
      "alarm",
      gettext("The conversion to lazy never ends"),
      ngettext("%(left)s message is neither in q3 nor in delta. Of q2 and q3 together (%(q2)s + %(q3)s) all but %(permitted)s may go to delta: %(surplus)s, fewer than a batch of %(io_batch_size)s, so none goes. The queue process tries for ever, and answers nobody.", "%(left)s messages are neither in q3 nor in delta. Of q2 and q3 together (%(q2)s + %(q3)s) all but %(permitted)s may go to delta: %(surplus)s, fewer than a batch of %(io_batch_size)s, so none goes. The queue process tries for ever, and answers nobody.", why.left),
    ),
  StoreStopped: () => sentence("\u25a0", "alarm", gettext("Store %(store)s stopped")),
  StoreRecovered: () => sentence("\u25b6", "plain", gettext("Store %(store)s started on its files")),
  IndexRecovered: ({ clean }) =>
    sentence(
      "\u25b6",
      "plain",
      gettext("The index started on its files"),
      clean
        ? gettext("After an orderly stop no segment is read: what was saved then says how many messages each one holds.")
        : gettext("Journal and segments are read; transient messages are forgotten."),
    ),
};

/**
 * For kinds that all queues have, why version 1 does it so.
 * @type {Reasons}
 */
export const REASONS = {
  Published: ({ to }) => {
    if (to === "delta") return gettext("Lazy mode: every publish goes to disk at once.");
    return to === TAIL
      ? gettext("q3 is not empty, so older messages are ahead: new ones go to the tail of q1.")
      : gettext("New messages go straight to the tail of q4, because q3 is empty; nothing else matters.");
  },
  Fetched: () => gettext("The head of the queue: q4 first, then q3."),
  Acked: ({ extents }) => {
    const every = (/** @type {number} */ flag) => extents.every((extent) => extent[E.flags] & flag);
    const none = (/** @type {number} */ flag) => !extents.some((extent) => extent[E.flags] & flag);
    if (none(INDEXED) && none(IN_STORE)) return gettext("Only RAM held it: there is no index entry to mark and no stored content to give up.");
    if (every(INDEXED) && every(IN_STORE)) return gettext("Its index entry gets an ack mark, and its content in the store loses a reference.");
    if (every(INDEXED) && none(IN_STORE)) return gettext("Its index entry, which holds the body too, gets an ack mark.");
    if (none(INDEXED) && every(IN_STORE)) return gettext("Its content in the store loses a reference; it has no index entry.");
    return gettext("Where there is an index entry, it gets an ack mark; where there is a content in the store, it loses a reference.");
  },
  Requeued: () => gettext("Requeued messages return to their old places in the order."),
  QueueStarted: () => gettext("Everything in the files becomes delta; then one read fills q3."),
};
