/**
 * The past of a run, as far as it is kept: the rows that were received, and copies of the state to fold them from.
 *
 * A *position* is a number of transitions: the state at position n has everything before row n folded. Positions lie
 * in stretches; between two stretches were transitions of which the page got only the number.
 */
import { generationOf } from "./generations.js";
import { fold } from "./reduce.js";

/** @import { AnyTransition, StoreFile, NodeState, RunSnapshot, Transition } from "./catalogue/types.js" */

export const EVERY = 200;
export const MAX_ROWS = 20_000;
/** Of all copies together, counted in runs of messages, entries and records. */
export const MAX_WEIGHT = 400_000;

/** Rows that the host sent again have room besides. */
const MAX_LENT = 12_000;

const WEIGHT_PER_ROW = 20;

/**
 * Copy a state. Rows of stretches are values (stretches.js), so only what holds them is copied; rows of files do change.
 * @param {RunSnapshot} state
 * @returns {RunSnapshot}
 */
export function copyState(state) {
  const queues = mapValues(state.queues, (queue) => ({
    ...queue,
    lanes: mapValues(queue.lanes, (rows) => rows.slice()),
    counted: { ...queue.counted },
    counters: { ...queue.counters },
    own: generationOf(queue).copy(queue.own),
  }));
  const stores = mapValues(state.stores, (store) => ({
    ...store,
    files: store.files.map((file) => /** @type {StoreFile} */ (file.slice())),
    rows: store.rows.slice(),
    orphans: store.orphans.slice(),
  }));
  const parts = mapValues(state.node, (part) => (Array.isArray(part) ? [...part] : { ...part }));
  const node = /** @type {NodeState} */ (/** @type {unknown} */ (parts));
  for (const members of /** @type {const} */ (["actors", "processes"]))
    node[members] = mapValues(state.node[members] ?? {}, (member) => ({ ...member }));
  return { ...state, queues, stores, node };
}

/**
 * An object with each value changed.
 * @template T, U
 * @param {Record<string, T>} object
 * @param {(value: T) => U} change
 * @returns {Record<string, U>}
 */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/**
 * How much memory a state takes, in rows.
 * @param {RunSnapshot} state
 */
export function weightOf(state) {
  let weight = 1;
  for (const queue of Object.values(state.queues)) {
    for (const rows of Object.values(queue.lanes)) weight += rows.length;
    weight += generationOf(queue).weight(queue.own);
  }
  for (const store of Object.values(state.stores)) weight += store.rows.length + store.files.length;
  return weight;
}

/**
 * What happened without a gap: rows from position `first` on, their times, and copies of the state on the way.
 * @typedef {{first: number, startUs: number, rows: Transition[], atUs: number[], points: Point[]}} Stretch
 * @typedef {{at: number, state: RunSnapshot, weight: number}} Point
 */

export class History {
  constructor({ every = EVERY, maxRows = MAX_ROWS, maxWeight = MAX_WEIGHT } = {}) {
    this.every = every;
    this.maxRows = maxRows;
    this.maxWeight = maxWeight;
    /** Which run this is the past of: it grows with each `clear()`. */
    this.epoch = 1;
    /** @type {Stretch[]} */
    this.stretches = [];
    this.rowCount = 0;
    this.weight = 0;
    this.lent = 0;
  }

  /** Forget everything: the run is another one. */
  clear() {
    this.stretches = [];
    this.rowCount = 0;
    this.weight = 0;
    this.lent = 0;
    this.epoch += 1;
  }

  /** The first and the last position that can be shown. */
  get start() {
    return this.stretches[0]?.first ?? 0;
  }

  get end() {
    const last = this.stretches[this.stretches.length - 1];
    return last ? endOf(last) : 0;
  }

  /**
   * A whole state arrived: it begins a stretch, unless it only repeats where the last one ended.
   * @param {number} position
   * @param {number} us
   * @param {RunSnapshot} state
   */
  snapshot(position, us, state) {
    const last = this.stretches[this.stretches.length - 1];
    if (last && endOf(last) === position) return;
    if (last && endOf(last) > position) this.clear();
    /** @type {Stretch} */
    const stretch = { first: position, startUs: us, rows: [], atUs: [], points: [] };
    this.stretches.push(stretch);
    this.keep(stretch, position, state);
    this.trim();
  }

  /**
   * A stretch that was not watched: what is kept already stays, and what touches becomes one.
   * @param {Stretch} stretch
   */
  insert(stretch) {
    const before = this.rowCount;
    const all = [...this.stretches, ...uncovered(stretch, this.stretches)].sort((a, b) => a.first - b.first);
    /** @type {Stretch[]} */
    const none = [];
    this.stretches = all.reduce(joined, none);
    this.rowCount = this.stretches.reduce((sum, { rows }) => sum + rows.length, 0);
    const points = this.stretches.flatMap((each) => each.points);
    this.weight = points.reduce((sum, { weight }) => sum + weight, 0);
    this.lent = Math.min(MAX_LENT, this.lent + this.rowCount - before);
    this.trim();
  }

