/** What clients and the node do in AMQP's own words, as sentences. */
import { gettext, ngettext, number } from "./text.js";
import { said } from "./why-said.js";

const CAUSES = {
  cancelled: () => gettext("The client asked for it (basic.cancel). What it holds it may still acknowledge."),
  deleted: () => gettext("Its queue was deleted."),
  expired: () => gettext("Its queue expired: nobody used it for as long as x-expires says."),
  auto_delete: () => gettext("Its queue was auto-delete and lost its last consumer."),
  exclusive: () => gettext("Its queue was exclusive and went with its connection."),
  crash: () => gettext("The process of its queue crashed."),
  restart: () => gettext("Its queue was not durable and did not survive the restart."),
};

const DEATHS = {
  expired: () => gettext("Its time to live was over when it was the head of the queue."),
  rejected: () => gettext("A consumer rejected it without requeue."),
  maxlen: () => gettext("The queue was at its length limit."),
};

function closed(row, what) {
  const [, , actor, code, text] = row;
  return said(code === 200 ? "\u25a1" : "\u2715", code === 200 ? "plain" : "alarm", what, text ?? "", {
    actor,
    code,
  });
}

function gotEmpty(row) {
  return said(
    "\u2205",
    "plain",
    gettext("%(queue)s was empty"),
    gettext("basic.get found no message: the broker answers get_empty, and nothing changes."),
    { queue: row[3] },
  );
}

function unroutable(row) {
  const values = { count: number(row[3]), exchange: row[4] || gettext("the default exchange"), key: row[5] };
  return row[6]
    ? said(
        "\u21a9",
        "alarm",
        ngettext("%(count)s message returned: no route", "%(count)s messages returned: no route", row[3]),
        gettext("They were mandatory, and no binding of %(exchange)s fits the routing key %(key)s."),
        values,
      )
    : said(
        "\u2205",
        "alarm",
        ngettext("%(count)s message went nowhere", "%(count)s messages went nowhere", row[3]),
        gettext("No binding of %(exchange)s fits the routing key %(key)s, so the node drops them."),
        values,
      );
}

function deadLettered(row) {
  const to = (row[7] ?? []).join(", ");
  return said(
    "\u271d",
    "plain",
    to
      ? ngettext("%(count)s dead letter to %(to)s", "%(count)s dead letters to %(to)s", row[4])
      : ngettext(
          "%(count)s dead letter that no queue gets",
          "%(count)s dead letters that no queue gets",
          row[4],
        ),
    DEATHS[row[3]]?.() ?? "",
    { count: number(row[4]), to },
  );
}

export const AMQP_WORDS = {
  ExchangeDeclared: (row) =>
    said("+", "plain", gettext("Exchange %(exchange)s declared: %(type)s"), "", {
      exchange: row[2],
      type: row[3]?.type ?? "",
    }),
  ExchangeDeleted: (row) =>
    said("\u2212", "plain", gettext("Exchange %(exchange)s is gone"), "", { exchange: row[2] }),
  QueueBound: (row) =>
    said("\u21c4", "plain", gettext("%(queue)s bound to %(exchange)s"), gettext("Routing key: %(key)s"), {
      exchange: row[2],
      queue: row[3],
      key: row[4] || "\u201c\u201d",
    }),
  QueueUnbound: (row) =>
    said("\u2212", "plain", gettext("%(queue)s no longer bound to %(exchange)s"), "", {
      exchange: row[2],
      queue: row[3],
    }),
  PolicySet: (row) =>
    said(
      "\u2699",
      "plain",
      gettext("Policy %(policy)s set"),
      gettext("It applies to every queue whose name fits; a queue's own arguments are weighed against it."),
      { policy: row[2] },
    ),
  PolicyCleared: (row) =>
    said("\u2699", "plain", gettext("Policy %(policy)s cleared"), "", { policy: row[2] }),
  ChannelClosed: (row) => closed(row, gettext("Channel of %(actor)s closed (%(code)s)")),
  ConnectionClosed: (row) => closed(row, gettext("Connection of %(actor)s closed (%(code)s)")),
  ConsumerCancelled: (row) =>
    said(
      "\u2212",
      "plain",
      gettext("%(actor)s no longer consumes from %(queue)s"),
      CAUSES[row[4]?.cause]?.() ?? "",
      { actor: row[2], queue: row[3] },
    ),
  Unroutable: unroutable,
  GotEmpty: gotEmpty,
  NacksSent: (row) =>
    said(
      "\u2715",
      "alarm",
      ngettext("%(count)s publish refused (nack)", "%(count)s publishes refused (nack)", row[3]),
      row[4]?.cause === "crashed"
        ? gettext("The queue process crashed before it could confirm them.")
        : gettext("The queue is full and its overflow is reject-publish."),
      { count: number(row[3]) },
    ),
  Committed: (row) =>
    said(
      "\u2713",
      "alpha",
      ngettext("Transaction of %(count)s message committed", "Transaction of %(count)s messages committed", row[3]),
      gettext(
        "All queues have confirmed all of it, on disk where that is due; only now commit_ok goes out and the client goes on.",
      ),
      { count: number(row[3]) },
    ),
  Rejected: (row) =>
    said(
      "\u2715",
      "alarm",
      ngettext("%(count)s message not let into %(queue)s", "%(count)s messages not let into %(queue)s", row[3]),
      gettext("The queue is at its length limit and its overflow is reject-publish."),
      { count: number(row[3]), queue: row[2] },
    ),
  DeadLettered: deadLettered,
};
