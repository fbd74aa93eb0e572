/** The index entries that q2 and q3 may keep in RAM, and those that must go to delta (Q48, Q49). */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { LANES, lengthOf, rowsOf } from "../model/messages.js";

/** How many betas and gammas a queue may keep; null for any number. */
export function permittedBetas(queue, segmentEntries) {
  const target = queue.counters.target_ram_count ?? null;
  const lengths = Object.fromEntries(LANES.map((lane) => [lane, lengthOf(queue, lane)]));
  const inner = lengths.q2 + lengths.delta + lengths.q3;
  if (target === null || inner + lengths.q1 + lengths.q4 === 0) return null;
  if (queue.mode === "lazy") return target;
  if (target === 0) return Math.min(lengths.q3, segmentEntries);
  // b * b does not fit a double beyond 94 million messages, which no session has.
  return Math.max(segmentEntries, inner - Math.floor((inner * inner) / (inner + target)));
}

/**
 * {permitted, held, surplus, batch, q3, q2}: how many are held and permitted, and how many of the surplus would leave
 * q3's tail and q2's head. Null where any number may stay.
 */
export function betaSurplus(queue, settings) {
  const entries = settings.segment_entry_count || 2048;
  const permitted = permittedBetas(queue, entries);
  if (permitted === null) return null;
  const held = lengthOf(queue, "q2") + lengthOf(queue, "q3");
  const surplus = Math.max(0, held - permitted);
  const q3 = Math.min(surplus, beyondFirstSegment(rowsOf(queue, "q3"), entries));
  return {
    permitted,
    held,
    surplus,
    batch: settings.msg_store_io_batch_size || 1,
    q3,
    q2: Math.min(surplus - q3, lengthOf(queue, "q2")),
  };
}

/** q3 keeps the segment of its head: how many of its messages are beyond that. */
function beyondFirstSegment(rows, entries) {
  if (!rows.length) return 0;
  const boundary = (Math.floor(rows[0][E.start] / entries) + 1) * entries;
  return rows.reduce((sum, [start, count]) => sum + Math.max(0, start + count - Math.max(start, boundary)), 0);
}
