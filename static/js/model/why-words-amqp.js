/** What clients and the node do in AMQP's own words, as sentences. */
import { gettext, ngettext, number } from "./text.js";
import { sentence } from "./why-sentence.js";

/**
 * @import { TransitionOf } from "./catalogue/types.js"
 * @import { Words } from "./why-sentence.js"
 */

/** @type {Record<string, () => string>} */
const CAUSES = {
  cancelled: () => gettext("The client asked for it (basic.cancel). It may still acknowledge what it holds."),
  deleted: () => gettext("Its queue was deleted."),
  expired: () => gettext("Its queue expired: nobody used it for as long as x-expires says."),
  auto_delete: () => gettext("Its queue was auto-delete and lost its last consumer."),
  exclusive: () => gettext("Its queue was exclusive and went with its connection."),
  crash: () => gettext("The process of its queue crashed."),
  restart: () => gettext("Its queue was not durable and did not survive the restart."),
};

/** @type {Record<string, () => string>} */
const DEATHS = {
  expired: () => gettext("Its time to live was over when it was the head of the queue."),
  rejected: () => gettext("A consumer rejected it without requeue."),
  maxlen: () => gettext("The queue was at its length limit."),
};

/**
 * @param {{ code: number, text: string }} t
 * @param {string} what
 */
function closed({ code, text }, what) {
  return sentence(code === 200 ? "\u25a1" : "\u2715", code === 200 ? "plain" : "alarm", what, text);
}

function gotEmpty() {
  return sentence(
    "\u2205",
    "plain",
    gettext("%(queue)s was empty"),
    gettext("basic.get found no message: the broker answers get-empty, and nothing changes."),
  );
}

/**
 * @param {TransitionOf<"Unroutable">} t
 * @param {number} n
 */
function unroutable(t, n) {
  const values = {
    count: number(n),
    exchange: t.exchange || gettext("the default exchange"),
    key: t.routing_key,
  };
  return t.returned
    ? sentence(
        "\u21a9",
        "alarm",
        ngettext("%(count)s message returned: no route", "%(count)s messages returned: no route", n),
        gettext("They were mandatory, and no binding of %(exchange)s fits the routing key %(key)s."),
        values,
      )
    : sentence(
        "\u2205",
        "alarm",
        ngettext("%(count)s message went nowhere", "%(count)s messages went nowhere", n),
        gettext("No binding of %(exchange)s fits the routing key %(key)s, so the node drops them."),
        values,
      );
}

/**
 * @param {TransitionOf<"DeadLettered">} t
 * @param {number} n
 */
function deadLettered(t, n) {
  const to = t.to.join(", ");
  return sentence(
    "\u271d",
    "plain",
    to
      ? ngettext("%(count)s dead letter to %(to)s", "%(count)s dead letters to %(to)s", n)
      : ngettext(
          "%(count)s dead letter that no queue gets",
          "%(count)s dead letters that no queue gets",
          n,
        ),
    DEATHS[t.reason]?.() ?? "",
    { count: number(n), to },
  );
}

/** @type {Words} */
export const AMQP_WORDS = {
  ExchangeDeclared: ({ values }) =>
    sentence("+", "plain", gettext("Exchange %(exchange)s declared: %(type)s"), "", { type: values.type }),
  ExchangeDeleted: () => sentence("\u2212", "plain", gettext("Exchange %(exchange)s is gone")),
  QueueBound: (t) =>
    sentence("\u21c4", "plain", gettext("%(queue)s bound to %(exchange)s"), gettext("Routing key: %(key)s"), {
      key: t.routing_key || "\u201c\u201d",
    }),
  QueueUnbound: () => sentence("\u2212", "plain", gettext("%(queue)s no longer bound to %(exchange)s")),
  PolicySet: () =>
    sentence(
      "\u2699",
      "plain",
      gettext("Policy %(policy)s set"),
      gettext("It applies to every queue whose name fits; a queue's own arguments are weighed against it."),
    ),
  VhostAdded: () =>
    sentence("\u2699", "plain", gettext("Virtual host %(vhost)s added, with stores of its own")),
  VhostDeleted: () =>
    sentence("\u2699", "plain", gettext("Virtual host %(vhost)s deleted, with all that was in it")),
  HappenedElsewhere: () => sentence("\u2026", "plain", gettext("Something changed in virtual host %(vhost)s")),
  PolicyCleared: () => sentence("\u2699", "plain", gettext("Policy %(policy)s cleared")),
  ChannelClosed: (t) => closed(t, gettext("Channel of %(actor)s closed (%(code)s)")),
  ConnectionClosed: (t) => closed(t, gettext("Connection of %(actor)s closed (%(code)s)")),
  ConsumerCancelled: ({ why }) =>
    sentence(
      "\u2212",
      "plain",
      gettext("%(actor)s no longer consumes from %(queue)s"),
      CAUSES[why.cause]?.() ?? "",
    ),
  Unroutable: unroutable,
  GotEmpty: gotEmpty,
  NacksSent: ({ why }, n) =>
    sentence(
      "\u2715",
      "alarm",
      ngettext("%(count)s publish refused (nack)", "%(count)s publishes refused (nack)", n),
      why.cause === "crashed"
        ? gettext("The queue process crashed before it could confirm them.")
        : gettext("The queue is full and its overflow is reject-publish."),
      { count: number(n) },
    ),
  ConfirmsForgotten: (_, n) =>
    sentence(
      "?",
      "alarm",
      ngettext("%(count)s confirm never comes", "%(count)s confirms never come", n),
      gettext(
        "The channel of %(actor)s closed while it waited for them. The messages may be in their queues or not; to be sure, publish them again.",
      ),
      { count: number(n) },
    ),
  Committed: (_, n) =>
    sentence(
      "\u2713",
      "alpha",
      ngettext("Transaction of %(count)s message committed", "Transaction of %(count)s messages committed", n),
      gettext(
        "All queues have confirmed everything, on disk where required. Only now does commit-ok go out, and the client goes on.",
      ),
      { count: number(n) },
    ),
  Rejected: (_, n) =>
    sentence(
      "\u2715",
      "alarm",
      ngettext("%(count)s message not let into %(queue)s", "%(count)s messages not let into %(queue)s", n),
      gettext("The queue is at its length limit and its overflow is reject-publish."),
      { count: number(n) },
    ),
  DeadLettered: deadLettered,
};
