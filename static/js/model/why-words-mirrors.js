/** What happens to nodes and to the members of mirrored queues, as sentences. */
import { gettext, ngettext, number } from "./text.js";
import { sentence } from "./why-sentence.js";

/** @import { Words } from "./why-sentence.js" */

/** @type {Record<string, () => string>} */
const LEFT = {
  dropped: () => gettext("Its policy does not want it there any more; what it had is deleted."),
  shutdown: () => gettext("Its queue ended all mirrors."),
  crash: () => gettext("Its process crashed; it begins again, empty."),
  refused: () => gettext("It may not be promoted without being synchronised (ha-promote-on-failure)."),
  kill: () => gettext("Its node is lost."),
  clean: () => gettext("Its node stopped in order; nobody will read what it saved."),
};

/** @type {Record<string, () => string>} */
const SYNC_ENDS = {
  done: () => gettext("Its mirrors have everything now."),
  cancelled: () => gettext("Its mirrors threw away what they had got, and nobody knows how much they lack."),
  nobody: () => gettext("No mirror needed it, or none is left."),
  master_gone: () => gettext("The master is gone, so its mirrors threw away what they had got."),
};

/** @type {Words} */
export const MIRROR_WORDS = {
  NodeStopped: ({ how }) =>
    sentence(
      "\u25a0",
      "alarm",
      how === "clean" ? gettext("Node %(node)s stopped") : gettext("Node %(node)s is lost"),
      gettext("Its connections are gone; queues whose master it had are taken over or wait for it."),
    ),
  NodeStarted: () =>
    sentence(
      "\u25b6",
      "plain",
      gettext("Node %(node)s runs again"),
      gettext("Its copies of queues that live elsewhere are wiped; its mirrors begin empty."),
    ),
  MirrorJoined: ({ why }) =>
    sentence(
      "+",
      "plain",
      gettext("A mirror of %(queue)s began on %(node)s"),
      why.depth_delta > 0
        ? ngettext(
            "It is empty and lacks %(lacks)s message that the master has.",
            "It is empty and lacks %(lacks)s messages that the master has.",
            why.depth_delta,
          )
        : gettext("The master is empty too, so it lacks nothing."),
      { lacks: number(why.depth_delta) },
    ),
  MirrorLeft: ({ how }) =>
    sentence("\u2212", "alarm", gettext("%(node)s has no mirror of %(queue)s any more"), LEFT[how]?.() ?? ""),
  MirrorSynchronised: () =>
    sentence(
      "=",
      "alpha",
      gettext("The mirror on %(node)s is synchronised"),
      gettext("It has as many messages as the master, ready and unacknowledged together."),
    ),
  QueuePromoted: ({ why }) =>
    sentence(
      "\u21a5",
      "alarm",
      gettext("The mirror on %(node)s is the master of %(queue)s now"),
      why.lost > 0
        ? ngettext(
            "It lacked %(lost)s message, which is lost. What was unacknowledged is delivered again.",
            "It lacked %(lost)s messages, which are lost. What was unacknowledged is delivered again.",
            why.lost,
          )
        : gettext("It lacked nothing. What was unacknowledged is delivered again."),
      { lost: number(why.lost) },
    ),
  RingSent: ({ count, hops }) =>
    sentence(
      "\u21bb",
      "plain",
      ngettext(
        "%(count)s instruction (%(instruction)s) goes around the ring",
        "%(count)s instructions (%(instruction)s) go around the ring",
        count,
      ),
      gettext("From %(node)s over %(hops)s members, each in the same order."),
      { count: number(count), hops: number(hops) },
    ),
  SyncStarted: () =>
    sentence(
      "\u21c9",
      "alarm",
      gettext("%(queue)s fills its mirrors"),
      gettext("They throw away what they have. Until that is over, the queue takes and delivers nothing."),
    ),
  SyncEnded: ({ how, why }) =>
    sentence("\u21c9", "plain", ngettext("%(queue)s sent its mirrors %(sent)s message", "%(queue)s sent its mirrors %(sent)s messages", why.sent), SYNC_ENDS[how]?.() ?? "", {
      sent: number(why.sent),
    }),
};
