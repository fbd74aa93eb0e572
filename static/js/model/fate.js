/**
 * What a stop left of a queue's messages: the queue before it, compared with what its start found.
 * The twin of engine/replay/survival.py, which also computes what a stop would leave now.
 */
import { DELTA as D, EXTENT as E, PERSISTENT } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { aboutPlace } from "./places.js";
import { RANGES as RUNS, insert, overlapping, remove, total } from "./stretches.js";

/**
 * @import { Extent, QueueSnapshot, Range, Transition } from "./catalogue/types.js"
 * @import { Numbered } from "./stretches.js"
 */

/**
 * Rows as runs [start, count], in order and merged.
 * @param {Numbered[]} rows
 * @returns {Range[]}
 */
function runsOf(rows) {
  /** @type {Range[]} */
  const found = [];
  for (const [start, count] of rows) {
    remove(found, start, count, RUNS);
    insert(found, [start, count], RUNS);
  }
  return found;
}

/**
 * @param {Range[]} these
 * @param {Range[]} those
 */
const both = (these, those) => runsOf(these.flatMap(([start, count]) => overlapping(those, start, count, RUNS)));

/**
 * @param {Numbered[]} these
 * @param {Numbered[]} those
 */
function without(these, those) {
  const rest = runsOf(these);
  for (const [start, count] of those) remove(rest, start, count, RUNS);
  return rest;
}

/**
 * {kept, back, lost} as runs [start, count], and why: {unplaced, unacked, acks, transient, unsynced, survives}.
 * `recovered` is what the start reported, as `foundBy` has it, null when the queue is gone; `length` is how many messages it has after its start.
 * @param {QueueSnapshot} queue
 * @param {Numbered[] | null} recovered
 */
export function fateOf(queue, recovered, length = 0) {
  const places = Object.entries(queue.lanes);
  /** @param {(place: string, row: Extent) => boolean | undefined} holds */
  const rowsWhere = (holds) => runsOf(places.flatMap(([place, rows]) => rows.filter((row) => holds(place, row))));
  const held = rowsWhere((place) => aboutPlace(place).unacked);
  const transient = rowsWhere((_, row) => !(row[E.flags] & PERSISTENT));
  const records = Object.values(queue.counted);
  const counted = records.flatMap(([from, , , end]) => {
    if (from === null || end === null) return [];
    return runsOf(generationOf(queue).live(queue.own, from, end - from));
  });
  const ready = runsOf([...rowsWhere((place) => !aboutPlace(place).unacked), ...counted]);
  const there = without(runsOf(generationOf(queue).survivors(recovered ?? [])), transient);
  const unplaced = Math.max(0, total(there) - length);
  const lost = without([...ready, ...held], there);
  const back = without(there, ready);
  const unacked = total(both(back, held));
  const countedTransient = records.reduce((sum, record) => sum + record[D.transient], 0);
  const gone = total(both(lost, transient)) + Math.min(countedTransient, total(both(lost, counted))) + unplaced;
  return {
    kept: both(ready, there),
    back,
    lost,
    unplaced,
    unacked,
    acks: total(back) - unacked,
    transient: gone,
    unsynced: total(lost) + unplaced - gone,
    survives: recovered !== null,
  };
}

/**
 * What the start of a queue's files reports of its messages, as `fateOf` takes it; null of other transitions.
 * @param {Transition} t
 * @returns {Numbered[] | null}
 */
export function foundBy(t) {
  if (t.kind === "IndexRecovered") return t.entries;
  return t.kind === "FilesFound" ? t.live : null;
}

/**
 * What became of a queue's messages whose files have started: {queue, entries} of the one that stopped, as `fateOf`, and
 * whether the files are `foreign`: they have messages that the queue never had, so what a start dropped of them is not known.
 * @param {{ queue: QueueSnapshot, entries: Numbered[] }} stopped
 * @param {number} length
 */
export function fateOfStart({ queue, entries }, length) {
  const after = queue.counters?.next_seq_id ?? Infinity;
  const fate = fateOf(queue, entries, length);
  const foreign = length > hadOf(fate) + total(fate.back) || (entries?.some(([start, count]) => start + count > after) ?? false);
  return { ...fate, foreign, there: length };
}

/** @typedef {ReturnType<typeof fateOf> & { foreign?: boolean, there?: number }} Fate what a stop left */

/**
 * How many of each: {kept, lost, back}.
 * @param {Fate} fate
 */
export function countsOf({ kept, lost, back, unplaced }) {
  return { kept: total(kept) - unplaced, lost: total(lost) + unplaced, back: total(back) };
}

/**
 * How many messages the queue has before the stop: those that wait, and those that consumers hold.
 * @param {Fate} fate
 */
export const hadOf = ({ kept, lost, unacked }) => total(kept) + total(lost) + unacked;
