/** The situation in one plain sentence, and a few numbers that several parts of the page share. */
import { EXTENT as E } from "./catalogue/rows.js";
import { lengthOf, pendingOf, readyOf } from "./messages.js";
import { countedLanesOf, lanesOf, limitedLanesOf } from "./places.js";
import { shownQueue } from "./shown.js";
import { fill, gettext, ngettext, number } from "./text.js";

/** @import { State, Values } from "./catalogue/types.js" */

/**
 * Lengths of the lanes, the unacked, and what of it is in RAM.
 * @param {State} state
 */
export function figures(state) {
  const name = shownQueue(state);
  const queue = name === null ? null : state.queues[name];
  const lengths = Object.fromEntries(lanesOf(queue).map((lane) => [lane, lengthOf(queue, lane)]));
  const ready = readyOf(queue);
  /** @param {string[]} lanes */
  const sum = (lanes) => lanes.reduce((total, lane) => total + lengths[lane], 0);
  const counters = queue?.counters || {};
  return {
    queue,
    name,
    counters,
    lengths,
    entries: sum(limitedLanesOf(queue, "entries")),
    onlyCounted: sum(countedLanesOf(queue)),
    ready,
    limited: sum(limitedLanesOf(queue, "contents")),
    unacked: pendingOf(queue),
    target: counters.target_ram_count ?? null,
    inRam: counters.ram_msg_count ?? 0,
    mode: queue?.mode || "default",
    alarms: state.node.alarms,
  };
}

/** @typedef {ReturnType<typeof figures>} Figures */

/**
 * The sentence above the stage: {text, tone}.
 * @param {State} state
 */
export function situation(state) {
  const now = figures(state);
  if (now.alarms.disk)
    return sentence(
      "alarm",
      gettext("Disk alarm: publishers are blocked and nothing is paged out while the disk is full."),
    );
  if (now.alarms.memory)
    return sentence(
      "alarm",
      gettext("Memory alarm: publishers are blocked until RAM falls below the watermark. Paging goes on."),
    );
  if (!now.ready && !now.unacked)
    return now.counters.next_seq_id
      ? sentence("plain", gettext("The queue is empty: every message has left it."))
      : sentence("plain", gettext("The queue is empty."));
  if (now.target !== null) return paging(now);
  return calm(now);
}

/**
 * @param {string} tone
 * @param {string} text
 */
function sentence(tone, text, values = {}) {
  return { tone, text: fill(text, values) };
}

/** @param {Figures} now */
function paging(now) {
  const over =
    now.inRam + (now.queue?.lanes.ram_pending || []).reduce((sum, row) => sum + row[E.count], 0) - now.target;
  if (over > 0) {
    return sentence(
      "beta",
      ngettext(
        "Past the paging line: %(n)s message content must leave RAM.",
        "Past the paging line: %(n)s message contents must leave RAM.",
        over,
      ),
      { n: number(over) },
    );
  }
  if (now.onlyCounted > 0) {
    return sentence(
      "delta",
      ngettext(
        "Of the %(n)s message in delta RAM keeps only four numbers: start, count, how many are transient, and end.",
        "Of the %(n)s messages in delta RAM keeps only four numbers: start, count, how many are transient, and end.",
        now.onlyCounted,
      ),
      { n: number(now.onlyCounted) },
    );
  }
  return sentence(
    "beta",
    ngettext(
      "Past the paging line: %(n)s content may stay in RAM, and no more is there.",
      "Past the paging line: %(n)s contents may stay in RAM, and no more are there.",
      now.target,
    ),
    { n: number(now.target) },
  );
}

/** @param {Figures} now */
function calm(now) {
  if (now.mode === "lazy")
    return sentence(
      "delta",
      gettext("Lazy mode: every message goes to disk at once, and RAM stays almost empty."),
    );
  if (now.onlyCounted > 0) {
    return sentence(
      "delta",
      ngettext(
        "Memory is fine again, yet %(n)s message stays on disk until its turn comes.",
        "Memory is fine again, yet %(n)s messages stay on disk until their turn comes.",
        now.onlyCounted,
      ),
      { n: number(now.onlyCounted) },
    );
  }
  if (now.entries > 0) {
    return sentence(
      "gamma",
      ngettext(
        "%(n)s content is on disk and its index in RAM: it is read when its turn comes.",
        "%(n)s contents are on disk and their index in RAM: they are read when their turn comes.",
        now.entries,
      ),
      { n: number(now.entries) },
    );
  }
  if (!now.ready)
    return sentence(
      "alpha",
      ngettext(
        "The queue is empty; consumers hold %(n)s message.",
        "The queue is empty; consumers hold %(n)s messages.",
        now.unacked,
      ),
      { n: number(now.unacked) },
    );
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
 * The strategy by which the node counts its memory (M9); `legacy` is erlang's old name.
 * @param {Values | undefined} settings
 */
export function strategyOf(settings) {
  const named = settings?.vm_memory_calculation_strategy ?? "erlang";
  return named === "legacy" ? "erlang" : named;
}
