/**
 * Folds the rows of a node in the page's reducer and compares with the node's own snapshots; then goes back to each
 * of them through the page's history and compares again.
 *
 * Reads [{rows, state}, ...] from standard input; prints the differences and fails at the first step that has some.
 */
import { readFileSync } from "node:fs";

import { differences } from "../../static/js/model/canonical.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { History } from "../../static/js/model/history.js";
import { emptyState, fold } from "../../static/js/model/reduce.js";

const EVERY = 37;

function compare(what, state, theirs) {
  const found = differences(state, theirs);
  if (!found.length) return;
  console.log(`${what}:`, found.join("\n"));
  process.exit(1);
}

const steps = JSON.parse(readFileSync(0));
const state = emptyState();
const history = new History({ every: EVERY, maxRows: Infinity, maxWeight: Infinity });
history.snapshot(0, 0, state);
const ends = [];
for (const [number, step] of steps.entries()) {
  for (const row of step.rows) {
    const t = decode(row);
    fold(state, t);
    history.add(t, number, state);
  }
  ends.push(history.end);
  compare(`step ${number}`, state, step.state);
}
for (const [number, step] of steps.entries())
  compare(`back at step ${number}`, history.stateAt(ends[number]), step.state);
