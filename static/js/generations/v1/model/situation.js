/** The situation of a queue of version 1 in one sentence: what may stay in RAM, and where the messages are. */
import { EXTENT as E, IN_RAM } from "../../../model/catalogue/rows.js";
import { limitedLanesOf } from "../../../model/places.js";
import { onlyHeld, sentence } from "../../../model/situation.js";
import { bytes, gettext, ngettext, number } from "../../../model/text.js";

/** @import { Figures } from "../../../model/facts.js" */

/**
 * {text, tone} of a queue that is not empty, without an alarm.
 * @param {Figures} now
 */
export function situationOf(now) {
  return now.target === null ? calm(now) : paging(now, now.target);
}

/**
 * @param {Figures} now
 * @param {number} target
 */
function paging(now, target) {
  const { over } = now;
  if (over > 0) {
    return sentence(
      "beta",
      now.past
        ? ngettext(
            "Past the paging line: %(n)s message content must leave RAM.",
            "Past the paging line: %(n)s message contents must leave RAM.",
            over,
          )
        : ngettext(
            "The target allows fewer: %(n)s message content must leave RAM.",
            "The target allows fewer: %(n)s message contents must leave RAM.",
            over,
          ),
      { n: number(over) },
    );
  }
  if (now.onlyCounted > 0) return counted(now.onlyCounted);
  return sentence(
    "beta",
    now.past
      ? ngettext(
          "Past the paging line: %(n)s content may stay in RAM, and RAM holds no more than that.",
          "Past the paging line: %(n)s contents may stay in RAM, and RAM holds no more than that.",
          target,
        )
      : ngettext(
          "The target lets %(n)s content stay in RAM, and RAM holds no more than that.",
          "The target lets %(n)s contents stay in RAM, and RAM holds no more than that.",
          target,
        ),
    { n: number(target) },
  );
}

/**
 * What RAM knows of delta.
 * @param {number} n
 */
function counted(n) {
  return sentence(
    "delta",
    ngettext(
      "RAM keeps only four numbers for the %(n)s message in delta: start, count, how many are transient, and end.",
      "RAM keeps only four numbers for the %(n)s messages in delta: start, count, how many are transient, and end.",
      n,
    ),
    { n: number(n) },
  );
}

/** @param {Figures} now */
function calm(now) {
  if (now.mode === "lazy")
    return now.inRam
      ? sentence(
          "delta",
          ngettext(
            "Lazy mode: new messages go to disk at once; %(n)s content waits in RAM.",
            "Lazy mode: new messages go to disk at once; %(n)s contents wait in RAM.",
            now.inRam,
          ),
          { n: number(now.inRam) },
        )
      : sentence("delta", gettext("Lazy mode: every message goes to disk at once, and RAM stays almost empty."));
  if (now.past)
    return sentence(
      "beta",
      now.asleep
        ? gettext("Memory is %(used)s, %(beyond)s over the paging line of %(line)s, but the queue sleeps and reports no rates, so nothing is paged out: the next message wakes it.")
        : gettext("Memory is %(used)s, %(beyond)s over the paging line of %(line)s, but this queue has no target yet: it gets one when it reports its rates."),
      { used: bytes(now.used), beyond: bytes(now.beyond), line: bytes(now.pagingAt) },
    );
  if (now.onlyCounted > 0) {
    return sentence(
      "delta",
      ngettext(
        "Memory is under the paging line, yet %(n)s message stays on disk until its turn comes.",
        "Memory is under the paging line, yet %(n)s messages stay on disk until their turn comes.",
        now.onlyCounted,
      ),
      { n: number(now.onlyCounted) },
    );
  }
  const unread = unreadOf(now.queue);
  if (unread > 0) {
    return sentence(
      "gamma",
      ngettext(
        "%(n)s content is on disk and its index in RAM: it is read when its turn comes.",
        "%(n)s contents are on disk and their index in RAM: they are read when their turn comes.",
        unread,
      ),
      { n: number(unread) },
    );
  }
  if (!now.ready) return onlyHeld(now);
  return sentence(
    "alpha",
    ngettext(
      "%(n)s message waits in RAM: content and index.",
      "All %(n)s messages wait in RAM: content and index.",
      now.ready,
    ),
    { n: number(now.ready) },
  );
}

/**
 * How many messages of the lanes between RAM and disk have their content on disk alone: by their own marks, as the counters
 * of a queue change only where a verb ends.
 * @param {Figures["queue"]} queue
 */
function unreadOf(queue) {
  const rows = limitedLanesOf(queue, "entries").flatMap((lane) => queue?.lanes[lane] ?? []);
  return rows.reduce((sum, row) => sum + (row[E.flags] & IN_RAM ? 0 : row[E.count]), 0);
}
