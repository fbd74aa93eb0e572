/**
 * The stage: a state and a size become marks, lanes, pills and the fence. Pure: same state and size, same scene.
 * Every mark has a key that lasts from scene to scene, which is all that the drawing needs to let things travel.
 */
import { EXTENT as E, IN_RAM, PERSISTENT } from "../model/catalogue/rows.js";
import { generationOf } from "../model/generations.js";
import { lengthOf, pendingOf, readyOf, rowsOf } from "../model/messages.js";
import { UNACKED, aboutPlace, lanesOf, pendingPlacesOf, stageLanesOf } from "../model/places.js";
import { holding } from "../model/stretches.js";
import { shownQueue, shownState } from "../model/shown.js";
import { geometry, laneSpans } from "./geometry.js";
import { heightOf, pushGlyph } from "./glyphs.js";
import { pushCounted } from "./counted.js";
import { explainedOf, fenceOf } from "./fence.js";
import { planLane, planPart, singles, walker } from "./lane.js";
import { pendingRowsOf } from "./spot.js";

/**
 * @import { Extent, QueueSnapshot, RunSnapshot, Values } from "../model/catalogue/types.js"
 * @import { Unsynced } from "../model/unsynced.js"
 * @import { Geo, LaneSpan } from "./geometry.js"
 * @import { Mark } from "./glyphs.js"
 * @import { LanePlan } from "./lane.js"
 */

/**
 * One lane of a scene: its messages, counted from the head, and where they are. `keys` are the messages that stand alone:
 * seq_id, u and width.
 * @typedef {LaneSpan & { name: string, count: number, plan: LanePlan, held: string | null, closed: boolean, keys?: [seq: number, u: number, width: number][] }} Lane
 */

/**
 * What the stage shows of a state; `marks` are what is drawn, by the names of glyphs.js.
 * @typedef {Values & { geo: Geo, lanes: Lane[], marks: Mark[], pills: Values[], total: number, zoom: ZoomedPart | null, queue: string | null }} Scene
 */

/** @typedef {{ lane: string, from: number, count: number }} ZoomedPart the part of a lane that fills the stage */

/** @typedef {(row: Extent, offset: number) => { index: boolean, content: boolean } | null} UnsyncedTest */

const FEW = 5;
const FEW_PITCH = 40;

/**
 * The scene for a state: {geo, lanes, marks, pills, fence, term, empty}; `options`: what is `unsynced`, where the fence is `held`, which target is `explained`, which part of a lane the `zoom` shows, and whether empty lanes are `open`.
 * @param {RunSnapshot} state
 * @param {number} width
 * @param {number} height
 * @param {boolean} turned
 * @param {{ unsynced?: Unsynced, held?: number | null, explained?: number | null, zoom?: ZoomedPart | null, open?: boolean }} [options]
 */
export function stageScene(state, width, height, turned, options = {}) {
  const geo = geometry(width, height, turned);
  const queue = shownState(state);
  const counts = countsOf(queue);
  const zoom = fitting(options.zoom ?? null, counts);
  const names = stageLanesOf(queue);
  const spans = laneSpans(geo, counts, names, zoom?.lane, options.open);
  /** @type {Scene} */
  const scene = {
    geo,
    lanes: [],
    marks: [],
    pills: [],
    term: null,
    fence: null,
    ruler: null,
    total: 0,
    queue: queue ? shownQueue(state) : null,
    zoom,
  };
  scene.total = readyOf(queue);
  scene.empty = scene.total === 0 && counts[UNACKED] === 0;
  const unsynced = unsyncedTest(scene.queue, options.unsynced);
  for (const name of names) {
    scene.lanes.push(laneScene(scene, state, queue, name, counts[name], spans[name], unsynced));
  }
  scene.fence = queue ? fenceOf(queue, scene.lanes, options.held) : null;
  scene.explained = queue ? explainedOf(queue, scene.lanes, options.explained) : null;
  scene.load = queue ? generationOf(queue).gauge(queue, state.node.settings) : null;
  scene.surplus = queue ? generationOf(queue).surplus(queue, state.node.settings, scene.lanes) : null;
  return scene;
}

