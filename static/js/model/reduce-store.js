/** The part of the fold that keeps the message stores: files, rows and the cache (S130-S208). */
import { STORE_ROWS, insert, remove } from "./runs.js";

/** A store that holds nothing. */
function emptyStore() {
  return { files: [], current: 0, rows: [], cache: 0, buffered_bytes: 0, orphans: [] };
}

function storeOf(state, name) {
  state.stores[name] ??= emptyStore();
  return state.stores[name];
}

/** The row [number, file_size, valid, locked, disk_bytes] of a file; made on first sight. */
function fileOf(store, number) {
  let file = store.files.find((row) => row[0] === number);
  if (!file) {
    file = [number, 0, 0, false, 0];
    const at = store.files.findIndex((row) => row[0] > number);
    store.files.splice(at < 0 ? store.files.length : at, 0, file);
  }
  return file;
}

/** With step -1 the newest record was written first, so the first message's record lies highest. */
function written(state, [, , name, number, offset, msgNo, count, recordBytes, step = 1]) {
  const store = storeOf(state, name);
  const first = step > 0 ? offset : offset + (count - 1) * recordBytes;
  insert(store.rows, [msgNo, count, 1, number, first, recordBytes, step], STORE_ROWS);
  const file = fileOf(store, number);
  file[1] += count * recordBytes;
  file[2] += count * recordBytes;
  store.current = number;
  store.buffered_bytes += count * recordBytes;
}

function bufferWritten(state, [, , name, number, bytes]) {
  const store = storeOf(state, name);
  fileOf(store, number)[4] += bytes;
  store.buffered_bytes -= bytes;
}

/** Rows that leave 0 references become valid again, rows that reach 0 become garbage. */
function refCountChanged(state, [, , name, msgNo, count, refs]) {
  const store = storeOf(state, name);
  for (const row of remove(store.rows, msgNo, count, STORE_ROWS)) {
    const change = (refs > 0 ? 1 : 0) - (row[2] > 0 ? 1 : 0);
    if (change) fileOf(store, row[3])[2] += change * row[1] * row[5];
    insert(store.rows, [row[0], row[1], refs, ...row.slice(3)], STORE_ROWS);
  }
}

function rowsMoved(state, [, , name, rows]) {
  const store = storeOf(state, name);
  for (const [msgNo, count, file, offset] of rows) {
    let at = offset;
    for (const row of remove(store.rows, msgNo, count, STORE_ROWS)) {
      insert(store.rows, [row[0], row[1], row[2], file, at, row[5], row[6]], STORE_ROWS);
      at += row[1] * row[6] * row[5];
    }
  }
}

/** A file leaves the table; what stays on disk because somebody has it open is an orphan. */
function retire(store, number, leftOnDisk) {
  store.files = store.files.filter((row) => row[0] !== number);
  if (leftOnDisk) store.orphans = [...store.orphans, [number, leftOnDisk]].sort((a, b) => a[0] - b[0]);
}

function combined(state, [, , name, source, destination, sizeBytes, , leftOnDisk = 0]) {
  const store = storeOf(state, name);
  retire(store, source, leftOnDisk);
  const file = fileOf(store, destination);
  file[1] = sizeBytes;
  file[2] = sizeBytes;
}

function unlinked(state, [, , name, number]) {
  const store = storeOf(state, name);
  const file = store.files.find((row) => row[0] === number);
  if (file) file[4] = 0;
  store.orphans = store.orphans.filter((row) => row[0] !== number);
}

export const STORE_HANDLERS = {
  StoreWritten: written,
  WriteIgnored: () => {},
  BufferWritten: bufferWritten,
  StoreSynced: () => {},
  FileRolledOver: (state, [, , name, , opened]) => {
    const store = storeOf(state, name);
    fileOf(store, opened);
    store.current = opened;
  },
  RefCountChanged: refCountChanged,
  RowsForgotten: (state, [, , name, messages]) => {
    const store = storeOf(state, name);
    for (const [start, count] of messages) remove(store.rows, start, count, STORE_ROWS);
  },
  FileLocked: (state, [, , name, number, locked]) => {
    fileOf(storeOf(state, name), number)[3] = locked;
  },
  OperationDeferred: () => {},
  CombineStarted: () => {},
  CombineStepped: (state, [, , name, , destination, step, bytes]) => {
    if (step === "truncated") fileOf(storeOf(state, name), destination)[4] = bytes;
  },
  RowsMoved: rowsMoved,
  FilesCombined: combined,
  FileDeleted: (state, [, , name, number, , leftOnDisk = 0]) => {
    retire(storeOf(state, name), number, leftOnDisk);
  },
  FileUnlinked: unlinked,
  StoreRead: () => {},
  CacheChanged: (state, [, , name, entries]) => {
    storeOf(state, name).cache = entries;
  },
  StoreStopped: (state, [, , name]) => {
    delete state.stores[name];
  },
  StoreRecovered: (state, [, , name, , files, current, rows, orphans = []]) => {
    const store = emptyStore();
    store.files = files.map((row) => row.slice());
    store.current = current;
    for (const row of rows) insert(store.rows, row, STORE_ROWS);
    store.orphans = orphans.slice();
    state.stores[name] = store;
  },
};
