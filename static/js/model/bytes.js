/** Where a message's bytes are: its index entry by segment, its record in a store file. */
import { HOME_STORE, IN_STORE, PERSISTENT, locate } from "./messages.js";
import { holding } from "./runs.js";

/** {segment, relative} of a seq_id. */
export function entryOf(state, seq) {
  const size = state.node.settings.segment_entry_count || 2048;
  return { segment: Math.floor(seq / size), relative: seq % size };
}

/** {store, file, offset, bytes} of a message's record, or null where it has none (or delta hides its number). */
export function recordOf(state, queue, seq) {
  const found = locate(queue, seq);
  if (!found?.row || !(found.row[4] & IN_STORE) || !(found.row[4] & HOME_STORE)) return null;
  const store = found.row[4] & PERSISTENT ? "persistent" : "transient";
  const msgNo = found.row[2] + seq - found.row[0];
  const row = holding(state.stores[store]?.rows || [], msgNo);
  if (!row) return null;
  return { store, file: row[3], offset: row[4] + (msgNo - row[0]) * row[6] * row[5], bytes: row[5] };
}
