/** A sentence, a glyph and a tone for every kind of transition; `reason` is the general cause. */
import { stateName, stopName } from "./actor-states.js";
import { gettext, ngettext, number } from "./text.js";
import { lanePhrase, sentence } from "./why-sentence.js";
import { AMQP_WORDS } from "./why-words-amqp.js";
import { MIRROR_WORDS } from "./why-words-mirrors.js";
import { NODE_WORDS } from "./why-words-node.js";

/**
 * @import { TransitionOf, Values } from "./catalogue/types.js"
 * @import { Words } from "./why-sentence.js"
 */

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
  ...AMQP_WORDS,
  ...MIRROR_WORDS,
  Published: (t, n) =>
    sentence(
      "+",
      "alpha",
      ngettext("%(n)s message published to %(to)s", "%(n)s messages published to %(to)s", n),
      "",
      lanePhrase(t),
    ),
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
      "",
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
  Acked: (t, n) =>
    sentence(
      "\u2713",
      "plain",
      ngettext("%(n)s message acknowledged", "%(n)s messages acknowledged", n),
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
  TargetChanged: targetChanged,
  QueueChanged: queueChanged,
  ModeChanged: () => sentence("\u2699", "plain", gettext("The queue is in %(mode)s mode")),
  ConfirmsDue: () => sentence("\u2713", "alpha", gettext("Confirms are due"), gettext("Their disk writes are done.")),
  QueueStopped: (t) =>
    sentence("\u25a0", "alarm", gettext("The queue stopped (%(kind)s)"), gettext("Everything in RAM is gone."), {
      kind: stopName(t.how),
    }),
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
      : sentence("\u25b6", "plain", gettext("The queue started")),
  NodeChanged: nodeChanged,
  ActorChanged: actorChanged,
  ...NODE_WORDS,
  ConfirmsSent: (_, n) =>
    sentence("\u2713", "alpha", ngettext("%(count)s confirm sent", "%(count)s confirms sent", n), "", {
      count: number(n),
    }),
};