  /**
   * A transition was folded; `state` is the one after it.
   * @param {Transition} t
   * @param {number} us
   * @param {RunSnapshot} state
   */
  add(t, us, state) {
    const stretch = this.stretches[this.stretches.length - 1];
    if (!stretch) return;
    stretch.rows.push(t);
    stretch.atUs.push(us);
    this.rowCount += 1;
    const point = stretch.points[stretch.points.length - 1];
    const since = endOf(stretch) - point.at;
    if (since >= this.every && since * WEIGHT_PER_ROW >= point.weight) {
      this.keep(stretch, endOf(stretch), state);
      this.trim();
    }
  }

  /**
   * @param {Stretch} stretch
   * @param {number} at
   * @param {RunSnapshot} state
   */
  keep(stretch, at, state) {
    const weight = weightOf(state);
    stretch.points.push({ at, state: copyState(state), weight });
    this.weight += weight;
  }

  trim() {
    if (this.weight > this.maxWeight) this.thin();
    while (this.rowCount > this.maxRows + this.lent || this.weight > this.maxWeight) if (!this.dropOldest()) return;
  }

  /** Of moments that stand alone between transitions that were too fast, every second one goes. */
  thin() {
    let alone = 0;
    const last = this.stretches.length - 1;
    this.stretches = this.stretches.filter((stretch, at) => {
      if (stretch.rows.length || at === 0 || at === last) return true;
      alone += 1;
      if (alone % 2) return true;
      this.weight -= stretch.points[0].weight;
      return false;
    });
  }

  /** Forget what comes before the second oldest copy; the newest copy stays. */
  dropOldest() {
    const [stretch] = this.stretches;
    const next = stretch.points[1];
    if (!next && this.stretches.length === 1) return false;
    this.weight -= stretch.points[0].weight;
    stretch.points.shift();
    if (!next) {
      this.rowCount -= stretch.rows.length;
      this.stretches.shift();
      return true;
    }
    const count = next.at - stretch.first;
    this.rowCount -= count;
    stretch.startUs = stretch.atUs[count - 1];
    stretch.rows = stretch.rows.slice(count);
    stretch.atUs = stretch.atUs.slice(count);
    stretch.first = next.at;
    return true;
  }

  /**
   * The stretch that holds a position, or null.
   * @param {number} position
   */
  stretchAt(position) {
    const stretch = this.stretches[this.placeOf(position)];
    return stretch && position <= endOf(stretch) ? stretch : null;
  }

  /**
   * Index of the last stretch that begins at a position or before it; -1 when all begin later.
   * @param {number} position
   */
  placeOf(position) {
    return lastWhere(this.stretches.length, (at) => this.stretches[at].first <= position);
  }

  /** @param {number} position */
  has(position) {
    return this.stretchAt(position) !== null;
  }

  /**
   * The state at a position, a new one each time; null where there is none.
   * @param {number} position
   */
  stateAt(position) {
    const stretch = this.stretchAt(position);
    if (!stretch) return null;
    const at = lastWhere(stretch.points.length, (place) => stretch.points[place].at <= position);
    const point = stretch.points[at];
    return this.foldOn(copyState(point.state), point.at, position);
  }

  /**
   * Fold the rows from one position of a stretch to a later one into `state`.
   * @param {RunSnapshot} state
   * @param {number} from
   * @param {number} to
   */
  foldOn(state, from, to) {
    const stretch = this.stretchAt(to);
    if (!stretch) throw new RangeError(`position ${to} is not kept`);
    const { rows, first } = stretch;
    for (let at = from; at < to; at += 1) fold(state, rows[at - first]);
    return state;
  }

  /**
   * When the state of a position came to be.
   * @param {number} position
   */
  timeOf(position) {
    const stretch = this.stretchAt(position);
    if (!stretch) return null;
    return position === stretch.first ? stretch.startUs : stretch.atUs[position - stretch.first - 1];
  }

  /**
   * The last position at a time: everything until then has happened.
   * @param {number} us
   */
  positionAt(us) {
    const place = lastWhere(this.stretches.length, (at) => this.stretches[at].startUs <= us);
    if (place < 0) return this.start;
    const { first, atUs } = this.stretches[place];
    return first + lastWhere(atUs.length, (at) => atUs[at] <= us) + 1;
  }

  /**
   * The position before or after (-1, 1) that can be shown; null at the ends.
   * @param {number} position
   * @param {number} direction
   */
  neighbour(position, direction) {
    const next = position + direction;
    if (next < this.start || next > this.end) return null;
    if (this.has(next)) return next;
    const before = this.stretches[this.placeOf(next)];
    const after = this.stretches[this.placeOf(next) + 1];
    return direction < 0 ? endOf(before) : after.first;
  }

  /**
   * How many transitions are missing right before and right after a position.
   * @param {number} position
   */
  gapsAt(position) {
    const place = this.placeOf(position);
    const stretch = this.stretches[place];
    if (!stretch) return { before: 0, after: 0 };
    const [last, next] = [this.stretches[place - 1], this.stretches[place + 1]];
    return {
      before: last && position === stretch.first ? position - endOf(last) : 0,
      after: next && position === endOf(stretch) ? next.first - position : 0,
    };
  }

