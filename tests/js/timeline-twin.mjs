/**
 * Of each run {rows, at_us}: one run has one time line, however its rows came: row by row while time passes (live), in frames of hundreds
 * (a recording, a page that works offline, the static edition), all at once with the past asked for afterwards (by link, woken, a fork),
 * and from the middle on. At each moment the dock says what the stage shows. Prints how many moments were compared.
 */
import { figures, memoryOf } from "../../static/js/model/facts.js";
import { LETTERS, lettersOf } from "../../static/js/model/messages.js";
import { lanesOf } from "../../static/js/model/places.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { stacked } from "../../static/js/layout/charts.js";
import { eachRun, fail, same } from "./asking.mjs";
import { framed, late, sessionAt, stateAfter } from "./helpers/ways.mjs";

const counts = { moments: 0, ways: 0 };
/** How many moments of the dock were held, by the profile of the run. */
const held = {};
const BOX = { x: 0, y: 0, w: 1000, h: 100 };
/** What the charts draw of the shown queue at a moment that is now: the top edge of each colour, as a count. */
function drawnAt(samples, us) {
  const { layers, top } = stacked(samples, LETTERS, [0, us, []], BOX, us);
  return LETTERS.map((letter) => {
    const [, low, high] = layers.find(({ name }) => name === letter)?.points.at(-1) ?? [0, 0, 0];
    return Math.round(((low - high) * Math.max(1, top)) / BOX.h);
  });
}

eachRun(({ rows, at_us: atUs, profile = "" }) => {
  const live = sessionAt(0, 0, emptyState());
  let [most, mostMemory] = [0, 0];
  rows.forEach((row, at) => {
    live.frame({ first: at, rows: [row], at_us: [atUs[at]], now_us: atUs[at], play: true, speed: 1 });
    live.pass(1e6 + at);
    const { state, timeline } = live;
    const { queue, ready } = figures(state);
    const sample = timeline.samples.at(-1);
    const { used, limit, pagingAt } = memoryOf(state);
    [most, mostMemory] = [Math.max(most, ready), Math.max(mostMemory, used)];
    counts.moments += 1;
    held[`${profile}/dock`] = (held[`${profile}/dock`] ?? 0) + 1;
    same(`dock at ${at}`, [sample.ready, sample.memory, sample.limit, sample.paging], [ready, used, limit, pagingAt]);
    if (queue && lanesOf(queue).length) same(`colours at ${at}`, drawnAt(timeline.samples, Math.max(1, atUs[at])), LETTERS.map((letter) => lettersOf(queue)[letter]));
    if (at % 20 && at < rows.length - 1) return;
    same(`at most until ${at}`, stacked(timeline.samples, LETTERS, [0, 1, []], BOX, 1).top, most);
    same(`most memory until ${at}`, Math.max(...timeline.samples.map((each) => each.mostMemory)), mostMemory);
  });
  const ways = {
    recorded: framed(sessionAt(0, 0, emptyState()), rows, atUs, 400),
    frames: framed(sessionAt(0, 0, emptyState()), rows, atUs, 37, true),
    repeated: late(rows, atUs, rows.length),
    joined: late(rows, atUs, Math.ceil(rows.length / 2)),
  };
  for (const [way, session] of Object.entries(ways)) {
    counts.ways += 1;
    same(`time line ${way}`, session.timeline.samples, live.timeline.samples);
    same(`activity ${way}`, session.timeline.activity.list, live.timeline.activity.list);
    same(`events ${way}`, session.timeline.events, live.timeline.events);
    same(`log ${way}`, session.timeline.lines, live.timeline.lines);
  }
  const playhead = new Playhead(ways.repeated);
  for (let at = 1; at < rows.length; at += Math.ceil(rows.length / 9)) {
    if (!playhead.go(at)) fail("moment", [`${at} cannot be shown`]);
    same(`the past at ${at}`, figures(playhead.state).ready, figures(stateAfter(rows, at)).ready);
  }
});
console.log(JSON.stringify({ ...counts, ...held }));
