/** What the fields of a transition are called in a table of differences; a field without words is not one to compare. */
import { EXTENT as E } from "../model/catalogue/rows.js";
import { gettext, number } from "../model/text.js";

/** @import { AnyTransition, Extent, Values } from "../model/catalogue/types.js" */

/** @param {Extent} extent */
const spanText = ({ [E.start]: start, [E.count]: count }) =>
  count === 1 ? number(start) : `${number(start)}\u2026${number(start + count - 1)}`;

/**
 * Fields whose values are names or stretches, not numbers: what each is called, and its value in words.
 * @type {Record<string, { name: () => string, text: (value: unknown) => string }>}
 */
const FIELDS = {
  source: { name: () => gettext("from lane"), text: laneText },
  to: { name: () => gettext("to lane"), text: laneText },
  extents: { name: () => gettext("messages by number"), text: (extents) => /** @type {Extent[]} */ (extents).map(spanText).join(", ") },
  queue: { name: () => gettext("in queue"), text: String },
  exchange: { name: () => gettext("exchange"), text: (name) => String(name || gettext("the default exchange")) },
  routing_key: { name: () => gettext("routing key"), text: String },
  actor: { name: () => gettext("who"), text: String },
  node: { name: () => gettext("on node"), text: String },
};

/**
 * A lane has no name outside of the queue; dead letters go to several queues.
 * @param {unknown} value
 */
function laneText(value) {
  if (value === null) return gettext("outside");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/**
 * The fields of a transition that have words: [name, value].
 * @param {AnyTransition} t
 * @returns {[name: string, value: string][]}
 */
export function fieldsOf(t) {
  /** @type {Values} */
  const values = t;
  return Object.entries(FIELDS)
    .filter(([field]) => values[field] !== undefined && typeof values[field] !== "number")
    .map(([field, { name, text }]) => [name(), text(values[field])]);
}
