/** A sentence, a glyph and a tone for every kind of transition; `reason` is the general cause. */
import { stateName, stopName } from "./actor-states.js";
import { EXTENT as E, IN_RAM } from "./catalogue/rows.js";
import { limitedLanesOf } from "./places.js";
import { gettext, ngettext, number } from "./text.js";
import { sentence } from "./why-sentence.js";
import { AMQP_WORDS } from "./why-words-amqp.js";
import { FILE_WORDS } from "./why-words-files.js";
import { MIRROR_WORDS } from "./why-words-mirrors.js";
import { NODE_WORDS } from "./why-words-node.js";

/**
 * @import { TransitionOf, Values } from "./catalogue/types.js"
 * @import { Words } from "./why-sentence.js"
 */

/** The lanes of contents in RAM, at the tail and at the head of a queue. */
const [TAIL, HEAD] = limitedLanesOf(null, "contents");

/** @param {{ source: string | null, to: string | null }} t */
function lanePhrase(t) {
  return { source: t.source ?? gettext("outside"), to: t.to ?? gettext("outside") };
}

/**
 * @param {TransitionOf<"Published">} t
 * @param {number} n
 */
function published(t, n) {
  const reason =
    t.to === TAIL
      ? gettext("q3 is not empty, so older messages are ahead: new ones go to the tail of q1.")
      : gettext("q3 is empty, and that alone decides: new messages go straight to the tail of q4.");
  const text = ngettext("%(n)s message published to %(to)s", "%(n)s messages published to %(to)s", n);
  return sentence(
    "+",
    "alpha",
    text,
    t.to === "delta" ? gettext("Lazy mode: every publish goes to disk at once.") : reason,
    lanePhrase(t),
  );
}

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
      "q3 ran empty and delta is not: one read brings back at most the rest of one segment. Their index is on disk: gammas, but for bodies embedded in the index, which come back into RAM with it.",
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

/** @param {TransitionOf<"NodeChanged">} t */
function nodeChanged({ part, values }) {
  if (part === "alarms") return alarm(values);
  if (part === "work" && values.profile) return machine(values);
  const names = Object.entries(values).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${value === null ? "\u2013" : value}`,
  );
  return sentence("\u2699", "plain", gettext("Set: %(names)s"), "", { names: names.join(", ") });
}

/** @param {Values} values */
function machine({ profile, assumed }) {
  if (profile === "instant") return sentence("\u2699", "plain", gettext("Work takes no time from now on"));
  const error = assumed
    ? gettext("The disk is an assumption; only measured-vm was measured.")
    : gettext("Measured on a real node; single steps are off by up to a factor of two.");
  return sentence("\u2699", "plain", gettext("Work takes the time of %(profile)s from now on"), error, { profile });
}

/** @param {Values} values */
function alarm(values) {
  if (values.memory)
    return sentence(
      "\u25b2",
      "alarm",
      gettext("Memory alarm: publishers are blocked"),
      gettext("Memory is past the high watermark. Consumers go on, so does paging."),
    );
  if (values.disk)
    return sentence(
      "\u25b2",
      "alarm",
      gettext("Disk alarm: publishers are blocked"),
      gettext("Free disk space is under its limit. Paging stops: the target is infinite."),
    );
  return sentence("\u25b3", "plain", gettext("Alarm over: publishers may go on"));
}

/** @param {TransitionOf<"ActorChanged">} t */
function actorChanged({ actor, values }) {
  if (values === null) return sentence("\u2212", "plain", gettext("%(actor)s is gone"), "", { actor });
  const state = values.state ?? (values.running ? "running" : "stopped");
  return sentence(
    "\u25cb",
    state === "blocked" || state === "flow" ? "alarm" : "plain",
    gettext("%(actor)s: %(state)s"),
    "",
    { actor, state: stateName(state) },
  );
}

/** @param {TransitionOf<"TargetChanged">} t */
function targetChanged({ target }) {
  if (target === null)
    return sentence(
      "\u221e",
      "plain",
      gettext("Target is infinite: nothing is paged out"),
      gettext("Memory is under the paging line, or the disk alarm switched paging off."),
    );
  return sentence(
    "\u2039\u203a",
    "beta",
    gettext("Target: %(target)s contents may stay in RAM"),
    gettext("Memory is past the paging line: each queue may keep as many contents as its rates justify."),
    { target: number(target) },
  );
}

/** @param {TransitionOf<"QueueChanged">} t */
function queueChanged({ queue, values }) {
  const names = Object.entries(values).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${value === null ? "\u2013" : plainly(value)}`,
  );
  return sentence("\u2699", "plain", gettext("Queue %(queue)s: %(names)s"), "", {
    queue,
    names: names.join(", "),
  });
}

