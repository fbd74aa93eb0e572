/** Where a message's index record is: in a segment, in the journal, in its buffer, or nowhere. */
import { ENTRY as N } from "../../../model/catalogue/rows.js";
import { locate } from "../../../model/messages.js";
import { shownQueue } from "../../../model/shown.js";
import { holding } from "../../../model/stretches.js";
import { entriesPerSegment } from "./fold-index.js";

/**
 * @import { Plan } from "../../../model/bytes.js"
 * @import { QueueSnapshot, RunSnapshot } from "../../../model/catalogue/types.js"
 */

/**
 * {segment, relative} of a seq_id.
 * @param {RunSnapshot} state
 * @param {number} seq
 */
export function entryOf(state, seq) {
  const size = entriesPerSegment(state.node.settings);
  return { segment: Math.floor(seq / size), relative: seq % size };
}

/**
 * Where to read a message's index record: {question} for the server, or {why} there is nothing to read:
 * "gone", "ram" (no record was ever made) or "journal" (it waits in the journal's buffer).
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null | undefined} queue
 * @param {number} seq
 * @returns {Plan}
 */
export function indexPlan(state, queue, seq) {
  const entry = holding(queue?.own.index?.entries || [], seq);
  if (!queue || !entry) return { why: queue && locate(queue, seq) ? "ram" : "gone" };
  const { journal_bytes: written, buffered_bytes: buffered } = queue.own.index;
  if (entry[N.code] >> 3 === 0 && !written) return { why: "journal", buffered };
  const later = `${written}:${buffered}`;
  const name = shownQueue(state);
  return { question: { queue: name, seq }, key: `${name}:${seq}:${entry[N.code]}`, later, acked: (entry[N.code] & 4) !== 0 };
}
