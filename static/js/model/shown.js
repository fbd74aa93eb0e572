/** Which queue the page shows: the one that the reader chose, else the first. One choice for all parts of the page.
 *
 * A queue that consists of others, one for each priority, has no places of its own: the first of those stands for it.
 */
import { placesOf } from "./places.js";

let chosen = null;

/** Choose a queue by its name; null lets go. */
export function showQueue(name) {
  chosen = name;
}

/** The name by which clients know the queue that is shown, or null where there is none. */
export function shownDeclared(state) {
  const name = shownQueue(state);
  return name === null ? null : (state.queues[name].part_of ?? name);
}

/** The name of the queue that is shown, or null where there is none. */
export function shownQueue(state) {
  const first = Object.keys(state.queues).find((each) => !state.queues[each].mirror_of) ?? null;
  const name = chosen !== null && state.queues[chosen] ? chosen : (first ?? Object.keys(state.queues)[0] ?? null);
  if (name === null || placesOf(state.queues[name]).length) return name;
  return Object.keys(state.queues).find((part) => state.queues[part].part_of === name) ?? name;
}
