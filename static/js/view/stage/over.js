/** What lies over the marks: the fence with what is to leave, pills, the counted lane's term, rings, thermometers. */
import { aboutPlace } from "../../model/places.js";
import { bytes, fill, gettext, ngettext, number } from "../../model/text.js";
import { roundRect, write } from "../base/pen.js";
import { colors, faded, hatch } from "../base/colors.js";
import { required } from "../base/dom.js";
import { labelPlaces } from "./gauges.js";

/**
 * @import { Box, Geo } from "../../layout/geometry.js"
 * @import { Lane, Scene } from "../../layout/stage.js"
 * @import { Values } from "../../model/catalogue/types.js"
 */

/** The colour of what only a count is kept of. */
const COUNTED_TONE = "delta";

/**
 * Hatch what is over the target, and draw the fence; its label is its handle (view/fence.js). Where Why? explains a pass that had another
 * target, dashes with its number show where that was.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
export function paintFence(pen, scene) {
  const { geo, fence, explained } = scene;
  const v0 = geo.turned ? geo.ramContent - 4 : geo.ram + 1;
  if (explained) paintDashes(pen, geo, explained, v0);
  if (!fence) return;
  for (const [u0, u1] of fence.over) {
    pen.fillStyle = hatch(null, faded(colors.alarm, 0.34), 6, 1.4);
    if (geo.turned) pen.fillRect(v0, u0, geo.waterline - v0, u1 - u0);
    else pen.fillRect(u0 - 2, v0, u1 - u0 + 2, geo.waterline - v0);
  }
  if (fence.u === null) return;
  pen.fillStyle = colors.fence;
  if (geo.turned) pen.fillRect(v0 - 4, fence.u - 1, geo.waterline - v0 + 4, 2);
  else pen.fillRect(fence.u - 1, geo.ram + 2, 2, geo.waterline - geo.ram - 2);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 * @param {{ u: number, target: number }} explained
 * @param {number} v0
 */
function paintDashes(pen, geo, { u, target }, v0) {
  pen.strokeStyle = colors.fence;
  pen.lineWidth = 1;
  pen.setLineDash([4, 4]);
  pen.beginPath();
  pen.moveTo(geo.turned ? v0 : u, geo.turned ? u : v0);
  pen.lineTo(geo.turned ? geo.waterline : u, geo.turned ? u : geo.waterline);
  pen.stroke();
  pen.setLineDash([]);
  const [x, y] = geo.turned ? [geo.ramIndex - 6, u - 4] : [u - 4, geo.ramIndex - 7];
  const text = number(target);
  pen.font = `450 12px ${colors.sans}`;
  const width = pen.measureText(text).width;
  pen.fillStyle = colors.card; // a content that leaves may be below it
  pen.fillRect(x - width - 3, y - 11, width + 5, 14);
  write(pen, text, x, y, { family: colors.sans, color: colors.fence, align: "right" });
}

/**
 * Hatch the index entries that are more than permitted, and would leave RAM.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
export function paintSurplus(pen, scene) {
  const { geo, surplus: betas } = scene;
  if (!betas?.surplus) return;
  pen.fillStyle = hatch(null, faded(colors[`${COUNTED_TONE}-o`], 0.75), 5, 1.4);
  for (const [u0, u1] of betas.over) {
    if (geo.turned) pen.fillRect(geo.ramIndex - 3, u0, geo.tag + 6, u1 - u0);
    else pen.fillRect(u0, geo.ramIndex - 3, u1 - u0, geo.tag + 6);
  }
}

/**
 * A pill with a count over a fold.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
export function paintPills(pen, scene) {
  const { geo } = scene;
  for (const pill of scene.pills) {
    const v = (pill.inRam ? geo.ramContent : geo.diskContent) + geo.content / 2;
    const text = pill.segments
      ? fill(ngettext("\u00d7%(n)s in %(segments)s segment", "\u00d7%(n)s in %(segments)s segments", pill.segments), {
          n: number(pill.count),
          segments: number(pill.segments),
        })
      : `\u00d7${number(pill.count)}`;
    const lane = required(scene.lanes.find((each) => each.name === pill.lane), "the lane of a pill");
    paintPill(
      pen,
      geo.turned ? v : pill.u,
      geo.turned ? pill.u : v,
      text,
      `\u00d7${number(pill.count)}`,
      geo.turned ? 2 * Math.min(v, geo.width - v) : lane.u1 - lane.u0,
    );
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {string} short
 * @param {number} room
 */
function paintPill(pen, x, y, text, short, room) {
  pen.font = `650 12px ${colors.sans}`;
  const shown = pen.measureText(text).width + 16 <= room ? text : short;
  const width = pen.measureText(shown).width + 14;
  roundRect(pen, x - width / 2, y - 9, width, 18, 9);
  pen.fillStyle = colors.card;
  pen.fill();
  pen.strokeStyle = colors.line2;
  pen.lineWidth = 1;
  pen.stroke();
  write(pen, shown, x, y + 4, {
    size: 12,
    weight: 650,
    family: colors.sans,
    color: colors.ink,
    align: "center",
  });
}