/** @param {QueueSnapshot | null} queue */
function countsOf(queue) {
  /** @type {Record<string, number>} */
  const counts = { [UNACKED]: pendingOf(queue) };
  for (const name of lanesOf(queue)) counts[name] = lengthOf(queue, name);
  return counts;
}

/**
 * @param {Scene} scene
 * @param {RunSnapshot} state
 * @param {QueueSnapshot | null} queue
 * @param {string} name
 * @param {number} count
 * @param {LaneSpan} span
 * @param {UnsyncedTest} unsynced
 */
function laneScene(scene, state, queue, name, count, span, unsynced) {
  const maxPitch = scene.total <= FEW && !scene.geo.turned ? FEW_PITCH : undefined;
  const plan =
    scene.zoom?.lane === name
      ? planPart(span.u0, span.u1, count, scene.zoom)
      : planLane(span.u0, span.u1, count, maxPitch);
  /** @type {Lane} */
  const lane = {
    name,
    count,
    ...span,
    plan,
    held: name === UNACKED && count ? generationOf(queue).held(heldCounts(queue)) : null,
    closed: queue?.mode === "lazy" && aboutPlace(name)?.lazy === false && count === 0,
  };
  if (!queue || !count) return lane;
  if (aboutPlace(name)?.counted) pushCounted(scene, state, queue, lane);
  else pushLane(scene, lane, laneRows(queue, name), unsynced);
  return lane;
}

/**
 * How many of the messages with consumers are in which place.
 * @param {QueueSnapshot | null} queue
 * @returns {Record<string, number>}
 */
function heldCounts(queue) {
  return Object.fromEntries(pendingPlacesOf(queue).map((place) => [place, lengthOf(queue, place)]));
}

/**
 * Rows of a lane as [row, place], by seq_id.
 * @param {QueueSnapshot} queue
 * @param {string} name
 * @returns {{ rows: Extent[], place?: string, places?: Map<Extent, string> }}
 */
function laneRows(queue, name) {
  if (name !== UNACKED) return { rows: rowsOf(queue, name), place: name };
  const pairs = pendingRowsOf(queue);
  return { rows: pairs.map(([row]) => row), places: new Map(pairs) };
}

/**
 * @param {Scene} scene
 * @param {Lane} lane
 * @param {ReturnType<typeof laneRows>} of
 * @param {UnsyncedTest} unsynced
 */
function pushLane(scene, lane, { rows, places, place }, unsynced) {
  const { plan } = lane;
  const read = walker(rows);
  /** @param {Extent} row */
  const placeOf = (row) => place ?? places?.get(row) ?? "";
  /** @type {[seq: number, u: number, width: number][]} */
  const keys = [];
  lane.keys = keys;
  /**
   * @param {number} index
   * @param {string | null} key
   * @param {number} u
   * @param {number} width
   * @param {boolean} detailed
   * @param {number} many that it stands for
   */
  const glyph = (index, key, u, width, detailed, many = 1) => {
    const found = read(index);
    if (!found) return;
    const { row, offset } = found;
    const seq = row[E.start] + offset;
    pushGlyph(scene.marks, scene.geo, key ?? `m${seq}`, u, width, placeOf(row), row[E.flags], {
      detailed,
      unsynced: unsynced(row, offset),
      height: heightOf(row, offset, many),
    });
    if (!key) keys.push([seq, u, width]);
  };
  const inset = (plan.pitch - plan.width) / 2;
  const alone = singles(plan);
  const head = plan.folded ? alone.slice(0, plan.edges) : alone;
  for (const i of head) glyph(i, null, plan.border(i + 1) + inset, plan.width, plan.detailed);
  if (!plan.folded) return;
  pushFold(plan, glyph, lane.name);
  for (const i of alone.slice(plan.edges)) glyph(i, null, plan.border(i + 1) + inset, plan.width, true);
  const { foldFrom = 0, foldTo = 0 } = plan;
  const inRam = (rows[0][E.flags] & IN_RAM) !== 0;
  scene.pills.push({ lane: lane.name, u: (foldFrom + foldTo) / 2, inRam, count: plan.folded });
}

