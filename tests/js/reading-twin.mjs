/**
 * Reads [{state, letters, places, conditions: [[condition, holds], ...]}, ...] from standard input, asks the page's
 * own reader the same, and fails at the first answer that differs.
 */
import { readFileSync } from "node:fs";

import { Watch } from "../../static/js/model/conditions.js";
import { lettersOf, placeOf } from "../../static/js/model/messages.js";
import { valueAt } from "../../static/js/model/paths.js";

function same(what, ours, theirs) {
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return;
  console.log(`${what}: the page says ${JSON.stringify(ours)}, Python ${JSON.stringify(theirs)}`);
  process.exit(1);
}

const moments = JSON.parse(readFileSync(0));
const watches = new Map();
for (const { state, letters, places, conditions } of moments) {
  for (const [name, queue] of Object.entries(state.queues)) {
    same(`letters of ${name}`, lettersOf(queue), letters[name]);
    for (const [seq, place] of Object.entries(places[name])) same(`${name}.${seq}`, placeOf(queue, Number(seq)), place);
  }
  for (const [number, [condition, holds, value]] of conditions.entries()) {
    if (!watches.has(number)) watches.set(number, new Watch(condition));
    watches.get(number).see(state);
    same(JSON.stringify(condition), watches.get(number).holds(state), holds);
    if (condition.path) same(JSON.stringify(condition.path), valueAt(state, condition.path), value);
  }
}
