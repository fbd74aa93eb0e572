/** A message goes from place to place along the queue. No page here. */

/**
 * The place next to one in the order of the queue, towards the consumer (1) or back (-1); null where there is none. What
 * only arrives stands before the first.
 * @param {string[]} places in the order in which a message goes through them
 * @param {string} place
 * @param {number} step
 */
export function moveAlong(places, place, step) {
  return places[places.indexOf(place) + step] ?? null;
}
