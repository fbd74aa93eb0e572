/** What the instruments show: samples of the run as columns for plots, processes as a chain of credit. Pure. */
import { generationOf } from "./generations.js";
import { lanesOf, letterOf } from "./places.js";
import { ratesOf } from "./samples.js";
import { gettext } from "./text.js";

/**
 * @import { QueueSnapshot, Values } from "./catalogue/types.js"
 * @import { Sample } from "./samples.js"
 */

/**
 * A lane's series: where two lanes have one letter, the one at the head has another tone and the one at the tail dashes.
 * @param {string} name
 * @param {number} at
 * @param {string[]} lanes
 */
const lane = (name, at, lanes) => ({
  key: name,
  label: () => name,
  tone: name === lanes.at(-1) ? `${letterOf(name)}-o` : letterOf(name),
  dash: at === 0 && lanes.length > 1 ? [6, 3] : null,
});

/** @typedef {{ key: string, label: () => string, tone: string, dash?: number[] | null }} Series one line of a plot */
/** @typedef {{ id: string, title: () => string, unit: string, rate?: boolean, series: Series[] }} Plot */

/**
 * The plots of a queue: each with its series. `rate` means change for each second of the run; `unit` is "count" or "bytes".
 * @param {QueueSnapshot | null} queue
 * @returns {Plot[]}
 */
export function plotsOf(queue) {
  const lengths = {
    id: "lengths",
    title: () => gettext("Lengths"),
    unit: "count",
    series: [
      ...lanesOf(queue).map(lane),
      { key: "pending", label: () => gettext("unacked"), tone: "ink", dash: [2, 3] },
      { key: "target", label: () => (queue && generationOf(queue).gauge(queue, {})?.name) ?? gettext("target"), tone: "fence", dash: [8, 4] },
    ],
  };
  return [lengths, ...OF_THE_NODE];
}

/** @type {Plot[]} */
const OF_THE_NODE = [
  {
    id: "memory",
    title: () => gettext("Memory"),
    unit: "bytes",
    series: [
      { key: "memory", label: () => gettext("RAM"), tone: "ink" },
      { key: "paging", label: () => gettext("paging"), tone: "beta-o", dash: [6, 3] },
      { key: "limit", label: () => gettext("watermark"), tone: "alarm", dash: [2, 3] },
    ],
  },
  {
    id: "rates",
    title: () => gettext("Messages per second"),
    unit: "count",
    rate: true,
    series: [
      { key: "arrived", label: () => gettext("in"), tone: "ink" },
      { key: "left", label: () => gettext("out"), tone: "alpha-o", dash: [6, 3] },
    ],
  },
  {
    id: "disk",
    title: () => gettext("Disk operations per second"),
    unit: "count",
    rate: true,
    series: [
      { key: "reads", label: () => gettext("reads"), tone: "gamma-o" },
      { key: "writes", label: () => gettext("writes"), tone: "delta", dash: [6, 3] },
      { key: "syncs", label: () => gettext("fsyncs"), tone: "sel", dash: [2, 3] },
    ],
  },
];

/**
 * Columns of a plot: seconds of the run, then one column for each series; null where there is no value. What the last sample has holds
 * until now.
 * @param {Sample[]} samples
 * @param {Plot} plot
 * @param {number} nowUs
 */
export function columns(samples, plot, nowUs) {
  const moments = samples.length ? [...samples, { ...samples[samples.length - 1], us: nowUs }] : [];
  const times = moments.map((sample) => sample.us / 1e6);
  /** @type {(key: string) => (number | null)[]} */
  const read = (key) => {
    const rate = ratesOf(samples, key);
    return moments.map((sample) => (plot.rate ? rate(sample.us) : (sample[key] ?? null)));
  };
  return [times, ...plot.series.map(({ key }) => read(key))];
}

/**
 * At most `most` samples, evenly, the last one always: for the table.
 * @param {Sample[]} samples
 */
export function thinned(samples, most = 24) {
  const every = Math.max(1, Math.ceil(samples.length / most));
  return samples.filter((_, at) => at % every === 0 || at === samples.length - 1);
}

/**
 * For each publisher that has a reader: its way to the stores, [{from, to, left, initial, starved, mailbox}].
 * @param {Record<string, Values>} [processes]
 */
export function creditChains(processes = {}) {
  const chains = [];
  for (const [id, process] of Object.entries(processes)) {
    if (process.kind !== "reader") continue;
    const links = [];
    let here = [id];
    const seen = new Set(here);
    while (here.length) {
      const next = [];
      for (const from of here) {
        for (const [to, [left, initial]] of Object.entries(/** @type {Record<string, [number, number]>} */ (processes[from]?.credit ?? {}))) {
          const starved = left <= 0 || (processes[from].blocked_by ?? []).includes(to);
          links.push({ from, to, left, initial, starved, mailbox: processes[to]?.mailbox ?? 0 });
          if (!seen.has(to)) next.push(to);
          seen.add(to);
        }
      }
      here = next;
    }
    if (links.length) chains.push({ name: id.split(":")[1] ?? id, state: process.state, links });
  }
  return chains;
}
