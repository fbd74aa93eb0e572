/** The situation in one plain sentence, and a few numbers that several parts of the page share. */
import { STORE_FILE as F } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { lengthOf, pendingOf, readyOf } from "./messages.js";
import { countedLanesOf, goneIn, lanesOf, limitedLanesOf } from "./places.js";
import { shownQueue } from "./shown.js";
import { fill, gettext, ngettext, number } from "./text.js";

/** @import { RunSnapshot, Values } from "./catalogue/types.js" */

/**
 * Lengths of the lanes, the unacked, and what of it is in RAM.
 * @param {RunSnapshot} state
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
    onlyCounted: sum(countedLanesOf(queue)),
    ready,
    limited: sum(limitedLanesOf(queue, "contents")),
    unacked: pendingOf(queue),
    target: counters.target_ram_count ?? null,
    inRam: counters.ram_msg_count ?? 0,
    mode: queue?.mode || "default",
    ...memoryOf(state),
    alarms: state.node.alarms,
  };
}

/** @typedef {ReturnType<typeof figures>} Figures */

/**
 * The node's memory as it was counted last, its watermark, where paging begins (M3; null where a release has no paging, W70), and
 * whether it is past that.
 * @param {RunSnapshot} state
 */
export function memoryOf({ node }) {
  const { process_memory: used = 0, limit = null, paging_at = null } =
    /** @type {{ process_memory?: number, limit?: number | null, paging_at?: number | null }} */ (node.memory);
  const pagingAt = goneIn(node.settings).paging ? null : paging_at;
  return { used, limit, pagingAt, past: pagingAt !== null && used >= pagingAt };
}

/**
 * The sentence above the stage: {text, tone}.
 * @param {RunSnapshot} state
 */
export function situation(state) {
  const now = figures(state);
  if (now.alarms.disk)
    return sentence(
      "alarm",
      goneIn(state.node.settings).paging
        ? gettext("Disk alarm: publishers are blocked until enough of the disk is free.")
        : gettext("Disk alarm: publishers are blocked and nothing is paged out while the disk is full."),
    );
  if (now.alarms.memory)
    return sentence(
      "alarm",
      now.target === null || now.inRam <= now.target
        ? gettext("Memory alarm: publishers are blocked until RAM falls below the watermark.")
        : gettext("Memory alarm: publishers are blocked until RAM falls below the watermark. Paging goes on."),
    );
  if (now.name === null) return noQueue(state);
  if (!now.ready && !now.unacked)
    return now.counters.next_seq_id
      ? sentence("plain", gettext("The queue is empty: every message has left it."))
      : sentence("plain", gettext("The queue is empty."));
  return generationOf(now.queue).situation(now);
}

/**
 * The sentence where there is no queue: the broker was stopped (D2), or none is declared or none has started yet.
 * @param {RunSnapshot} state
 */
function noQueue({ node }) {
  return node.app.runs === false
    ? sentence("plain", gettext("The broker is stopped: no queue runs. Its files hold what a start can bring back."))
    : sentence("plain", gettext("No queue runs at this moment."));
}

/**
 * Bytes of all files of the queue and the stores.
 * @param {RunSnapshot} state
 */
export function fileBytes(state) {
  let sum = 0;
  for (const store of Object.values(state.stores)) for (const file of store.files) sum += file[F.disk_bytes];
  for (const queue of Object.values(state.queues))
    for (const file of generationOf(queue).files(queue.own)) sum += file.bytes ?? 0;
  return sum;
}

/** What a node counts for a message in RAM besides its body, at least (docs/calibration.md). */
const MESSAGE_BYTES = 300;

/**
 * How many messages of a size bring memory past the paging line, as it is counted now; 0 where it is past it, null where there is none.
 * @param {RunSnapshot} state
 * @param {number} size of a body in bytes
 */
export function toPagingLine(state, size) {
  const { used, pagingAt } = memoryOf(state);
  if (pagingAt === null) return null;
  return used >= pagingAt ? 0 : Math.ceil((1.1 * (pagingAt - used)) / (size + MESSAGE_BYTES));
}

/**
 * A sentence of the situation, and its tone.
 * @param {string} tone
 * @param {string} text
 */
export function sentence(tone, text, values = {}) {
  return { tone, text: fill(text, values) };
}

/**
 * The sentence of a queue with nothing ready, whatever its version: consumers hold what there is.
 * @param {Figures} now
 */
export function onlyHeld(now) {
  const text = ngettext(
    "The queue is empty; consumers hold %(n)s message.",
    "The queue is empty; consumers hold %(n)s messages.",
    now.unacked,
  );
  return sentence("alpha", text, { n: number(now.unacked) });
}

/**
 * The strategy by which the node counts its memory (M9); `legacy` is erlang's old name.
 * @param {Values | undefined} settings
 */
export function strategyOf(settings) {
  const named = settings?.vm_memory_calculation_strategy ?? "erlang";
  return named === "legacy" ? "erlang" : named;
}
