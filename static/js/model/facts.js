/**
 * What a surface may ask of a moment: headline, gauges, chips, charts, table and stage read it here and compute none of it themselves
 * (tests/layering/test_facts.py). Each fact comes from the state alone, so it is the same live, repeated and in a page that works offline.
 */
import { STORE_FILE as F } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { lengthOf, lettersOf, pendingOf, readyOf } from "./messages.js";
import { countedLanesOf, goneIn, lanesOf, limitedLanesOf } from "./places.js";
import { shownQueue } from "./shown.js";

/** @import { QueueSnapshot, RunSnapshot, Values } from "./catalogue/types.js" */

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

/**
 * The numbers of one queue by which charts draw it: each lane's length, how many are of each Greek letter, ready, counted, pending, target.
 * @param {QueueSnapshot} queue
 * @param {Values} settings of its node
 * @returns {Values}
 */
export function factsOfQueue(queue, settings) {
  const lengths = Object.fromEntries(lanesOf(queue).map((lane) => [lane, lengthOf(queue, lane)]));
  return {
    ...lengths,
    ...lettersOf(queue),
    ready: readyOf(queue),
    counted: countedLanesOf(queue).reduce((sum, lane) => sum + lengths[lane], 0),
    pending: pendingOf(queue),
    target: queue.counters?.target_ram_count ?? generationOf(queue).gauge(queue, settings)?.value ?? null,
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
 * The strategy by which the node counts its memory (M9); `legacy` is erlang's old name.
 * @param {Values | undefined} settings
 */
export function strategyOf(settings) {
  const named = settings?.vm_memory_calculation_strategy ?? "erlang";
  return named === "legacy" ? "erlang" : named;
}
