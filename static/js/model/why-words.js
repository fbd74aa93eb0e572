/** A sentence, a glyph and a tone for every kind of transition; `reason` is the general cause. */
import { actorState, stopName } from "./actor-states.js";
import { factsText } from "./fact-words.js";
import { settingsText } from "./setting-words.js";
import { bytes, gettext, ngettext, number } from "./text.js";
import { causeOf } from "./timeline.js";
import { lanePhrase, sentence } from "./why-sentence.js";
import { AMQP_WORDS } from "./why-words-amqp.js";
import { MIRROR_WORDS } from "./why-words-mirrors.js";
import { NODE_WORDS } from "./why-words-node.js";

/**
 * @import { TransitionOf, Values } from "./catalogue/types.js"
 * @import { Words } from "./why-sentence.js"
 */

/** @type {Record<string, (values: Values) => ReturnType<typeof sentence>>} */
const PARTS = {
  alarms: alarm,
  settings: (values) => sentence("\u2699", "plain", gettext("Set: %(names)s"), "", { names: settingsText(values) }),
  work: (values) => (values.profile ? machine(values) : sentence("\u2699", "plain", gettext("Other times for work from now on"))),
  app: ({ runs }) =>
    runs
      ? sentence("\u25b6", "plain", gettext("The broker runs"))
      : sentence("\u25a0", "alarm", gettext("The broker is stopped"), gettext("Its node stays up; queues and connections are gone until it starts again.")),
  memory: ({ process_memory: used }) =>
    used === undefined
      ? sentence("\u25cb", "plain", gettext("The node counted its memory"))
      : sentence("\u25cb", "plain", gettext("The node counted %(used)s of memory"), "", { used: bytes(used) }),
  disk: ({ free }) =>
    free === undefined || free === null
      ? sentence("\u25cb", "plain", gettext("The node looked at its disk"))
      : sentence("\u25cb", "plain", gettext("The node found %(free)s free on its disk"), "", { free: bytes(free) }),
  cluster: () => sentence("\u25cb", "plain", gettext("The nodes of the cluster reported")),
  clock: () => sentence("\u25cb", "plain", gettext("A timer of the queue was set")),
};

/** @param {TransitionOf<"NodeChanged">} t */
function nodeChanged({ part, values }) {
  return PARTS[part]?.(values) ?? sentence("\u25cb", "plain", gettext("The node reported"));
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
      gettext("Memory is past the watermark. Consumers go on, and in 3.8 and 3.10 paging does, too."),
    );
  if (values.disk)
    return sentence(
      "\u25b2",
      "alarm",
      gettext("Disk alarm: publishers are blocked"),
      gettext("Free disk space is under its limit. In 3.8 and 3.10 paging stops: the target is infinite."),
    );
  return sentence("\u25b3", "plain", gettext("Alarm over: publishers may go on"));
}

/** @param {TransitionOf<"ActorChanged">} t */
function actorChanged({ actor, values }) {
  if (values === null) return sentence("\u2212", "plain", gettext("%(actor)s is gone"), "", { actor });
  const state = values.state ?? (values.running ? "running" : "stopped");
  return sentence("\u25cb", state === "blocked" || state === "flow" ? "alarm" : "plain", actorState(state), "", { actor });
}

/** @type {Record<ReturnType<typeof causeOf>, () => string>} */
const CAUSES = {
  computed: () => gettext("The node's last check found memory past the paging line: each queue may keep as many contents as its rates justify."),
  unlimited: () =>
    gettext("The node's last check wanted no limit: memory was under the paging line, no rate that queues reported asked for one, or the disk alarm had switched paging off."),
  pinned: () => gettext("Set by hand: it stays whatever memory does."),
  freed: () => gettext("The target set by hand is given up; the node's next check may set another one."),
  converting: () => gettext("The queue becomes lazy: nothing may stay until all of it is in q3 or in delta."),
  restored: () => gettext("The conversion is over: the target is again what it was before."),
};

/**
 * What the messages of confirms waited for last.
 * @type {Record<string, () => string>}
 */
const WRITTEN = {
  index: () => gettext("Their index records are synced, or were erased before they were written: the last that they waited for."),
  store: () => gettext("Their contents are synced in the store, the last that they waited for."),
  both: () => gettext("All that is written of them is on disk."),
  ignored: () => gettext("They were removed before the store had written them, so nothing is written."),
};

/**
 * Why messages were dropped.
 * @type {Record<string, () => string>}
 */
const DROPPED = {
  transient_lost: () => gettext("They are transient, and a start does not keep what is transient."),
  expired: () => gettext("Their time to live was over. The content is not even read."),
  ttl: () => gettext("Their time to live was over. The content is not even read."),
  given_up: () => gettext("They were ready, and the queue gives them up: a purge, its length limit or its end. The content is not even read."),
};

/** @param {TransitionOf<"TargetChanged">} t */
function targetChanged(t) {
  const reason = CAUSES[causeOf(t)]();
  return t.target === null
    ? sentence("\u221e", "plain", gettext("Target is infinite: nothing is paged out"), reason)
    : sentence("\u2039\u203a", "beta", ngettext("Target: %(target)s content may stay in RAM", "Target: %(target)s contents may stay in RAM", t.target), reason, { target: number(t.target) });
}

/**
 * @param {TransitionOf<"QueueChanged">} t
 * @param {number} n
 * @param {number | null} atUs
 */
function queueChanged({ queue, values }, n, atUs) {
  return sentence("\u2699", "plain", gettext("Queue %(queue)s: %(facts)s"), "", { queue, facts: factsText(values, atUs) });
}

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
      (DROPPED[t.why.cause] ?? DROPPED.given_up)(),
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
      "",
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
  ConfirmsDue: ({ by }) => sentence("\u2713", "alpha", gettext("Confirms are due"), WRITTEN[by]?.() ?? ""),
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
