/** The part of the fold that keeps the message stores: files, rows and the cache (S130-S208). */
import { STORE_FILE as F, STORE_ROW as R } from "../../../model/catalogue/rows.js";
import { recordBytes } from "../../../model/columns.js";
import { STORE_ROWS, bytesOfRow, insert, offsetOf, remove } from "../../../model/stretches.js";

/** @import { StoreFile, Handlers, StoreRow, RunSnapshot, StoreSnapshot, TransitionOf } from "../../../model/catalogue/types.js" */

/**
 * A store that holds nothing.
 * @returns {StoreSnapshot}
 */
function emptyStore() {
  return { files: [], current: 0, rows: [], cache: 0, buffered_bytes: 0, orphans: [] };
}

/**
 * @param {RunSnapshot} state
 * @param {string} name
 */
function storeOf(state, name) {
  state.stores[name] ??= emptyStore();
  return state.stores[name];
}

/**
 * The row of a file (STORE_FILE); made on first sight.
 * @param {StoreSnapshot} store
 * @param {number} number
 */
function fileOf(store, number) {
  let file = store.files.find((row) => row[F.number] === number);
  if (!file) {
    file = [number, 0, 0, false, 0];
    const at = store.files.findIndex((row) => row[F.number] > number);
    store.files.splice(at < 0 ? store.files.length : at, 0, file);
  }
  return file;
}

/**
 * With step -1 the newest record was written first, so the first message's record lies highest.
 * @param {RunSnapshot} state
 * @param {TransitionOf<"StoreWritten">} t
 */
function written(state, t) {
  stretchesWritten(state, { ...t, kind: "StretchesWritten", runs: [[t.msg_no, t.count]] });
}

/**
 * Runs lie one behind the other.
 * @param {RunSnapshot} state
 * @param {TransitionOf<"StretchesWritten">} t
 */
function stretchesWritten(state, t) {
  const store = storeOf(state, t.store);
  const file = fileOf(store, t.file);
  let { offset } = t;
  for (const [msgNo, count] of t.runs) {
    const first = t.step > 0 ? offset : offset + recordBytes(t.record_bytes, msgNo + 1, count - 1);
    insert(store.rows, [msgNo, count, 1, t.file, first, t.record_bytes, t.step], STORE_ROWS);
    offset += recordBytes(t.record_bytes, msgNo, count);
  }
  const bytes = offset - t.offset;
  file[F.file_size] += bytes;
  file[F.valid] += bytes;
  store.current = t.file;
  store.buffered_bytes += bytes;
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"BufferWritten">} t
 */
function bufferWritten(state, { store: name, file, bytes }) {
  const store = storeOf(state, name);
  fileOf(store, file)[F.disk_bytes] += bytes;
  store.buffered_bytes -= bytes;
}

/**
 * A row with one field changed.
 * @param {StoreRow} row
 * @param {number} place
 * @param {number} value
 * @returns {StoreRow}
 */
function changed(row, place, value) {
  const copy = /** @type {StoreRow} */ (row.slice());
  copy[place] = value;
  return copy;
}

/**
 * Rows that leave 0 references become valid again, rows that reach 0 become garbage.
 * @param {RunSnapshot} state
 * @param {TransitionOf<"RefCountChanged">} t
 */
function refCountChanged(state, { store, msg_no, count, ref_count }) {
  recount(storeOf(state, store), [[msg_no, count]], ref_count);
}

/**
 * @param {StoreSnapshot} store
 * @param {[msgNo: number, count: number][]} runs
 * @param {number} refs
 */
function recount(store, runs, refs) {
  for (const [msgNo, count] of runs) {
    for (const row of remove(store.rows, msgNo, count, STORE_ROWS)) {
      const change = (refs > 0 ? 1 : 0) - (row[R.refs] > 0 ? 1 : 0);
      if (change) fileOf(store, row[R.file])[F.valid] += change * bytesOfRow(row);
      insert(store.rows, changed(row, R.refs, refs), STORE_ROWS);
    }
  }
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"RowsMoved">} t
 */
function rowsMoved(state, t) {
  const { rows } = storeOf(state, t.store);
  for (const [msgNo, count, file, offset] of t.rows) {
    for (const row of remove(rows, msgNo, count, STORE_ROWS)) {
      const whole = changed(changed(row, R.start, msgNo), R.offset, offset);
      const at = offsetOf(whole, row[R.start] - msgNo);
      insert(rows, changed(changed(row, R.file, file), R.offset, at), STORE_ROWS);
    }
  }
}

/**
 * A file leaves the table; one that stays on disk because a process has it open is an orphan.
 * @param {StoreSnapshot} store
 * @param {number} number
 * @param {number} leftOnDisk
 */
function retire(store, number, leftOnDisk) {
  store.files = store.files.filter((row) => row[F.number] !== number);
  if (!leftOnDisk) return;
  /** @type {[number: number, bytes: number]} */
  const orphan = [number, leftOnDisk];
  store.orphans = [...store.orphans, orphan].sort(([one], [other]) => one - other);
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"FilesCombined">} t
 */
function combined(state, t) {
  const store = storeOf(state, t.store);
  retire(store, t.source, t.left_on_disk);
  const file = fileOf(store, t.destination);
  file[F.file_size] = t.size_bytes;
  file[F.valid] = t.size_bytes;
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"FileUnlinked">} t
 */
function unlinked(state, t) {
  const store = storeOf(state, t.store);
  const file = store.files.find((row) => row[F.number] === t.file);
  if (file) file[F.disk_bytes] = 0;
  store.orphans = store.orphans.filter(([number]) => number !== t.file);
}

/**
 * @param {RunSnapshot} state
 * @param {TransitionOf<"StoreRecovered">} t
 */
function recovered(state, t) {
  const store = emptyStore();
  store.files = t.files.map((row) => /** @type {StoreFile} */ (row.slice()));
  store.current = t.current;
  for (const row of t.rows) insert(store.rows, row, STORE_ROWS);
  store.orphans = t.orphans.slice();
  state.stores[t.store] = store;
}

/** @type {Handlers} */
export const STORE_HANDLERS = {
  StoreWritten: written,
  StretchesWritten: stretchesWritten,
  BufferWritten: bufferWritten,
  FileRolledOver: (state, t) => {
    const store = storeOf(state, t.store);
    fileOf(store, t.opened);
    store.current = t.opened;
  },
  RefCountChanged: refCountChanged,
  StretchesRecounted: (state, { store, runs, ref_count }) => recount(storeOf(state, store), runs, ref_count),
  RowsForgotten: (state, t) => {
    const store = storeOf(state, t.store);
    for (const [start, count] of t.messages) remove(store.rows, start, count, STORE_ROWS);
  },
  FileLocked: (state, t) => {
    fileOf(storeOf(state, t.store), t.file)[F.locked] = t.locked;
  },
  CombineStepped: (state, t) => {
    if (t.step === "truncated") fileOf(storeOf(state, t.store), t.destination)[F.disk_bytes] = t.bytes;
  },
  RowsMoved: rowsMoved,
  FilesCombined: combined,
  FileDeleted: (state, t) => {
    retire(storeOf(state, t.store), t.file, t.left_on_disk);
  },
  FileUnlinked: unlinked,
  FileCut: (state, t) => {
    const file = fileOf(storeOf(state, t.store), t.file);
    file[F.file_size] = t.size_bytes;
    file[F.disk_bytes] = t.size_bytes;
  },
  CacheChanged: (state, t) => {
    storeOf(state, t.store).cache = t.entries;
  },
  StoreStopped: (state, t) => {
    delete state.stores[t.store];
  },
  StoreRecovered: recovered,
};
