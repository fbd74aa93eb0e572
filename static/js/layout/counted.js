/**
 * A lane that RAM only counts: of all its messages there is one term in RAM. Messages singly while they fit, then a group for
 * each file that they lie in, then a ruler.
 */
import { DELTA as D, EXTENT as E } from "../model/catalogue/rows.js";
import { generationOf, perFile } from "../model/generations.js";
import { rowsOf } from "../model/messages.js";
import { pendingPlacesOf } from "../model/places.js";
import { RANGES, remove } from "../model/stretches.js";
import { box } from "./geometry.js";
import { pushGlyph } from "./glyphs.js";
import { walker } from "./lane.js";

/**
 * @import { QueueSnapshot, Range, RunSnapshot, Values } from "../model/catalogue/types.js"
 * @import { Mark } from "./glyphs.js"
 * @import { LanePlan } from "./lane.js"
 * @import { Lane, Scene } from "./stage.js"
 */

const MAX_GROUPS = 40;
const BARS = 6;

/**
 * Append what the lane shows; sets scene.term (the record that RAM keeps) and scene.ruler (labels of the files).
 * @param {Scene} scene
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 * @param {Lane} lane
 */
export function pushCounted(scene, state, queue, lane) {
  const [start, count, transient, end] = queue.counted[lane.name];
  scene.term = { lane: lane.name, start, count, transient, end, u: (lane.u0 + lane.u1) / 2 };
  const live = partOf(liveRows(queue, lane.name), lane.plan);
  if (!lane.plan.folded) pushSingles(scene, lane, live);
  else pushSegments(scene, state, queue, lane, live);
}

/**
 * The messages of a counted lane as runs: those of its stretch that the queue's own part has, without the unacknowledged ones.
 * @param {QueueSnapshot} queue
 * @param {string} lane
 * @returns {Range[]}
 */
export function liveRows(queue, lane) {
  const record = queue.counted[lane];
  const [start, end] = [record[D.start], record[D.end]];
  if (start === null || end === null) return [];
  /** @type {Range[]} */
  const rows = generationOf(queue).live(queue.own, start, end - start).map(([from, count]) => [from, count]);
  for (const place of pendingPlacesOf(queue)) {
    for (const row of rowsOf(queue, place))
      if (row[E.start] + row[E.count] > start && row[E.start] < end) remove(rows, row[E.start], row[E.count], RANGES);
  }
  return rows;
}

/**
 * Of some runs those messages that a plan shows.
 * @param {Range[]} rows
 * @param {LanePlan} plan
 */
function partOf(rows, { from, shown, count }) {
  if (shown === count) return rows;
  /** @type {Range[]} */
  const found = [];
  let before = 0;
  for (const [start, length] of rows) {
    const low = Math.max(from, before);
    const high = Math.min(from + shown, before + length);
    if (high > low) found.push([start + low - before, high - low]);
    before += length;
    if (before >= from + shown) break;
  }
  return found;
}

/**
 * @param {Scene} scene
 * @param {Lane} lane
 * @param {Range[]} live
 */
function pushSingles(scene, lane, live) {
  const { plan } = lane;
  const read = walker(live);
  const inset = (plan.pitch - plan.width) / 2;
  lane.keys = [];
  for (let i = 0; i < plan.shown; i += 1) {
    const found = read(i);
    const seq = found ? found.row[E.start] + found.offset : null;
    const u = plan.border(plan.from + i + 1) + inset;
    pushGlyph(scene.marks, scene.geo, seq === null ? `${lane.name}#${i}` : `m${seq}`, u, plan.width, lane.name, 31, {
      detailed: plan.detailed,
    });
    if (seq !== null) lane.keys.push([seq, u, plan.width]);
  }
}

/**
 * How many live messages lie in each file: [[file, live], ...].
 * @param {number} size
 * @param {Range[]} live
 */
function segmentShares(size, live) {
  /** @type {Map<number, number>} */
  const shares = new Map();
  for (const [start, count] of live) {
    for (let at = start; at < start + count; ) {
      const segment = Math.floor(at / size);
      const stop = Math.min(start + count, (segment + 1) * size);
      shares.set(segment, (shares.get(segment) || 0) + stop - at);
      at = stop;
    }
  }
  return [...shares].sort((a, b) => a[0] - b[0]);
}

/**
 * @param {Scene} scene
 * @param {RunSnapshot} state
 * @param {QueueSnapshot} queue
 * @param {Lane} lane
 * @param {Range[]} live
 */
