/** What the charts show over time: lengths of every queue, memory, totals. Bounded: the longer a run, the coarser. */
import { KINDS } from "./catalogue/kinds.js";
import { generationOf } from "./generations.js";
import { lengthOf, pendingOf, readyOf } from "./messages.js";
import { countedLanesOf, everyLane, lanesOf } from "./places.js";
import { memoryOf } from "./situation.js";
import { shownQueue } from "./shown.js";
import { total } from "./stretches.js";

/** @import { AnyTransition, RunSnapshot, Values } from "./catalogue/types.js" */

const MAX_SAMPLES = 720;
const EVERY_US = 20_000;

/**
 * The numbers of one moment: those of the queue that is shown, of the node, and in `queues` of each queue. What changed
 * since the sample before did so between `sinceUs` and `untilUs`: one moment, unless samples were made one.
 * @typedef {{ us: number, sinceUs: number, untilUs: number, queues: Record<string, Values> } & Values} Sample
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
  return ((totalAt(samples, key, us) - totalAt(samples, key, us - WINDOW_US)) * 1e6) / WINDOW_US;
}

/**
 * A running total at any moment.
 * @param {Sample[]} samples
 * @param {string} key
 * @param {number} us
 */
function totalAt(samples, key, us) {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (samples[middle].sinceUs <= us) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return samples[0]?.[key] ?? 0;
  const { sinceUs, untilUs, [key]: after } = samples[low - 1];
  const before = samples[low - 2]?.[key] ?? after;
  return us >= untilUs ? after : before + ((after - before) * (us - sinceUs)) / (untilUs - sinceUs);
}

/**
 * The numbers of a queue that is not there.
 * @returns {Values}
 */
const nothing = () => ({
  ...Object.fromEntries([...everyLane(), "ready", "counted", "pending", "arrived", "left"].map((name) => [name, 0])),
  target: null,
});

export class Samples {
  constructor() {
    /** @type {Sample[]} with each lane, ready, counted, pending, arrived, left, target, memory, limit, paging, alarm, reads, writes, syncs */
    this.list = [];
    this.everyUs = EVERY_US;
    /** @type {Record<string, { arrived: number, left: number }>} */
    this.totals = {};
    this.disk = { reads: 0, writes: 0, syncs: 0 };
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
   * Take a sample of the state.
   * @param {number} atUs
   * @param {RunSnapshot} state
   */
  take(atUs, state) {
    if (atUs < (this.list.at(-1)?.us ?? 0)) this.list = this.list.filter((each) => each.us <= atUs);
    const last = this.list.at(-1);
    const sample = this.sampleOf(atUs, state);
    // While samples come more often than one for each slot, the newest one moves but keeps the time at which its slot began.
    if (last && atUs - last.us < this.everyUs && this.list.length > 1)
      this.list[this.list.length - 1] = { ...sample, us: last.us, sinceUs: last.sinceUs };
    else this.list.push(sample);
    if (this.list.length > MAX_SAMPLES) this.thin();
  }

  thin() {
    /** @type {Sample[]} */
    const kept = [];
    this.list.forEach((sample, at) => {
      if (at % 2 === 0) kept.push(at ? { ...sample, sinceUs: this.list[at - 1].sinceUs } : sample); // what went is its own now
      else if (at === this.list.length - 1) kept.push(sample);
    });
    this.list = kept;
    this.everyUs *= 2;
  }

  /**
   * Another queue is shown: its numbers are the samples' own.
   * @param {string} name
   */
  show(name) {
    for (const sample of this.list) Object.assign(sample, nothing(), sample.queues[name]);
  }

  /**
   * @param {number} us
   * @param {RunSnapshot} state
   */
  sampleOf(us, state) {
    const { used, limit, pagingAt } = memoryOf(state);
    /** @type {Record<string, Values>} */
    const queues = {};
    for (const [name, queue] of Object.entries(state.queues)) {
      queues[name] = { pending: pendingOf(queue), ready: readyOf(queue), ...(this.totals[name] ?? { arrived: 0, left: 0 }) };
      for (const lane of lanesOf(queue)) queues[name][lane] = lengthOf(queue, lane);
      queues[name].counted = countedLanesOf(queue).reduce((sum, lane) => sum + queues[name][lane], 0);
      queues[name].target = queue.counters?.target_ram_count ?? generationOf(queue).gauge(queue, state.node.settings)?.value ?? null;
    }
    const shown = shownQueue(state);
    return {
      us,
      sinceUs: us,
      untilUs: us,
      ...nothing(),
      ...(shown === null ? {} : queues[shown]),
      memory: used,
      limit,
      paging: pagingAt,
      alarm: Boolean(state.node.alarms.memory),
      ...this.disk,
      queues,
    };
  }
}

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
