/** One lane: which messages stand alone, which are folded, and where each of them is along the queue. */
import { EXTENT as E } from "../model/catalogue/rows.js";

/** @import { Numbered } from "../model/stretches.js" */

/**
 * Where the messages of a lane are; `planLane` makes it.
 * @typedef {{ count: number, from: number, shown: number, pitch: number, width: number, detailed: boolean, edges: number, folded: number, bars: number, foldFrom?: number, foldTo?: number, border: (i: number) => number, index: (u: number) => number }} LanePlan
 */

const MAX_PITCH = 17;
const GLYPH_PITCH = 8;
const FLAT_PITCH = 3;
const EDGE_PITCH = 12;
const FOLD_PITCH = 3.2;
const PART_PITCH = 40;

/**
 * The plan of a lane of `count` messages between u0 and u1. Messages are counted from the head, which is at u1.
 * {pitch, glyph, edges, folded, foldFrom, foldTo, bars} and border(i), the u between message i - 1 and message i.
 * `from` and `shown` give the messages that are drawn: all, unless the lane is zoomed.
 * @param {number} u0
 * @param {number} u1
 * @param {number} count
 */
export function planLane(u0, u1, count, maxPitch = MAX_PITCH) {
  const room = u1 - u0;
  const pitch = Math.min(maxPitch, room / Math.max(1, count));
  if (count === 0 || pitch >= FLAT_PITCH) return singlesPlan(u1, count, pitch);
  return foldedPlan(u0, u1, count);
}

/**
 * The plan of a lane of which only `shown` messages from the one at `from` on fill the room.
 * @param {number} u0
 * @param {number} u1
 * @param {number} count
 * @param {{ from: number, count: number }} zoom
 */
export function planPart(u0, u1, count, { from, count: shown }) {
  const inner = planLane(u0, u1, shown, PART_PITCH);
  return {
    ...inner,
    count,
    from,
    /** @param {number} i */
    border: (i) => inner.border(Math.max(0, Math.min(shown, i - from))),
    /** @param {number} u */
    index: (u) => from + Math.max(0, Math.min(shown - 1, inner.index(u))),
  };
}

/**
 * @param {number} u1
 * @param {number} count
 * @param {number} pitch
 */
function singlesPlan(u1, count, pitch) {
  return {
    count,
    from: 0,
    shown: count,
    pitch,
    folded: 0,
    bars: 0,
    width: glyphWidth(pitch),
    detailed: pitch >= GLYPH_PITCH,
    edges: count,
    /**
     * u of the border that has `i` messages between itself and the head.
     * @param {number} i
     */
    border: (i) => u1 - i * pitch,
    /** @param {number} u */
    index: (u) => Math.floor((u1 - u) / pitch),
  };
}

/**
 * A thin gap between glyphs, almost none between bars.
 * @param {number} pitch
 */
function glyphWidth(pitch) {
  return pitch >= GLYPH_PITCH ? pitch - Math.min(4, pitch * 0.22) : Math.max(1.6, pitch - 1.1);
}

/**
 * @param {number} u0
 * @param {number} u1
 * @param {number} count
 */
function foldedPlan(u0, u1, count) {
  const room = u1 - u0;
  const edges = Math.max(1, Math.min(6, Math.floor((room * 0.24) / EDGE_PITCH)));
  const folded = count - 2 * edges;
  const from = u0 + edges * EDGE_PITCH;
  const to = u1 - edges * EDGE_PITCH;
  const bars = Math.max(3, Math.floor((to - from) / FOLD_PITCH));
  const each = (to - from) / folded;
  /** @param {number} i */
  const border = (i) => {
    if (i <= edges) return u1 - i * EDGE_PITCH;
    if (i >= count - edges) return u0 + (count - i) * EDGE_PITCH;
    return to - (i - edges) * each;
  };
  /** @param {number} u */
  const index = (u) => {
    if (u > to) return Math.floor((u1 - u) / EDGE_PITCH);
    if (u < from) return count - 1 - Math.floor((u - u0) / EDGE_PITCH);
    return edges + Math.floor((to - u) / each);
  };
  return {
    count,
    from: 0,
    shown: count,
    pitch: EDGE_PITCH,
    width: glyphWidth(EDGE_PITCH),
    detailed: true,
    edges,
    folded,
    foldFrom: from,
    foldTo: to,
    bars,
    border,
    index,
  };
}

/**
 * Which messages of a plan stand alone, as [index from the head].
 * @param {LanePlan} plan
 */
export function singles(plan) {
  /** @type {number[]} */
  const found = [];
  const end = plan.from + plan.shown;
  const head = plan.folded ? plan.from + plan.edges : end;
  for (let i = plan.from; i < head; i += 1) found.push(i);
  if (plan.folded) for (let i = end - plan.edges; i < end; i += 1) found.push(i);
  return found;
}

/**
 * A reader of sorted rows by index: call it with rising indexes. Gives {row, offset} or null.
 * @template {Numbered} R
 * @param {R[]} rows
 * @returns {(index: number) => { row: R, offset: number } | null}
 */
export function walker(rows) {
  let at = 0;
  let before = 0;
  return (index) => {
    while (at < rows.length && index >= before + rows[at][E.count]) {
      before += rows[at][E.count];
      at += 1;
    }
    return at < rows.length ? { row: rows[at], offset: index - before } : null;
  };
}