const TERM_LINE = 14;

/**
 * The one term that RAM keeps of the counted lane, each of its numbers by its name, and the segment numbers below it.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
export function paintDelta(pen, scene) {
  const { geo, term, ruler } = scene;
  if (!term) return;
  if (!geo.turned && ruler)
    paintRuler(
      pen,
      scene,
      required(scene.lanes.find((each) => aboutPlace(each.name)?.counted), "the counted lane"),
    );
  const [start, end, count, transient] = [term.start, term.end, term.count, term.transient].map(number);
  const lines = [
    gettext("all that RAM keeps"),
    fill(gettext("start %(start)s, end %(end)s"), { start, end }),
    fill(gettext("count %(count)s, transient %(transient)s"), { count, transient }),
  ];
  pen.font = `450 12px ${colors.sans}`;
  const width = Math.max(...lines.map((text) => pen.measureText(text).width)) + 18;
  const height = 8 + TERM_LINE * lines.length;
  const x = geo.turned ? (geo.waterline - width) / 2 : term.u - width / 2;
  const y = geo.turned ? term.u - height / 2 : geo.ramIndex - 26;
  pen.fillStyle = faded(colors.ink3, 0.55);
  if (!geo.turned) pen.fillRect(term.u - 0.5, y + height, 1, geo.diskIndex - y - height);
  roundRect(pen, x, y, width, height, 5);
  pen.fillStyle = colors.card;
  pen.fill();
  pen.strokeStyle = colors[COUNTED_TONE];
  pen.lineWidth = 1.2;
  pen.stroke();
  lines.forEach((text, at) =>
    write(pen, text, x + width / 2, y + 15 + TERM_LINE * at, { size: 12, family: colors.sans, color: at ? colors.ink : colors.ink3, align: "center" }),
  );
}

/** `bare` is the height that name and rate need where there is no room for the bar. */
const LOAD = { width: 190, height: 58, bar: 7, inset: 10, bare: 40 };
/** Up to this many steps a bar is linear; beyond, each doubling is as long as the one before. */
const LINEAR = 16;

/**
 * How many messages wait in RAM, where a rate decides it, as a gauge: over the counted lane, whose room in RAM is free.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
export function paintLoad(pen, { geo, lanes, load, term }) {
  const lane = load && !geo.turned ? lanes.find(({ name }) => aboutPlace(name)?.counted) : null;
  if (!load || !lane) return;
  const title = `${load.name} = ${number(load.value)}`;
  const bold = { size: 13, weight: 650, family: colors.sans, color: colors.ink };
  const plain = { size: 12, family: colors.sans, color: colors.ink3 };
  const right = lane.u1 - 4;
  const top = geo.ram + LOAD.inset;
  const free = (term ? geo.ramIndex - 26 : geo.waterline) - geo.ram;
  if (right - lane.u0 < LOAD.width || free < LOAD.height + LOAD.inset) {
    write(pen, title, right, top + 10, { ...bold, align: "right" });
    if (free >= LOAD.bare) write(pen, load.rate, right, top + 25, { ...plain, color: colors.ink2, align: "right" });
    return;
  }
  const x = right - LOAD.width;
  write(pen, title, x, top + 10, bold);
  write(pen, load.rate, right, top + 10, { ...plain, color: colors.ink2, align: "right" });
  const share = load.most <= LINEAR ? load.value / load.most : Math.log2(load.value + 1) / Math.log2(load.most + 1);
  roundRect(pen, x, top + 18, LOAD.width, LOAD.bar, 3);
  pen.fillStyle = colors.card;
  pen.fill();
  pen.save();
  pen.clip();
  pen.fillStyle = colors.alpha;
  pen.fillRect(x, top + 18, LOAD.width * Math.min(1, share), LOAD.bar);
  pen.restore();
  roundRect(pen, x, top + 18, LOAD.width, LOAD.bar, 3);
  pen.strokeStyle = colors.line2;
  pen.lineWidth = 1;
  pen.stroke();
  write(pen, load.formula, x, top + 40, plain);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @param {Lane} lane
 */
function paintRuler(pen, scene, lane) {
  const y = scene.geo.end - 6;
  for (const [segment, u] of scene.ruler.labels) {
    if (segment !== undefined && u > lane.u0 + 4)
      write(pen, String(segment), u, y, {
        size: 12,
        family: colors.sans,
        color: colors.ink3,
        align: "center",
      });
  }
}

/**
 * Ring around the chosen or focused message: its frame of the scene.
 * @param {CanvasRenderingContext2D} pen
 * @param {Box | null} frame
 * @param {boolean} strong
 */
export function paintRing(pen, frame, strong) {
  if (!frame) return;
  pen.strokeStyle = colors.sel;
  pen.lineWidth = strong ? 2 : 1.4;
  roundRect(pen, frame.x, frame.y, frame.w, frame.h, 4);
  pen.stroke();
}

