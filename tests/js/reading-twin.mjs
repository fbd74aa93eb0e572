/**
 * Of each run [{rows, state, letters, places, conditions: [[condition, holds], ...]}, ...]: asks the page's own reader
 * the same and counts the rows, and fails at the first answer that differs.
 */
import { decode } from "../../static/js/model/catalogue/rows.js";
import { Watch } from "../../static/js/model/conditions.js";
import { lettersOf, placeOf } from "../../static/js/model/messages.js";
import { valueAt } from "../../static/js/model/paths.js";
import { Tally } from "../../static/js/model/tally.js";
import { eachRun, same } from "./asking.mjs";

const sorted = (counts) => Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));

eachRun((moments) => {
  const watches = new Map();
  const tally = new Tally();
  for (const { rows, state, letters, places, conditions } of moments) {
    for (const row of rows) tally.observe(decode(row));
    for (const counted of ["happened", "moved", "became"]) same(counted, sorted(tally[counted]), sorted(state[counted]));
    for (const [name, queue] of Object.entries(state.queues)) {
      same(`letters of ${name}`, lettersOf(queue), letters[name]);
      for (const [seq, place] of Object.entries(places[name])) same(`${name}.${seq}`, placeOf(queue, Number(seq)), place);
    }
    for (const [number, [condition, holds, value]] of conditions.entries()) {
      if (!watches.has(number)) watches.set(number, new Watch(condition));
      watches.get(number).observe(state);
      same(JSON.stringify(condition), watches.get(number).holds(state), holds);
      if (condition.path) same(JSON.stringify(condition.path), valueAt(state, condition.path), value);
    }
  }
});
