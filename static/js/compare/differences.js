/** Where two runs differ at a moment: the fields of what each did, and what their lanes hold. Pure. */
import { lengthOf, pendingOf } from "../model/messages.js";
import { UNACKED, lanesOf } from "../model/places.js";
import { shownState } from "../model/shown.js";
import { decimal, gettext, number, signed } from "../model/text.js";

/** @import { AnyTransition, Extent, QueueState, State } from "../model/catalogue/types.js" */

const MOST = 8;

/** @param {Extent} extent */
const spanText = ([start, count]) => `${start}\u2026${start + count - 1}`;

/**
 * The values of a transition by name: its fields, and the numbers that made it fire.
 * @param {AnyTransition} t
 */
function valuesOf(t) {
  /** @type {Map<string, unknown>} */
  const found = new Map();
  for (const [name, value] of Object.entries(t ?? {})) {
    if (name === "why") continue;
    found.set(name, name === "extents" && t?.extents ? t.extents.map(spanText).join(", ") : value);
  }
  for (const [name, value] of Object.entries(t?.why ?? {})) found.set(name.replaceAll("_", " "), value);
  return found;
}

/** @param {unknown} value */
function written(value) {
  if (value === undefined || value === null) return "\u2013";
  if (typeof value === "number") return Number.isInteger(value) ? number(value) : decimal(value, 3);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The fields in which two transitions of one kind differ: [{name, a, b}]; transitions of two kinds give only their kinds.
 * @param {AnyTransition | null} a
 * @param {AnyTransition | null} b
 */
export function differingFields(a, b) {
  if (!a || !b || a.kind !== b.kind) return [];
  const [left, right] = [valuesOf(a), valuesOf(b)];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names
    .map((name) => ({ name, a: written(left.get(name)), b: written(right.get(name)) }))
    .filter((each) => each.a !== each.b)
    .slice(0, MOST);
}

/**
 * B against A: [{lane, text, same}] for each lane and what consumers hold.
 * @param {State} a
 * @param {State} b
 */
export function laneDifferences(a, b) {
  const [left, right] = [a, b].map(shownState);
  return [...new Set([...lanesOf(left), ...lanesOf(right)]), UNACKED].map((lane) => {
    /** @param {QueueState | null} queue */
    const count = (queue) => (lane === UNACKED ? pendingOf(queue) : lengthOf(queue, lane));
    const difference = count(right) - count(left);
    return {
      lane: lane === UNACKED ? gettext("unacked") : lane,
      text: difference ? signed(difference) : gettext("same"),
      same: difference === 0,
    };
  });
}