/**
 * Where the memory's tide stands at its highest, and how far it is from there to the waterline: {from, length} in units of the canvas.
 * @param {Geo} geo
 */
export function thermometerOf(geo) {
  const from = geo.turned ? 0 : geo.ram + 18 + TUBE;
  return { from, length: geo.waterline - from };
}

/** Where the tide's lines begin: right of their words. */
const TIDE_FROM = 82;

/**
 * Memory as a tide: it rises from the waterline across the RAM band, past the lines at which something happens.
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 * @param {Values} gauge
 */
export function paintTide(pen, geo, gauge) {
  const { from, length } = thermometerOf(geo);
  /** @param {number} value */
  const at = (value) => from + length * (1 - Math.max(0, Math.min(1, value / gauge.top)));
  /**
   * @param {number} v
   * @param {number} depth
   */
  const across = (v, depth) => (geo.turned ? pen.fillRect(v, 0, depth, geo.height) : pen.fillRect(0, v, geo.width, depth));
  const level = at(gauge.value);
  pen.fillStyle = faded(gauge.color, gauge.past ? 0.2 : 0.12);
  across(level, geo.waterline - level);
  pen.fillStyle = faded(gauge.color, 0.9);
  if (geo.turned) across(level, 1.5);
  else pen.fillRect(TIDE_FROM, level, geo.width - TIDE_FROM, 1.5);
  pen.setLineDash([5, 4]);
  pen.lineWidth = 1.2;
  for (const [value, , tone] of gauge.lines) {
    const v = Math.round(at(value)) + 0.5;
    pen.strokeStyle = faded(colors[`${tone}-o`] ?? colors[tone], 0.85);
    pen.beginPath();
    pen.moveTo(geo.turned ? v : TIDE_FROM, geo.turned ? 0 : v);
    pen.lineTo(geo.turned ? v : geo.width, geo.turned ? geo.height : v);
    pen.stroke();
  }
  pen.setLineDash([]);
  if (geo.turned) return;
  write(pen, gauge.title, 14, geo.ram + 18, { size: 12, weight: 700, family: colors.sans, color: colors.ink });
  write(pen, gauge.label, 14 + pen.measureText(`${gauge.title} `).width, geo.ram + 18, { size: 12, weight: 550, family: colors.sans, color: colors.ink2 });
  write(pen, gauge.note, 14, geo.ram + 33, { size: 12, weight: 650, family: colors.sans, color: colors[gauge.past ? "beta-t" : "ink3"] });
  writeLines(pen, 14, gauge.lines, at, from, geo.waterline - LABEL_BELOW);
}

/** From the place of a label to below its second line. */
const LABEL_BELOW = 21;

/**
 * The lines of a gauge in words, each beside its line if it can.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {[value: number, label: string, tone: string][]} lines
 * @param {(value: number) => number} at
 * @param {number} top
 * @param {number} bottom
 */
function writeLines(pen, x, lines, at, top, bottom) {
  const sorted = lines.toSorted((one, other) => other[0] - one[0]);
  const places = labelPlaces(sorted.map(([value]) => at(value)), top + 4, bottom);
  for (const [place, [value, label, tone]] of sorted.entries()) {
    write(pen, bytes(value), x, places[place] + 2, { size: 12, weight: 650, family: colors.sans, color: colors[`${tone}-t`] });
    write(pen, label, x, places[place] + 14, { size: 12, family: colors.sans, color: colors.ink3 });
  }
}

const TUBE = 24;
/** @param {number} height */
const tubeLength = (height) => Math.max(20, height - 30);

/**
 * The thermometer of the disk with its lines: {label, value, top, lines: [[value, label, tone]], tone}.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} height
 * @param {Values} gauge
 */
export function paintThermometer(pen, x, y, height, gauge) {
  write(pen, gauge.title, x, y, { size: 12, weight: 700, family: colors.sans, color: colors.ink });
  write(pen, gauge.label, x, y + 14, { size: 12, weight: 550, family: colors.sans, color: colors.ink2 });
  const top = y + TUBE;
  const room = tubeLength(height);
  const share = Math.max(0, Math.min(1, gauge.value / gauge.top));
  roundRect(pen, x, top, 12, room, 6);
  pen.fillStyle = colors.card;
  pen.fill();
  pen.save();
  pen.clip();
  pen.fillStyle = gauge.color;
  pen.fillRect(x, top + room * (1 - share), 12, room * share);
  pen.restore();
  roundRect(pen, x, top, 12, room, 6);
  pen.strokeStyle = colors.line2;
  pen.lineWidth = 1;
  pen.stroke();
  /** @param {number} value */
  const at = (value) => top + room * (1 - Math.min(1, value / gauge.top));
  for (const [value, , tone] of gauge.lines) {
    pen.fillStyle = colors[tone];
    pen.fillRect(x - 3, at(value) - 1, 18, 2);
  }
  writeLines(pen, x + 20, gauge.lines, at, top, top + room);
}
