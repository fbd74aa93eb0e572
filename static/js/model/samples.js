/**
 * What the charts show over time: the numbers after each transition, so a run has one time line however its rows came. Bounded: the
 * longer a run, the more of its moments share one sample, which keeps the last and the highest of them.
 */
import { KINDS } from "./catalogue/kinds.js";
import { alarmsOf, factsOfQueue, memoryOf } from "./facts.js";
import { LETTERS } from "./messages.js";
import { everyLane } from "./places.js";
import { shownQueue } from "./shown.js";
import { total } from "./stretches.js";

/** @import { AnyTransition, RunSnapshot, Values } from "./catalogue/types.js" */

const MAX_SAMPLES = 720;
const EVERY_US = 20_000;

/**
 * The numbers after the last of some moments, from `sinceUs` to `untilUs`: those of the queue that is shown, of the node, and in
 * `queues` of each queue. `highest` has those of the moment among them at which most was ready, `mostMemory` the most memory.
 * @typedef {{ us: number, sinceUs: number, untilUs: number, mostMemory: number, queues: Record<string, Values> } & Values} Sample
 */

/** Over how long a rate is measured. */
export const WINDOW_US = 500_000;

/**
 * How much a running total grew for each second, over the half second before a moment. Time in which nothing happened counts
 * as such: neither does it make the first burst after it small, nor does the last burst before it go on.
 * @param {Sample[]} samples
 * @param {string} key
 * @param {number} us
 */
export function rateAt(samples, key, us) {
  return ratesOf(samples, key)(us);
}

/**
 * The same at one moment after the other, none earlier than the one before.
 * @param {Sample[]} samples
 * @param {string} key
 */
export function ratesOf(samples, key) {
  const [now, before] = [totalsOf(samples, key), totalsOf(samples, key)];
  return (/** @type {number} */ us) => ((now(us) - before(us - WINDOW_US)) * 1e6) / WINDOW_US;
}

/**
 * A running total at one moment after the other.
 * @param {Sample[]} samples
 * @param {string} key
 */
function totalsOf(samples, key) {
  let next = 0;
  return (/** @type {number} */ us) => {
    while (next < samples.length && samples[next].sinceUs <= us) next += 1;
    if (next === 0) return samples[0]?.[key] ?? 0;
    const { sinceUs, untilUs, [key]: after } = samples[next - 1];
    const before = samples[next - 2]?.[key] ?? after;
    return us >= untilUs ? after : before + ((after - before) * (us - sinceUs)) / (untilUs - sinceUs);
  };
}

const ZEROS = Object.fromEntries([...everyLane(), ...LETTERS, "ready", "counted", "pending", "arrived", "left"].map((name) => [name, 0]));
/**
 * The numbers of a queue that is not there.
 * @type {Values}
 */
const NOTHING = { ...ZEROS, target: null, highest: ZEROS };

export class Samples {
  constructor() {
    /** @type {Sample[]} with each lane and letter, ready, counted, pending, arrived, left, target, memory, limit, paging, alarm, reads, writes, syncs */
    this.list = [];
    this.everyUs = EVERY_US;
    /** @type {Record<string, { arrived: number, left: number }>} */
    this.totals = {};
    this.disk = { reads: 0, writes: 0, syncs: 0 };
    /** @type {Record<string, Values>} what was found of each queue last */
    this.queues = {};
  }

  /**
   * Count what a transition brings and takes.
   * @param {AnyTransition} t
   */
  count({ kind, queue, extents }) {
    const { disk, arrives, leaves } = KINDS[kind];
    if (disk) this.disk[disk] += 1;
    if ((!arrives && !leaves) || queue === undefined) return;
    const totals = (this.totals[queue] ??= { arrived: 0, left: 0 });
    const messages = total(extents ?? []);
    if (arrives) totals.arrived += messages;
    if (leaves) totals.left += messages;
  }

