/**
 * Folds the rows of a node in the page's reducer and compares with the node's own snapshots.
 *
 * Reads [{rows, state}, ...] from standard input; prints the differences and fails at the first step that has some.
 */
import { readFileSync } from "node:fs";

import { differences } from "../../static/js/model/canonical.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";

const state = emptyState();
for (const [number, step] of JSON.parse(readFileSync(0)).entries()) {
  reduce(state, step.rows);
  const found = differences(state, step.state);
  if (found.length) {
    console.log(`step ${number}:`, found.join("\n"));
    process.exit(1);
  }
}
