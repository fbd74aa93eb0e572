/** What a lane of the stage is, in words. What lies in a lane stands in the table of places. */
import { LANES } from "./messages.js";
import { aboutPlace } from "./places.js";
import { fill, gettext, ngettext, number } from "./text.js";

/** The lane of the messages that consumers hold: it stands for several places. */
export const UNACKED = "unacked";

/**
 * What lies in a lane, in a few signs: the Greek letters, and which end of the queue it is.
 * @param {string} name
 * @param {string[]} lanes the queue's, from the newest message to the oldest
 */
export function laneMeaning(name, lanes = LANES) {
  if (name === UNACKED) return gettext("with consumers");
  const { content, counted } = aboutPlace(name);
  if (counted) return gettext("\u03b4, one record in RAM");
  if (content === "mixed") return "\u03b2 \u03b3";
  return name === lanes[0] ? gettext("\u03b1, newest") : gettext("\u03b1, next to deliver");
}

/**
 * The name of a lane with its length, for screen readers.
 * @param {string} name
 * @param {number} count
 * @param {string[]} lanes the queue's, from the newest message to the oldest
 */
export function laneLabel(name, count, lanes = LANES) {
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
