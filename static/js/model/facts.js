/**
 * What a surface may ask of a moment: headline, gauges, chips, charts, table and stage read it here and compute none of it themselves
 * (tests/layering/test_facts.py). Each fact comes from the state alone, so it is the same live, repeated and in a page that works offline.
 */
import { STORE_FILE as F } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { DEFAULT_QUEUE, lengthOf, lettersOf, pendingOf, readyOf } from "./messages.js";
import { aboutPlace, countedLanesOf, goneIn, lanesOf, limitedLanesOf, pendingPlacesOf } from "./places.js";
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
  const target = targetOf(queue);
  const memory = memoryOf(state);
  const over = overTarget(queue);
  return {
    queue,
    name,
    counters,
    lengths,
    onlyCounted: sum(countedLanesOf(queue)),
    ready,
    limited: sum(limitedLanesOf(queue, "contents")),
    unacked: pendingOf(queue),
    target,
    inRam: contentsInRam(queue),
    mode: queue?.mode || "default",
    ...memory,
    over,
    next: nextSeqOf(queue),
    // Contents leave RAM: some must, or memory is past the paging line and the target lets no more come in.
    paging: target !== null && (over > 0 || memory.past),
    asleep: name !== null && isAsleep(state, name),
    alarms: alarmsOf(state),
  };
}

/**
 * How many contents a queue may keep in RAM; null for any number.
 * @param {QueueSnapshot | null} queue
 * @returns {number | null}
 */
export const targetOf = (queue) => queue?.counters.target_ram_count ?? null;

/**
 * How many contents of ready messages a queue has in RAM.
 * @param {QueueSnapshot | null} queue
 * @returns {number}
 */
export const contentsInRam = (queue) => queue?.counters.ram_msg_count ?? 0;

/**
 * How many contents are to leave RAM: those of ready and of unacknowledged messages beyond the target (Q45); 0 without one.
 * @param {QueueSnapshot | null} queue
 */
function overTarget(queue) {
  const target = targetOf(queue);
  if (target === null) return 0;
  const held = pendingPlacesOf(queue).filter((place) => aboutPlace(place).content === "ram");
  return Math.max(0, contentsInRam(queue) + held.reduce((sum, place) => sum + lengthOf(queue, place), 0) - target);
}

/**
 * Whether a queue's process hibernates: it reports no rates, so it gets no target until something comes (P4, P5). The node tells of the
 * usual queue's process, the others tell of their own.
 * @param {RunSnapshot} state
 * @param {string} name
 */
function isAsleep({ node, queues }, name) {
  return (queues[name]?.queue_process ?? (name === DEFAULT_QUEUE ? node.clock.queue_process : null)) === "hibernating";
}

/**
 * The number that the next message of a queue gets: 0 where none ever came.
 * @param {QueueSnapshot | null} queue
 * @returns {number}
 */
export const nextSeqOf = (queue) => queue?.counters.next_seq_id ?? 0;

/**
 * How many messages the reader took by hand and holds.
 * @param {RunSnapshot} state
 * @returns {number}
 */
export const heldByHand = ({ node }) => node.actors?.hand?.unacked ?? 0;

/**
 * Which alarms are set.
 * @param {RunSnapshot} state
 */
export const alarmsOf = ({ node }) => ({ memory: Boolean(node.alarms.memory), disk: Boolean(node.alarms.disk) });

/**
 * The disk as the node saw it last: free and total bytes and the limit, null where it watches none, and whether its alarm is set.
 * @param {RunSnapshot} state
 * @returns {{ free: number | null, total: number | null, limit: number | null, alarm: boolean }}
 */
export function diskOf({ node }) {
  const { free = null, total = null, limit = null, alarm = false } = /** @type {Values} */ (node.disk);
  return { free, total, limit, alarm: Boolean(alarm) };
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
    target: targetOf(queue) ?? generationOf(queue).gauge(queue, settings)?.value ?? null,
  };
}

/** @typedef {ReturnType<typeof figures>} Figures */

/**
 * The node's memory as it was counted last, its watermark, where paging begins (M3; null where a release has no paging, W70), and
 * whether it is past that, and by how much.
 * @param {RunSnapshot} state
 */
export function memoryOf({ node }) {
  const { process_memory: used = 0, limit = null, paging_at = null } =
    /** @type {{ process_memory?: number, limit?: number | null, paging_at?: number | null }} */ (node.memory);
  const pagingAt = goneIn(node.settings).paging ? null : paging_at;
  return { used, limit, pagingAt, past: pagingAt !== null && used >= pagingAt, beyond: Math.max(0, used - (pagingAt ?? used)) };
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
