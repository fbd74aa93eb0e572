/** The part of the fold that keeps the message stores: files, rows and the cache (S130-S208). */
import { STORE_ROWS, insert, remove } from "./runs.js";

/** A store that holds nothing. */
function emptyStore() {
  return { files: [], current: 0, rows: [], cache: 0, buffered_bytes: 0 };
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

function dropFile(store, number) {
  store.files = store.files.filter((row) => row[0] !== number);
}

function written(state, [, , name, number, offset, msgNo, count, recordBytes]) {
  const store = storeOf(state, name);
  insert(store.rows, [msgNo, count, 1, number, offset, recordBytes], STORE_ROWS);
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
    insert(store.rows, [row[0], row[1], refs, row[3], row[4], row[5]], STORE_ROWS);
  }
}

function rowsMoved(state, [, , name, rows]) {
  const store = storeOf(state, name);
  for (const [msgNo, count, file, offset] of rows) {
    let at = offset;
    for (const row of remove(store.rows, msgNo, count, STORE_ROWS)) {
      insert(store.rows, [row[0], row[1], row[2], file, at, row[5]], STORE_ROWS);
      at += row[1] * row[5];
    }
  }
}

function combined(state, [, , name, source, destination, sizeBytes]) {
  const store = storeOf(state, name);
  dropFile(store, source);
  const file = fileOf(store, destination);
  file.splice(1, 4, sizeBytes, sizeBytes, false, sizeBytes);
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
  CombineStepped: () => {},
  RowsMoved: rowsMoved,
  FilesCombined: combined,
  FileDeleted: (state, [, , name, number]) => {
    dropFile(storeOf(state, name), number);
  },
  StoreRead: () => {},
  CacheChanged: (state, [, , name, entries]) => {
    storeOf(state, name).cache = entries;
  },
  StoreStopped: (state, [, , name]) => {
    delete state.stores[name];
  },
  StoreRecovered: (state, [, , name, , files, current, rows]) => {
    const store = emptyStore();
    store.files = files.map((row) => row.slice());
    store.current = current;
    for (const row of rows) insert(store.rows, row, STORE_ROWS);
    state.stores[name] = store;
  },
};