/**
 * The accordion: bars that stand for many messages each, sampled evenly, the outer ones a little wider.
 * @param {LanePlan} plan
 * @param {(index: number, key: string | null, u: number, width: number, detailed: boolean, many: number) => void} glyph
 * @param {string} name
 */
function pushFold(plan, glyph, name) {
  const { foldFrom = 0, foldTo = 0 } = plan;
  const pitch = (foldTo - foldFrom) / plan.bars;
  for (let bar = 0; bar < plan.bars; bar += 1) {
    const index = plan.from + plan.edges + Math.floor(((bar + 0.5) / plan.bars) * plan.folded);
    const nearEdge = Math.min(bar, plan.bars - 1 - bar);
    const width = pitch * (nearEdge < 3 ? 0.78 - nearEdge * 0.08 : 0.54);
    const u = foldTo - (bar + 1) * pitch + (pitch - width) / 2;
    glyph(index, `${name}#${bar}`, u, width, false, Math.ceil(plan.folded / plan.bars));
  }
}

/**
 * A test for "no fsync has covered it": {index, content} of a message, or null where nothing waits.
 * @param {string | null} queue
 * @param {Unsynced | null | undefined} waiting
 * @returns {UnsyncedTest}
 */
function unsyncedTest(queue, waiting) {
  if (queue === null || !waiting?.any) return () => null;
  const journal = waiting.journals[queue]?.runs || [];
  const stores = [waiting.stores.transient?.runs || [], waiting.stores.persistent?.runs || []];
  if (!journal.length && !stores.some((runs) => runs.length)) return () => null;
  return (row, offset) => ({
    index: holding(journal, row[E.start] + offset) !== null,
    content: holding(stores[row[E.flags] & PERSISTENT], row[E.msg_no] + offset) !== null,
  });
}

/**
 * The message or fold under a point of the page: {lane, index, seq} or null.
 * @param {Scene} scene
 * @param {number} x
 * @param {number} y
 */
export function hit(scene, x, y) {
  const u = scene.geo.turned ? y : x;
  const v = scene.geo.turned ? x : y;
  if (v < scene.geo.ram || v > scene.geo.end) return null;
  const lane = scene.lanes.find((each) => u >= each.u0 - 2 && u <= each.u1 + 2);
  if (!lane || !lane.count) return null;
  const index = lane.plan.index(u);
  return index >= 0 && index < lane.count ? { lane, index } : null;
}

// --- the part of a lane that fills the stage: {lane, from, count}, counted in messages from the lane's head ---

/** Fewer messages than these are never shown: a glyph has a largest size. */
const LEAST = 8;

/**
 * A zoom that fits its lane, which may have become shorter; null where it shows the whole lane.
 * @param {ZoomedPart | null} zoom
 * @param {Record<string, number>} counts
 */
export function fitting(zoom, counts) {
  const most = zoom ? (counts[zoom.lane] ?? 0) : 0;
  if (!zoom || zoom.count >= most || most <= LEAST) return null;
  const count = Math.max(LEAST, Math.round(zoom.count));
  return { lane: zoom.lane, count, from: Math.round(Math.max(0, Math.min(most - count, zoom.from))) };
}

/**
 * Show `factor` times as many messages of a lane, keeping the one at `index` where it is.
 * @param {ZoomedPart | null} zoom
 * @param {string} lane
 * @param {number} most
 * @param {number} factor
 * @param {number} index
 */
export function zoomed(zoom, lane, most, factor, index) {
  const before = zoom?.lane === lane ? zoom : { lane, from: 0, count: most };
  const count = Math.max(LEAST, Math.min(most, before.count * factor));
  const share = before.count ? (index - before.from) / before.count : 0;
  return fitting({ lane, count, from: index - share * count }, { [lane]: most });
}

/**
 * Move along the lane by a share of what is shown; positive towards the tail, where newer messages are.
 * @param {ZoomedPart} zoom
 * @param {number} share
 * @param {Record<string, number>} counts
 */
export function panned(zoom, share, counts) {
  return fitting({ ...zoom, from: zoom.from + Math.sign(share) * Math.max(1, Math.abs(share) * zoom.count) }, counts);
}
