/**
 * Values at paths of a state: the same as engine/reading/conditions.py, which lists what a path may name;
 * tests/web/condition_cases.json holds both to it. Nothing is ever executed.
 */
import { DELTA as D, EXTENT as E, INDEXED, IN_RAM, STORE_FILE as F } from "./catalogue/rows.js";
import { isCounted } from "./places.js";
import { lettersOf, pendingOf, placeOf, readyOf, usualQueue } from "./messages.js";

/** @import { Extent, IndexState, QueueSnapshot, RunSnapshot, StoreSnapshot, Values } from "./catalogue/types.js" */

const COUNTED = ["happened", "moved", "became", "stopped"];
/** @type {Record<string, number>} */
const RECORD = D;
/** @type {Record<string, number>} */
const FLAGS = { messages_in_ram: IN_RAM, messages_indexed: INDEXED };

/**
 * @param {object} object
 * @param {string} name
 */
const own = (object, name) => Object.hasOwn(object, name);
/**
 * @template R
 * @param {R[]} rows
 * @param {(row: R) => number} of
 */
const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);

/** Where each message of a queue is; computed for one message at a time. */
class Places {
  /** @param {QueueSnapshot} queue */
  constructor(queue) {
    this.queue = queue;
  }
}

/** @type {Record<string, (queue: QueueSnapshot) => unknown>} */
const OF_QUEUE = {
  ready: readyOf,
  unacked: pendingOf,
  alpha: (queue) => lettersOf(queue).alpha,
  beta: (queue) => lettersOf(queue).beta,
  gamma: (queue) => lettersOf(queue).gamma,
  place: (queue) => new Places(queue),
};
/** @type {Record<string, (store: StoreSnapshot) => unknown>} */
const OF_STORE = {
  file_bytes: (store) => sum(store.files, (file) => file[F.disk_bytes]),
  valid_bytes: (store) => sum(store.files, (file) => file[F.valid]),
  garbage_bytes: (store) => sum(store.files, (file) => file[F.file_size] - file[F.valid]),
};
/** @type {Record<string, (index: IndexState) => unknown>} */
const OF_INDEX = {
  journal_and_buffer_bytes: (index) => (index.journal_bytes || 0) + index.buffered_bytes,
};
/** @type {[found: Record<string, (value: never) => unknown>, mark: string][]} */
const DERIVED = [
  [OF_QUEUE, "lanes"],
  [OF_STORE, "files"],
  [OF_INDEX, "journal_bytes"],
];

/**
 * The value at a path of a snapshot, or null where there is none.
 * @param {unknown} state
 * @param {string | (string | number)[]} path
 */
export function valueAt(state, path) {
  const names = Array.isArray(path) ? path.map(String) : path.split(".");
  let value = state;
  let parent = "";
  for (const name of names) {
    value = step(value, name, parent);
    if (value === undefined) return COUNTED.includes(parent) && names.length === 2 ? 0 : null;
    parent = name;
  }
  return value instanceof Places ? null : value;
}

/**
 * @param {unknown} value
 * @param {string} name
 * @param {string} parent
 */
function step(value, name, parent) {
  if (Array.isArray(value)) return ofList(value, name, parent);
  if (value instanceof Places) return isNumber(name) ? (placeOf(value.queue, Number(name)) ?? undefined) : undefined;
  if (value !== null && typeof value === "object") {
    if (own(value, name)) return /** @type {Values} */ (value)[name];
    if (name === "length" && !COUNTED.includes(parent)) return Object.keys(value).length;
    return derived(value, name, parent);
  }
  return typeof value === "string" && name === "length" ? [...value].length : undefined;
}

/**
 * Values that are computed from a queue, a store, an index or the whole state.
 * @param {object} value
 * @param {string} name
 * @param {string} parent
 */
function derived(value, name, parent) {
  if (name === "queue" && parent === "" && own(value, "queues")) return usualQueue(/** @type {RunSnapshot} */ (value)) ?? undefined;
  if (own(value, "lanes")) {
    const { counted, own: part } = /** @type {QueueSnapshot} */ (value);
    for (const each of [counted, part]) if (own(each, name)) return each[name];
  }
  const found = DERIVED.find(([names, mark]) => own(names, name) && own(value, mark));
  return found ? found[0][name](/** @type {never} */ (value)) : undefined;
}

/**
 * @param {unknown[]} list
 * @param {string} name
 * @param {string} parent
 */
function ofList(list, name, parent) {
  if (name === "length") return list.length;
  if (own(RECORD, name) && isCounted(parent)) return list[RECORD[name]];
  if (isNumber(name)) return list[Number(name)];
  const rows = /** @type {Extent[]} */ (list);
  if (name === "messages") return sum(rows, (row) => row[E.count]);
  return own(FLAGS, name) ? sum(rows, (row) => (row[E.flags] & FLAGS[name] ? row[E.count] : 0)) : undefined;
}

/**
 * Whether a step is a number in digits, short enough to be a place in a list, and exact.
 * @param {string} name
 */
const isNumber = (name) => /^[0-9]{1,15}$/.test(name);