function pushSegments(scene, state, queue, lane, live) {
  const size = perFile(state, queue);
  const shares = segmentShares(size, live);
  const cell = (lane.u1 - lane.u0) / Math.max(1, shares.length);
  Object.assign(lane.plan, bySegments(shares, lane, cell));
  if (shares.length <= MAX_GROUPS && cell >= 6) pushGroups(scene, lane, shares, size, cell);
  else pushRuler(scene, lane, shares, size);
  scene.pills.push({
    lane: lane.name,
    u: (lane.u0 + lane.u1) / 2,
    inRam: false,
    count: lane.plan.shown,
    segments: shares.length,
  });
}

/**
 * Where messages are when each segment has a cell of the lane: the borders of a plan.
 * @param {[segment: number, live: number][]} shares
 * @param {Lane} lane
 * @param {number} cell
 */
function bySegments(shares, { u1, plan }, cell) {
  const starts = [plan.from];
  const count = plan.from + plan.shown;
  for (const [, live] of shares) starts.push(starts[starts.length - 1] + live);
  /** @param {number} i */
  const cellOf = (i) => Math.max(0, starts.findLastIndex((start) => start <= i));
  return {
    /** @param {number} i */
    border: (i) => {
      const at = Math.min(shares.length - 1, cellOf(i));
      return u1 - (at + (i - starts[at]) / Math.max(1, shares[at]?.[1])) * cell;
    },
    /** @param {number} u */
    index: (u) => {
      const place = (u1 - u) / cell;
      const at = Math.max(0, Math.min(shares.length - 1, Math.floor(place)));
      const nth = Math.floor(Math.max(0, place - at) * shares[at][1]);
      return Math.min(count - 1, starts[at] + nth);
    },
  };
}

/**
 * One group of bars for each segment, as wide as its share of live messages.
 * @param {Scene} scene
 * @param {Lane} lane
 * @param {[segment: number, live: number][]} shares
 * @param {number} size
 * @param {number} cell
 */
function pushGroups(scene, lane, shares, size, cell) {
  /** @type {[segment: number, u: number][]} */
  const labels = [];
  shares.forEach(([segment, live], at) => {
    const right = lane.u1 - at * cell;
    const room = Math.max(3, cell - 4);
    const width = room * Math.max(0.3, live / size);
    const bars = Math.max(1, Math.min(BARS, Math.floor(room / 4)));
    const pitch = width / bars;
    for (let bar = 0; bar < bars; bar += 1) {
      const u = right - cell / 2 + width / 2 - (bar + 1) * pitch;
      pushGlyph(scene.marks, scene.geo, `s${segment}#${bar}`, u, Math.max(1.4, pitch - 1.3), lane.name, 31, {
        detailed: false,
      });
    }
    if (cell >= 16 || at % Math.ceil(16 / cell) === 0) labels.push([segment, right - cell / 2]);
  });
  scene.ruler = { labels, next: shares[0]?.[0] };
}

/**
 * Very long: a ruler, one tick for each segment or bin of segments, its strength the live share.
 * @param {Scene} scene
 * @param {Lane} lane
 * @param {[segment: number, live: number][]} shares
 * @param {number} size
 */
function pushRuler(scene, lane, shares, size) {
  const room = lane.u1 - lane.u0;
  const ticks = Math.min(shares.length, Math.max(1, Math.floor(room / 2.5)));
  const perTick = shares.length / ticks;
  const width = room / ticks;
  for (let tick = 0; tick < ticks; tick += 1) {
    const part = shares.slice(
      Math.floor(tick * perTick),
      Math.max(Math.floor(tick * perTick) + 1, Math.floor((tick + 1) * perTick)),
    );
    const share = part.reduce((sum, each) => sum + each[1], 0) / (part.length * size);
    const u = lane.u1 - (tick + 1) * width;
    /** @type {Pick<Mark, "from" | "shape" | "fill" | "tone"> & Values} */
    const mark = { from: null, shape: "bar", fill: "solid", tone: "delta", strength: 0.25 + 0.75 * share };
    const { geo } = scene;
    scene.marks.push({
      ...mark,
      key: `r${tick}i`,
      ...box(geo, u, Math.max(1, width - 0.8), geo.diskIndex, geo.tag),
    });
    scene.marks.push({
      ...mark,
      key: `r${tick}c`,
      ...box(geo, u, Math.max(1, width - 0.8), geo.diskContent, geo.content),
    });
  }
  const last = shares[shares.length - 1];
  scene.ruler = {
    labels: [
      [last?.[0], lane.u0 + 12],
      [shares[0]?.[0], lane.u1 - 12],
    ],
    next: shares[0]?.[0],
  };
}