  /**
   * Take a sample of the state: after a transition of one queue only that queue is looked at.
   * @param {number} atUs
   * @param {RunSnapshot} state
   * @param {string | null} [changed] the queue; null where any may have changed
   */
  take(atUs, state, changed = null) {
    if (atUs < (this.list.at(-1)?.us ?? 0)) this.list = this.list.filter((each) => each.us <= atUs);
    const last = this.list.at(-1);
    const sample = this.sampleOf(atUs, state, changed);
    // While samples come more often than one for each slot, the newest one takes the place of the one before it.
    if (last && atUs - last.us < this.everyUs && this.list.length > 1) this.list[this.list.length - 1] = joined(last, sample);
    else this.list.push(sample);
    if (this.list.length > MAX_SAMPLES) this.thin();
  }

  /** Of each two samples one becomes of the other, from the second on: the first is the run's beginning. */
  thin() {
    const [first, ...rest] = this.list;
    this.list = [first];
    for (let at = 0; at < rest.length; at += 2) this.list.push(at + 1 < rest.length ? joined(rest[at], rest[at + 1]) : rest[at]);
    this.everyUs *= 2;
  }

  /**
   * Another queue is shown: its numbers are the samples' own.
   * @param {string} name
   */
  show(name) {
    for (const sample of this.list) Object.assign(sample, NOTHING, sample.queues[name]);
  }

  /**
   * @param {number} us
   * @param {RunSnapshot} state
   * @param {string | null} changed
   */
  sampleOf(us, state, changed) {
    const { used, limit, pagingAt } = memoryOf(state);
    const names = Object.keys(state.queues);
    const same = changed !== null && names.length === Object.keys(this.queues).length && names.every((name) => name in this.queues);
    const queues = same ? { ...this.queues } : {};
    for (const name of same ? names.filter((each) => each === changed) : names) {
      const numbers = { ...factsOfQueue(state.queues[name], state.node.settings), ...(this.totals[name] ?? { arrived: 0, left: 0 }) };
      queues[name] = { ...numbers, highest: numbers };
    }
    this.queues = queues;
    const shown = shownQueue(state);
    return {
      us,
      sinceUs: us,
      untilUs: us,
      ...NOTHING,
      ...(shown === null ? {} : queues[shown]),
      memory: used,
      mostMemory: used,
      limit,
      paging: pagingAt,
      alarm: alarmsOf(state).memory,
      ...this.disk,
      queues,
    };
  }
}

/**
 * One sample of two: the numbers of the later one, and the highest of both.
 * @param {Sample} one
 * @param {Sample} later
 * @returns {Sample}
 */
function joined(one, later) {
  /** @type {Record<string, Values>} */
  const queues = {};
  for (const [name, numbers] of Object.entries(later.queues)) queues[name] = { ...numbers, highest: higher(one.queues[name], numbers) };
  return {
    ...later,
    us: one.us,
    sinceUs: one.sinceUs,
    mostMemory: Math.max(one.mostMemory, later.mostMemory),
    highest: higher(one, later),
    queues,
  };
}

/**
 * The highest numbers of two samples of a queue.
 * @param {Values | undefined} one
 * @param {Values} later
 */
const higher = (one, later) => ((one?.highest?.ready ?? 0) > (later.highest?.ready ?? 0) ? one?.highest : later.highest);

const GAP_US = 1_000_000;
const MOST_ACTIVITY = 200;

/** When something happened: stretches of virtual time, with idle time between them. Bounded: what is close becomes one. */
export class Activity {
  constructor() {
    /** @type {[fromUs: number, toUs: number][]} oldest first */
    this.list = [];
    this.gapUs = GAP_US;
  }

  /**
   * Something happened.
   * @param {number} us
   */
  observe(us) {
    const last = this.list[this.list.length - 1];
    if (last && us - last[1] <= this.gapUs) last[1] = Math.max(last[1], us);
    else this.list.push([us, us]);
    if (this.list.length > MOST_ACTIVITY) this.merge();
  }

  merge() {
    this.gapUs *= 2;
    /** @type {[number, number][]} */
    const merged = [];
    for (const [from, to] of this.list) {
      const last = merged[merged.length - 1];
      if (last && from - last[1] <= this.gapUs) last[1] = to;
      else merged.push([from, to]);
    }
    this.list = merged;
  }
}
