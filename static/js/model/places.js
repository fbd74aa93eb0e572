/** Where the messages of a queue can lie, and what each lane is in words: what each kind of queue has stands in the generated table. */
import { GONE, PLACES, USUAL } from "./catalogue/places.js";
import { fill, gettext, ngettext, number } from "./text.js";

/** @import { MessagePlace, Values } from "./catalogue/types.js" */

/**
 * The places of a queue, from the tail to the head; then those of unacknowledged messages.
 * @param {Values | null | undefined} queue
 */
export function placesOf(queue) {
  return PLACES[queue?.backing_queue ?? USUAL];
}

/**
 * Whether a name is that of a lane whose messages are only counted, in any kind of queue.
 * @param {string} name
 */
export function isCounted(name) {
  return Object.values(PLACES).some((places) => places.some((place) => place.name === name && place.counted));
}

/**
 * The implementations that have one of some places.
 * @param {unknown[]} places names, where they are known
 */
export function implementationsOf(places) {
  return Object.keys(PLACES).filter((name) => PLACES[name].some((each) => places.includes(each.name)));
}

/** @type {Record<string, string>} */
const NOTHING = {};

/**
 * What the release has no more on which a node with some settings runs: for each thing the rule that says so.
 * @param {Values | undefined} settings
 */
export const goneIn = (settings) => GONE[settings?.release] ?? NOTHING;

/** @type {Record<string, MessagePlace>} */
const known = {};

/**
 * What is known of a place, by the names of engine/backing_queue/places. One name means the same in every queue that has it.
 * @param {string} name
 */
export function aboutPlace(name) {
  known[name] ??= /** @type {MessagePlace} */ (
    Object.values(PLACES)
      .flat()
      .find((place) => place.name === name)
  );
  return known[name];
}

/**
 * The Greek letter of most messages in a lane: what it is coloured by. A lane in RAM that names none has alphas.
 * @param {string} name
 */
export function letterOf(name) {
  const { letter, content } = aboutPlace(name);
  return letter || (content === "ram" ? "alpha" : "beta");
}

/** @param {MessagePlace[]} places */
const names = (places) => places.map((place) => place.name);

/**
 * Names of the places whose messages can be delivered, from the newest message to the oldest.
 * @param {Values | null | undefined} queue
 */
export function lanesOf(queue) {
  return names(placesOf(queue).filter((place) => !place.unacked));
}

/**
 * Names of the lanes where the queue limits contents, or entries, in RAM: from the tail to the head.
 * @param {Values | null | undefined} queue
 * @param {string} what
 */
export function limitedLanesOf(queue, what) {
  return names(placesOf(queue).filter((place) => place.limits === what));
}

/**
 * Names of the lanes of which RAM has only a count.
 * @param {Values | null | undefined} queue
 */
export function countedLanesOf(queue) {
  return names(placesOf(queue).filter((place) => place.counted));
}

/**
 * Names of the places whose messages wait for an acknowledgement.
 * @param {Values | null | undefined} queue
 */
export function pendingPlacesOf(queue) {
  return names(placesOf(queue).filter((place) => place.unacked));
}

/**
 * Names of the places that list their messages; the others only count them.
 * @param {Values | null | undefined} queue
 */
export function listedPlacesOf(queue) {
  return names(placesOf(queue).filter((place) => !place.counted));
}

/** The lane of the messages that consumers hold: it stands for several places. */
export const UNACKED = "unacked";

/**
 * Names of the lanes as the stage has them: those of the queue, then what consumers hold.
 * @param {Values | null | undefined} queue
 */
export function stageLanesOf(queue) {
  return [...lanesOf(queue), UNACKED];
}

/** Names of the lanes of all kinds of queues. */
export function everyLane() {
  return [...new Set(Object.values(PLACES).flatMap((places) => names(places.filter((place) => !place.unacked))))];
}

/**
 * What lies in a lane, in a few signs: the Greek letters, and which end of the queue it is.
 * @param {string} name
 * @param {string[]} lanes the queue's, from the newest message to the oldest
 */
export function laneMeaning(name, lanes) {
  if (name === UNACKED) return gettext("with consumers");
  const { content, counted, letter } = aboutPlace(name);
  if (counted) return gettext("\u03b4, one record for all");
  if (content === "mixed") return letter === "alpha" ? "\u03b1 \u03b3" : "\u03b2 \u03b3";
  return name === lanes[0] ? gettext("\u03b1, newest") : gettext("\u03b1, next to deliver");
}

/**
 * The name of a lane with its length, for screen readers.
 * @param {string} name
 * @param {number} count
 * @param {string[]} lanes the queue's, from the newest message to the oldest
 */
export function laneLabel(name, count, lanes) {
  return fill(labelText(name, count, lanes), { lane: name, n: number(count) });
}

/**
 * @param {string} name
 * @param {number} count
 * @param {string[]} lanes
 */
function labelText(name, count, lanes) {
  if (name === UNACKED) return ngettext("unacknowledged, %(n)s message", "unacknowledged, %(n)s messages", count);
  if (aboutPlace(name).counted) return ngettext("%(lane)s, %(n)s message on disk", "%(lane)s, %(n)s messages on disk", count);
  if (name === lanes[0])
    return ngettext("%(lane)s, %(n)s message, newest of the queue", "%(lane)s, %(n)s messages, newest of the queue", count);
  if (name === lanes.at(-1))
    return ngettext("%(lane)s, %(n)s message, oldest next to deliver", "%(lane)s, %(n)s messages, oldest next to deliver", count);
  return ngettext("%(lane)s, %(n)s message", "%(lane)s, %(n)s messages", count);
}

/** Whether a queue's name is the page's label of a member on another node, such as `orders@n2`. @param {string} label */
export const isMember = (label) => /@n[1-9]$/.test(label);

/** The label of a queue's member on a node. @param {string} queue @param {string} node */
export const memberOf = (queue, node) => `${queue}@${node}`;
