/** A queue as the fold keeps it: what all queues have, and the part of its own kind. */
import { generationOf } from "./generations.js";
import { countedLanesOf, listedPlacesOf } from "./places.js";

/** @import { DeltaExtent, Extent, QueueSnapshot, RunSnapshot, Values } from "./catalogue/types.js" */

/** @typedef {Values} Facts what is shown of a queue, as far as its kind depends on it */

/** @type {DeltaExtent} */
const BLANK = [null, 0, 0, null];

/**
 * Every place of a queue that lists its messages, with what `lanes` has there.
 * @param {Facts} queue
 * @param {Record<string, Extent[]>} [lanes]
 */
function lanesFor(queue, lanes = {}) {
  return Object.fromEntries(listedPlacesOf(queue).map((place) => [place, lanes[place] ?? []]));
}

/**
 * Every lane of a queue that is only counted, with its record.
 * @param {Facts} queue
 * @param {DeltaExtent} record
 */
function countedFor(queue, record = BLANK) {
  return Object.fromEntries(countedLanesOf(queue).map((lane) => [lane, record]));
}

/**
 * A queue that holds nothing; `shown` is what stays while it stops and starts.
 * @param {Facts} [shown]
 * @returns {QueueSnapshot}
 */
function emptyQueue(shown = {}) {
  return {
    mode: "default",
    durable: true,
    lanes: lanesFor(shown),
    counted: countedFor(shown),
    counters: {},
    own: generationOf(shown).empty(),
    ...shown,
  };
}

/**
 * A queue of a state, made known where this is the first word of it.
 * @param {RunSnapshot} state
 * @param {string} name
 */
export function queueOf(state, name) {
  state.queues[name] ??= emptyQueue();
  return state.queues[name];
}

/**
 * A queue that begins again has what its recovery found, and nothing else.
 * @param {QueueSnapshot} before
 * @returns {QueueSnapshot}
 */
export function begun({ backing_queue, own }) {
  const queue = emptyQueue(backing_queue === undefined ? {} : { backing_queue });
  generationOf(queue).begin(own);
  return { ...queue, own };
}

/**
 * The queue names another implementation: it gets the places and the part of that.
 * @param {QueueSnapshot} queue
 */
export function rearrange(queue) {
  queue.lanes = lanesFor(queue, queue.lanes);
  queue.counted = countedFor(queue, Object.values(queue.counted)[0]);
  queue.own = generationOf(queue).empty();
}

/**
 * The record of what is only counted is another.
 * @param {QueueSnapshot} queue
 * @param {DeltaExtent} record
 */
export function recount(queue, record) {
  for (const lane of countedLanesOf(queue)) queue.counted[lane] = record;
}
