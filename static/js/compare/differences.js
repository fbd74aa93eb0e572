/** Where two runs differ at a moment: the values of what each did, in words, and what their lanes hold. Pure. */
import { contentsInRam } from "../model/facts.js";
import { lengthOf, pendingOf, readyOf } from "../model/messages.js";
import { named, numbersOf } from "../model/number-words.js";
import { lanesOf } from "../model/places.js";
import { shownState } from "../model/shown.js";
import { gettext, signed } from "../model/text.js";
import { fieldsOf } from "./field-words.js";

/** @import { AnyTransition, QueueSnapshot, RunSnapshot } from "../model/catalogue/types.js" */

const MOST = 8;
const NOTHING = "\u2013";

/**
 * What a transition says of itself by the words for it: where it moves what, its own numbers, and those that made it fire.
 * @param {AnyTransition} t
 */
function valuesOf(t) {
  const own = Object.fromEntries(Object.entries(t).filter(([name, value]) => typeof value === "number" && named().has(name)));
  return new Map([...fieldsOf(t), ...numbersOf({ ...own, ...t.why }, t.kind)]);
}

/**
 * The values in which two transitions of one kind differ: [{name, a, b}], all in words; transitions of two kinds give only their kinds.
 * @param {AnyTransition | null} a
 * @param {AnyTransition | null} b
 */
export function differingFields(a, b) {
  if (!a || !b || a.kind !== b.kind) return [];
  const [left, right] = [valuesOf(a), valuesOf(b)];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return names
    .map((name) => ({ name, a: left.get(name) ?? NOTHING, b: right.get(name) ?? NOTHING }))
    .filter((each) => each.a !== each.b)
    .slice(0, MOST);
}

/**
 * B against A: [{lane, text, same}] for each lane and what consumers hold. Queues of two versions have no lane in common:
 * of these, what is ready and what of it is in RAM.
 * @param {RunSnapshot} a
 * @param {RunSnapshot} b
 */
export function laneDifferences(a, b) {
  const [left, right] = [a, b].map(shownState);
  const lanes = lanesOf(left);
  const alike = !left || !right || String(lanes) === String(lanesOf(right));
  return [
    ...(alike
      ? (left ? lanes : lanesOf(right)).map((lane) => row(lane, lengthOf(left, lane), lengthOf(right, lane)))
      : [row(gettext("ready"), readyOf(left), readyOf(right)), row(gettext("in RAM"), contentsInRam(left), contentsInRam(right))]),
    row(gettext("unacked"), pendingOf(left), pendingOf(right)),
  ];
}

/**
 * @param {string} lane
 * @param {number} a
 * @param {number} b
 */
function row(lane, a, b) {
  return { lane, text: b - a ? signed(b - a) : gettext("same"), same: a === b };
}
