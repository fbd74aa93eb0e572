/** Memory and disk as gauges: thermometers on the stage, and words for everybody. */
import { diskOf, fileBytes, memoryOf, strategyOf } from "../../model/facts.js";
import { bytes, fill, gettext } from "../../model/text.js";

/** @import { RunSnapshot } from "../../model/catalogue/types.js" */

/**
 * {ram, disk}: title, label, value, top, lines and colour of each thermometer.
 * @param {RunSnapshot} state
 * @param {Record<string, string>} colors
 */
export function gaugesOf(state, colors) {
  return { ram: ramGauge(state, colors), disk: diskGauge(state, colors) };
}

/**
 * The thermometer of memory alone.
 * @param {RunSnapshot} state
 * @param {Record<string, string>} colors
 */
export function ramGauge(state, colors) {
  const { used, limit, pagingAt: paging, past } = memoryOf(state);
  const lines = [];
  if (limit !== null) lines.push([limit, gettext("watermark"), "alarm"]);
  if (paging !== null) lines.push([paging, gettext("paging"), "beta"]);
  const color =
    limit !== null && used > limit
      ? colors.alarm
      : paging !== null && used >= paging
        ? colors.beta
        : colors.ink3;
  return {
    title: gettext("RAM"),
    label: bytes(used),
    note: overLine(used, limit, paging),
    past: past || (limit !== null && used > limit),
    value: used,
    top: Math.max(used * 1.08, (limit ?? used) * 1.2, 1),
    lines,
    color,
  };
}

/**
 * How far memory is over the highest line that it has passed; nothing below all.
 * @param {number} used
 * @param {number | null} limit
 * @param {number | null} paging
 */
function overLine(used, limit, paging) {
  const passed = Math.max(...[limit, paging].filter((line) => line !== null && used > line).map(Number));
  return passed > 0 ? fill(gettext("%(bytes)s over"), { bytes: bytes(used - passed) }) : "";
}

/**
 * @param {RunSnapshot} state
 * @param {Record<string, string>} colors
 */
function diskGauge(state, colors) {
  const used = fileBytes(state);
  const { free, limit, alarm } = diskOf(state);
  // Where the node watches a disk: how far the files may grow until the alarm, to the scale of what is taken.
  const room = free === null || limit === null ? null : used + free - limit;
  const near = room !== null && room < used * 20;
  return {
    title: gettext("DISK"),
    label: bytes(used),
    value: used,
    top: near ? Math.max(used, room) * 1.15 : Math.max(1024 * 1024, used * 1.5),
    lines: near ? [[Math.max(0, room), gettext("disk limit"), "alarm"]] : [],
    color: alarm ? colors.alarm : colors.delta,
  };
}

/**
 * The same in words.
 * @param {RunSnapshot} state
 */
export function gaugeText(state) {
  const { used, limit, pagingAt: paging } = memoryOf(state);
  return fill(
    paging === null
      ? gettext("Memory %(used)s (%(strategy)s); alarm at %(limit)s. Files on disk %(disk)s.")
      : gettext("Memory %(used)s (%(strategy)s); paging from %(paging)s, alarm at %(limit)s. Files on disk %(disk)s."),
    {
      used: bytes(used),
      strategy: strategyOf(state.node.settings),
      paging: bytes(paging),
      limit: bytes(limit),
      disk: bytes(fileBytes(state)),
    },
  );
}

/** The height of a label of two lines. */
const LABEL = 25;

/**
 * Where the labels of a thermometer's lines stand: each beside its line if it can, never over another, all within [top, bottom].
 * @param {number[]} lines from the top down
 * @param {number} top
 * @param {number} bottom
 */
export function labelPlaces(lines, top, bottom) {
  /** @type {number[]} */
  const places = [];
  for (const at of lines) places.push(Math.max(at, top, places.length ? places[places.length - 1] + LABEL : top));
  let room = bottom;
  for (let at = places.length - 1; at >= 0; at -= 1) {
    places[at] = Math.min(places[at], room);
    room = places[at] - LABEL;
  }
  return places;
}
