/** Which queue the page shows: the one that the reader chose, else `orders`, else the first. One choice for all parts of the page.
 *
 * A queue that consists of others, one for each priority, has no places of its own: that of the highest priority stands for it.
 */
import { placesOf } from "./places.js";

/** @import { QueueSnapshot, RunSnapshot } from "./catalogue/types.js" */

/** @type {string | null} */
let chosen = null;

/**
 * Choose a queue by its name; null lets go.
 * @param {string | null} name
 */
export function showQueue(name) {
  chosen = name;
}

/**
 * The name by which clients use the queue that is shown, or null where there is none.
 * @param {RunSnapshot} state
 */
export function shownDeclared(state) {
  const name = shownQueue(state);
  return name === null ? null : (state.queues[name].part_of ?? name);
}

/** The queue that is meant where none is named, as in engine/reading/message_places.py. */
const USUAL = "orders";

/**
 * Names of all queues in the order in which the host lists them: by name, mirrors last. A state that was folded from
 * transitions has them in the order in which they were declared, so views that show several queues take the order from here.
 * @param {Pick<RunSnapshot, "queues">} state
 */
export function queueNames({ queues }) {
  /** @param {string} name */
  const mirrored = (name) => Number(Boolean(queues[name].mirror_of));
  return Object.keys(queues).sort((a, b) => mirrored(a) - mirrored(b) || (a < b ? -1 : 1));
}

/**
 * The name of the queue that is shown, or null where there is none.
 * @param {RunSnapshot} state
 * @returns {string | null}
 */
export function shownQueue(state) {
  const name = [chosen, USUAL].find((each) => each !== null && state.queues[each]) ?? queueNames(state)[0] ?? null;
  if (name === null || placesOf(state.queues[name]).length) return name;
  const parts = queueNames(state).filter((each) => state.queues[each].part_of === name);
  return parts.sort((a, b) => state.queues[b].priority - state.queues[a].priority)[0] ?? name;
}

/**
 * The queue that is shown, as it is in a state; null where there is none.
 * @param {RunSnapshot} state
 * @returns {QueueSnapshot | null}
 */
export function shownState(state) {
  const name = shownQueue(state);
  return name === null ? null : state.queues[name];
}