/**
 * A value of a definition as text: tables as their own short notation.
 * @param {unknown} value
 */
const plainly = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/**
 * For each kind the sentence of a transition, with how many messages it concerns.
 * @type {Words}
 */
export const WORDS = {
  ...FILE_WORDS,
  ...AMQP_WORDS,
  ...MIRROR_WORDS,
  Published: published,
  PublishedDelivered: (t, n) =>
    sentence(
      "\u2192",
      "alpha",
      ngettext("%(n)s message went straight to a consumer", "%(n)s messages went straight to a consumer", n),
      gettext("A consumer was ready and the queue empty: no lane is entered, only the unacked list."),
    ),
  Discarded: (t, n) =>
    sentence(
      "\u2192",
      "plain",
      ngettext("%(n)s message delivered and forgotten", "%(n)s messages delivered and forgotten", n),
      gettext("The consumer does not acknowledge, so the engine keeps nothing."),
    ),
  Fetched: (t, n) =>
    sentence(
      "\u2192",
      "plain",
      ngettext("%(n)s message delivered from %(source)s", "%(n)s messages delivered from %(source)s", n),
      gettext("The head of the queue: q4 first, then q3."),
      lanePhrase(t),
    ),
  Dropped: (t, n) =>
    sentence(
      "\u2212",
      "plain",
      ngettext("%(n)s message dropped from %(source)s", "%(n)s messages dropped from %(source)s", n),
      gettext("Purged, expired or over the length limit: the content is not even read."),
      lanePhrase(t),
    ),
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
        "q2 and q3 may keep only so many index entries. Of the rest RAM keeps only four numbers: start, count, how many are transient, and end.",
      ),
      lanePhrase(t),
    ),
  DeltaRead: deltaRead,
  LaneJoined: laneJoined,
  Acked: (t, n) =>
    sentence(
      "\u2713",
      "plain",
      ngettext("%(n)s message acknowledged", "%(n)s messages acknowledged", n),
      gettext("Its index entry gets an ack mark, its content loses a reference."),
    ),
  Requeued: (t, n) =>
    sentence(
      "\u21a9",
      "plain",
      ngettext("%(n)s message back to %(to)s", "%(n)s messages back to %(to)s", n),
      gettext("Requeued messages return to their old places in the order."),
      lanePhrase(t),
    ),
  PendingPurged: (t, n) =>
    sentence(
      "\u2212",
      "plain",
      ngettext("%(n)s unacked message forgotten", "%(n)s unacked messages forgotten", n),
    ),
  Reduced: () => sentence("\u2193", "beta", gettext("Memory reduction: %(n)s moved")),
  TargetChanged: targetChanged,
  QueueChanged: queueChanged,
  ModeChanged: () => sentence("\u2699", "plain", gettext("The queue is in %(mode)s mode")),
  ConversionStuck: () =>
    sentence(
      "\u2699",
      "alarm",
      gettext("The conversion to lazy never ends"),
      gettext(
        "%(left)s messages are neither in q3 nor in delta. Of q2 and q3 together (%(q2)s + %(q3)s) all but %(permitted)s may go to delta: %(surplus)s, fewer than a batch of %(io_batch_size)s, so none goes. The queue process tries for ever, and answers nobody.",
      ),
    ),
  ConfirmsDue: () => sentence("\u2713", "alpha", gettext("Confirms are due"), gettext("Their disk writes are done.")),
  QueueStopped: (t) =>
    sentence("\u25a0", "alarm", gettext("The queue stopped (%(kind)s)"), gettext("Everything in RAM is gone."), {
      kind: stopName(t.how),
    }),
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
  QueueStarted: (t, n) =>
    n > 0
      ? sentence(
          "\u25b6",
          "alarm",
          ngettext(
            "The queue started: %(n)s message is lost",
            "The queue started: %(n)s messages are lost",
            n,
          ),
          gettext("Transient messages are forgotten, and so is what had not been written to the files."),
        )
      : sentence(
          "\u25b6",
          "plain",
          gettext("The queue started"),
          gettext("What the files hold becomes delta, then one read fills q3."),
        ),
  NodeChanged: nodeChanged,
  ActorChanged: actorChanged,
  ...NODE_WORDS,
  ConfirmsSent: (_, n) =>
    sentence("\u2713", "alpha", ngettext("%(count)s confirm sent", "%(count)s confirms sent", n), "", {
      count: number(n),
    }),
};
