/** Which queue the page shows: the one that the reader chose, else the first. One choice for all parts of the page. */

let chosen = null;

/** Choose a queue by its name; null lets go. */
export function showQueue(name) {
  chosen = name;
}

/** The name of the queue that is shown, or null where there is none. */
export function shownQueue(state) {
  if (chosen !== null && state.queues[chosen]) return chosen;
  return Object.keys(state.queues)[0] ?? null;
}
