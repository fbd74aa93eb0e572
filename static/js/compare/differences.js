/** Where two runs differ at a moment: the values of what each did, in words, and what their lanes hold. Pure. */
import { lengthOf, pendingOf } from "../model/messages.js";
import { named, numbersOf } from "../model/number-words.js";
import { UNACKED, lanesOf } from "../model/places.js";
import { shownState } from "../model/shown.js";
import { gettext, signed } from "../model/text.js";
import { fieldsOf } from "./field-words.js";

/** @import { AnyTransition, QueueState, State } from "../model/catalogue/types.js" */

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
