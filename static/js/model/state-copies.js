/** Copies of a state, to fold on from, and what they weigh. */
import { generationOf } from "./generations.js";

/** @import { File, NodeState, State } from "./catalogue/types.js" */

/**
 * Copy a state. Rows of stretches are values (stretches.js), so only what holds them is copied; rows of files do change.
 * @param {State} state
 * @returns {State}
 */
export function copyState(state) {
  const queues = mapValues(state.queues, (queue) => ({
    ...queue,
    lanes: mapValues(queue.lanes, (rows) => rows.slice()),
    counted: { ...queue.counted },
    counters: { ...queue.counters },
    own: generationOf(queue).copy(queue.own),
  }));
  const stores = mapValues(state.stores, (store) => ({
    ...store,
    files: store.files.map((file) => /** @type {File} */ (file.slice())),
    rows: store.rows.slice(),
    orphans: store.orphans.slice(),
  }));
  const parts = mapValues(state.node, (part) => (Array.isArray(part) ? [...part] : { ...part }));
  const node = /** @type {NodeState} */ (/** @type {unknown} */ (parts));
  for (const members of /** @type {const} */ (["actors", "processes"]))
    node[members] = mapValues(state.node[members] ?? {}, (member) => ({ ...member }));
  return { ...state, queues, stores, node };
}

/**
 * An object with each value changed.
 * @template T, U
 * @param {Record<string, T>} object
 * @param {(value: T) => U} change
 * @returns {Record<string, U>}
 */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/**
 * How much memory a state takes, in rows.
 * @param {State} state
 */
export function weightOf(state) {
  let weight = 1;
  for (const queue of Object.values(state.queues)) {
    for (const rows of Object.values(queue.lanes)) weight += rows.length;
    weight += generationOf(queue).weight(queue.own);
  }
  for (const store of Object.values(state.stores)) weight += store.rows.length + store.files.length;
  return weight;
}
