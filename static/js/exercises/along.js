/** A message goes from place to place along the queue. No page here. */
import { fill, gettext } from "../model/text.js";
import { placeName } from "./board.js";

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

/**
 * Why messages cannot be put into a place, in words, or nothing.
 * @param {{places: string[], at: (seq: string) => string | null}} board
 * @param {string[]} seqs
 * @param {string | null} place null for none at all
 */
export function whyNot(board, seqs, place) {
  if (place === null || !board.places.includes(place)) return gettext("Drop it on a lane of the stage, or on “gone”.");
  if (!seqs.every((seq) => board.at(seq) === place)) return "";
  return fill(gettext("Message %(number)s is in %(place)s already."), { number: seqs.join(", "), place: placeName(place) });
}
