/** Of a run {rows, at_us, until_us, box}: what the chart of ready messages draws live, by a link, and in the page that works offline. */
import "../static/js/generations/all.js";
import { readFileSync } from "node:fs";
import { stacked } from "../static/js/layout/charts.js";
import { LETTERS } from "../static/js/model/messages.js";
import { emptyState } from "../static/js/model/reduce.js";
import { framed, late, sessionAt } from "../tests/js/helpers/ways.mjs";

const { rows, at_us: atUs, until_us: untilUs, box } = JSON.parse(readFileSync(0));
const ways = {
  live: framed(sessionAt(0, 0, emptyState()), rows, atUs, 1, true),
  "by its link": late(rows, atUs, rows.length),
  "the page that works offline": framed(sessionAt(0, 0, emptyState()), rows, atUs, 400),
};
const drawn = Object.entries(ways).map(([way, { timeline }]) => {
  const { layers, top } = stacked(timeline.samples, LETTERS, [0, untilUs, []], box, untilUs);
  return { way, layers, top, samples: timeline.samples.length };
});
console.log(JSON.stringify(drawn));