  /**
   * The last transition before a position, in its stretch, for which `holds`: {number, t}, or null.
   * @param {number} position
   * @param {(t: Transition) => boolean} holds
   */
  lastBefore(position, holds) {
    const stretch = this.stretchAt(position);
    if (!stretch) return null;
    for (let at = position - stretch.first - 1; at >= 0; at -= 1)
      if (holds(stretch.rows[at])) return { number: stretch.first + at, t: stretch.rows[at] };
    return null;
  }

  /**
   * The rows from a number on, to the end of its stretch: [{number, t}].
   * @param {number} number
   */
  *rowsFrom(number) {
    const stretch = this.stretchAt(number);
    if (!stretch) return;
    for (let at = number - stretch.first; at < stretch.rows.length; at += 1)
      yield { number: stretch.first + at, t: stretch.rows[at] };
  }

  /**
   * The rows that led to a position, at most `count` of its stretch: [{number, us, t}], oldest first.
   * @param {number} position
   * @param {number} count
   */
  rowsBefore(position, count) {
    const stretch = this.stretchAt(position);
    if (!stretch) return [];
    const found = [];
    for (let number = Math.max(stretch.first, position - count); number < position; number += 1) {
      const at = number - stretch.first;
      found.push({ number, us: stretch.atUs[at], t: stretch.rows[at] });
    }
    return found;
  }
}

/** @param {Stretch} stretch */
function endOf(stretch) {
  return stretch.first + stretch.rows.length;
}

/**
 * The parts of a stretch that lie between others, which are in order.
 * @param {Stretch} stretch
 * @param {Stretch[]} others
 * @returns {Stretch[]}
 */
function uncovered(stretch, others) {
  /** @type {Stretch[]} */
  const parts = [];
  /** @type {(from: number, to: number) => unknown} */
  const add = (from, to) => from <= endOf(stretch) && to >= from && parts.push(cut(stretch, from, to));
  let from = stretch.first;
  for (const other of others) {
    if (other.first > from) add(from, Math.min(other.first, endOf(stretch)));
    from = Math.max(from, endOf(other));
    if (from >= endOf(stretch)) return parts;
  }
  add(from, endOf(stretch));
  return parts;
}

/**
 * A stretch from one of its positions to another.
 * @param {Stretch} stretch
 * @param {number} from
 * @param {number} to
 * @returns {Stretch}
 */
function cut(stretch, from, to) {
  const { first, rows, atUs, points } = stretch;
  const before = points.findLast(({ at }) => at <= from) ?? points[0];
  const state = copyState(before.state);
  for (let at = before.at; at < from; at += 1) fold(state, rows[at - first]);
  return {
    first: from,
    startUs: from === first ? stretch.startUs : atUs[from - first - 1],
    rows: rows.slice(from - first, to - first),
    atUs: atUs.slice(from - first, to - first),
    points: [{ at: from, state, weight: before.weight }, ...points.filter(({ at }) => at > from && at <= to)],
  };
}

/**
 * Stretches in order, with one more that begins where the last one ends or later.
 * @param {Stretch[]} all
 * @param {Stretch} next
 * @returns {Stretch[]}
 */
function joined(all, next) {
  const last = all[all.length - 1];
  if (!last || endOf(last) < next.first) return [...all, next];
  const points = last.points.filter(({ at }) => at < next.first);
  const one = {
    ...last,
    rows: last.rows.concat(next.rows),
    atUs: last.atUs.concat(next.atUs),
    points: [...points, ...next.points],
  };
  return [...all.slice(0, -1), one];
}

/**
 * The last index below `length` for which `holds`, which must hold for all before it too; -1 if for none.
 * @param {number} length
 * @param {(at: number) => boolean} holds
 */
function lastWhere(length, holds) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const MOST_DELETED = 4000;

/** Which segment files were deleted so far: many segments never had a file, so the state alone does not show it. */
export class Deleted {
  constructor() {
    /** @type {Record<string, [segment: number, number: number][]>} */
    this.queues = {};
  }

  clear() {
    this.queues = {};
  }

  /**
   * Count the deleted files of transition `number`.
   * @param {AnyTransition} t
   * @param {number} number
   */
  observe({ kind, queue, segment, bytes }, number) {
    if (kind !== "SegmentDeleted" || !bytes || queue === undefined || segment === undefined) return;
    const list = (this.queues[queue] ??= []);
    list.push([segment, number]);
    if (list.length > MOST_DELETED) list.shift();
  }

  /**
   * {count, first, last} of a queue's segments that were deleted before a position.
   * @param {string} queue
   * @param {number} position
   */
  before(queue, position) {
    const gone = (this.queues[queue] ?? []).filter(([, number]) => number < position).map(([segment]) => segment);
    if (!gone.length) return { count: 0, first: null, last: null };
    const all = new Set(gone);
    return { count: all.size, first: Math.min(...all), last: Math.max(...all) };
  }
}
