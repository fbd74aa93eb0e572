/** What the scripts share that answer tests/helpers/twin.py: runs come in on standard input, differences go out. */
import "../../static/js/generations/all.js";
import { readFileSync } from "node:fs";

/** Print what differs and end, if anything does. */
export function fail(what, differences) {
  if (!differences.length) return;
  console.log(`${what}:`, differences.join("\n"));
  process.exit(1);
}

/** The page's answer and Python's must be the same. */
export function same(what, ours, theirs) {
  const [page, python] = [JSON.stringify(ours), JSON.stringify(theirs)];
  if (page !== python) fail(what, [`the page says ${page}, Python ${python}`]);
}

/** Look at each run. */
export function eachRun(check) {
  for (const run of JSON.parse(readFileSync(0))) check(run);
}
