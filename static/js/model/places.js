/** Where the messages of a queue can lie: what each kind of queue has stands in the generated table. */
import { PLACES, USUAL } from "./catalogue/places.js";

/** @import { Place, QueueState } from "./catalogue/types.js" */

/**
 * The places of a queue, from the tail to the head; then those of unacknowledged messages.
 * @param {QueueState | null | undefined} queue
 */
export function placesOf(queue) {
  return PLACES[queue?.backing_queue ?? USUAL];
}

/** @type {Record<string, Place>} */
const known = {};

/**
 * What is known of a place, by the names of engine/backing_queue/places. One name means the same in every queue that has it.
 * @param {string} name
 */
export function aboutPlace(name) {
  known[name] ??= /** @type {Place} */ (
    Object.values(PLACES)
      .flat()
      .find((place) => place.name === name)
  );
  return known[name];
}

/** @param {Place[]} places */
const names = (places) => places.map((place) => place.name);

/**
 * Names of the places whose messages can be delivered, from the newest message to the oldest.
 * @param {QueueState | null | undefined} queue
 */
export function lanesOf(queue) {
  return names(placesOf(queue).filter((place) => !place.unacked));
}

/**
 * Names of the lanes where the queue limits contents, or entries, in RAM: from the tail to the head.
 * @param {QueueState | null | undefined} queue
 * @param {string} what
 */
export function limitedLanesOf(queue, what) {
  return names(placesOf(queue).filter((place) => place.limits === what));
}

/**
 * Names of the lanes of which RAM has only a count.
 * @param {QueueState | null | undefined} queue
 */
export function countedLanesOf(queue) {
  return names(placesOf(queue).filter((place) => place.counted));
}

/**
 * Names of the places whose messages wait for an acknowledgement.
 * @param {QueueState | null | undefined} queue
 */
export function pendingPlacesOf(queue) {
  return names(placesOf(queue).filter((place) => place.unacked));
}

/**
 * Names of the places that list their messages; the others only count them.
 * @param {QueueState | null | undefined} queue
 */
export function listedPlacesOf(queue) {
  return names(placesOf(queue).filter((place) => !place.counted));
}
