/** Where a message's bytes are: its record in a store file. What a queue has in files of its own stands in generations/. */
import { EXTENT as E, HOME_STORE, IN_STORE, STORE_FILE as F, STORE_ROW as S } from "./catalogue/rows.js";
import { recordBytes } from "./columns.js";
import { locate, recordOf, recordOfNumber, rowsOf, waitsInBuffer } from "./messages.js";
import { listedPlacesOf } from "./places.js";
import { bytesOfRow, lowestByte, offsetOf, recordAt } from "./stretches.js";

/**
 * @import { QueueSnapshot, RunSnapshot, Values } from "./catalogue/types.js"
 * @import { StoreRecord } from "./messages.js"
 */

/** @typedef {StoreRecord & { msgNo?: number, refs?: number }} RecordAt a record, with its message's number and references where they are known */

/** @typedef {{ why: string, text?: string, buffered?: number, record?: StoreRecord }} NoBytes why there is nothing to read; `text` where a kind of queue has a sentence of its own */

/** @typedef {{ question: Values, key: string, later: string, record?: StoreRecord, acked?: boolean }} BytesQuestion the question for the host, and the key under which the answer is kept */

/** @typedef {NoBytes | BytesQuestion} Plan where to read bytes */

/** @typedef {Values & { msg_id: string | null, fields: { value: string }[], embedded?: boolean }} SentRecord an index record as the host sent it */

/**
 * The record that covers a byte of a store file: {store, file, offset, bytes, msgNo, refs}, or null.
 * @param {RunSnapshot} state
 * @param {string} store
 * @param {number} file
 * @param {number} at
 */
export function recordAtByte(state, store, file, at) {
  for (const row of state.stores[store]?.rows || []) {
    if (row[S.file] !== file) continue;
    const low = lowestByte(row);
    if (at < low || at >= low + bytesOfRow(row)) continue;
    const skip = recordAt(row, at);
    const msgNo = row[S.start] + skip;
    return { store, file, offset: offsetOf(row, skip), bytes: recordBytes(row[S.record_bytes], msgNo, 1), msgNo, refs: row[S.refs] };
  }
  return null;
}

/**
 * The seq_id of a message number, where a lane lists it; else null.
 * @param {QueueSnapshot} queue
 * @param {number} msgNo
 */
export function seqOfNumber(queue, msgNo) {
  for (const place of listedPlacesOf(queue))
    for (const row of rowsOf(queue, place))
      if (msgNo >= row[E.msg_no] && msgNo < row[E.msg_no] + row[E.count]) return row[E.start] + msgNo - row[E.msg_no];
  return null;
}

/**
 * Where to read a message's content: {question} or {why}: "gone", "ram", "embedded", "buffer", "unknown" (RAM keeps no
 * number and the index record is not read yet). `indexRecord` is the index record as the server sent it, or null.
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null | undefined} queue
 * @param {number} seq
 * @param {SentRecord | null} indexRecord
 * @returns {Plan}
 */
export function storePlan(state, queue, seq, indexRecord) {
  const found = queue && locate(queue, seq);
  if (!found) return { why: "gone" };
  if (found.row && !(found.row[E.flags] & HOME_STORE)) return { why: "embedded" };
  if (found.row && !(found.row[E.flags] & IN_STORE)) return { why: "ram" };
  if (!found.row && !indexRecord?.fields) return { why: "unknown" };
  if (!found.row && (indexRecord?.embedded || !indexRecord?.msg_id)) return { why: "embedded" };
  const record = found.row || !indexRecord ? recordOf(state, queue, seq) : recordInStore(state, indexRecord);
  return record ? placePlan(state, record) : { why: "gone" };
}

/**
 * Make the question for the record at a place of a store, unless its bytes are in the write buffer.
 * @param {RunSnapshot} state
 * @param {StoreRecord} record
 * @returns {Plan}
 */
export function placePlan(state, record) {
  const { store, file, offset } = record;
  if (waitsInBuffer(state, record)) return { why: "buffer", buffered: state.stores[store].buffered_bytes, record };
  const row = state.stores[store].files.find((each) => each[F.number] === file);
  const name = `${store}:${file}`;
  return { question: { file: name, offset }, key: `${name}:${offset}`, later: String(row?.[F.disk_bytes]), record };
}

/**
 * The store record of a message whose index record was read: its id ends with its number.
 * @param {RunSnapshot} state
 * @param {SentRecord} indexRecord
 */
function recordInStore(state, indexRecord) {
  if (!indexRecord.msg_id) return null;
  const msgNo = Number.parseInt(indexRecord.msg_id.slice(16), 16);
  // The first field says it of version 1, the second of version 2.
  const persistent = indexRecord.fields.slice(0, 2).some(({ value }) => value.includes("persistent"));
  return recordOfNumber(state, persistent ? "persistent" : "transient", msgNo);
}
