/**
 * Painting the stage: its standing parts, which are bands, waterline, lane headers and axis; and the marks, whose colour
 * only repeats what place, pattern, bar and outline show already.
 */
import { UNACKED, laneMeaning } from "../../model/places.js";
import { fill, gettext, number, signed } from "../../model/text.js";
import { cutToFit, write } from "../base/pen.js";
import { colors, faded, hatch } from "../base/colors.js";

/**
 * @import { Box, Geo } from "../../layout/geometry.js"
 * @import { Mark } from "../../layout/glyphs.js"
 * @import { Lane, Scene } from "../../layout/stage.js"
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Visual } from "./tween.js"
 */

/** @typedef {{ value: number, alpha: number }} LaneChange by how much a lane changed, and how clearly that is still shown */

/**
 * Bands, waterline, washes and the borders between lanes.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @param {Record<string, boolean>} alarms
 * @param {() => void} paintTide what the RAM band has below everything else
 */
export function paintBands(pen, scene, alarms, paintTide) {
  const { geo } = scene;
  band(pen, geo, geo.ram, geo.waterline, colors.ram);
  diskBand(pen, geo);
  if (alarms.memory) band(pen, geo, geo.ram, geo.waterline, faded(colors.alarm, 0.16));
  if (alarms.disk) band(pen, geo, geo.waterline, geo.end, faded(colors.alarm, 0.14));
  paintTide();
  paintClosed(pen, scene);
  band(pen, geo, geo.waterline, geo.waterline + geo.thickness, colors.water);
  if (!geo.turned)
    write(pen, gettext("waterline"), 14, geo.waterline + geo.thickness - 3, {
      size: 12,
      weight: 600,
      family: colors.sans,
      color: colors.card,
    });
  paintBorders(pen, scene);
  if (scene.empty) paintPath(pen, geo);
}

/**
 * Nothing here yet: the way that the first message will go.
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 */
function paintPath(pen, geo) {
  const v = geo.ramContent + geo.content / 2;
  pen.strokeStyle = colors.ink3;
  pen.lineWidth = 1.4;
  pen.setLineDash([1.5, 5]);
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(geo.turned ? v : geo.u0, geo.turned ? geo.u0 + 80 : v);
  pen.lineTo(geo.turned ? v : geo.u1 - 10, geo.turned ? geo.u1 - 10 : v);
  pen.stroke();
  pen.setLineDash([]);
  pen.lineCap = "butt";
  if (!geo.turned) arrowHead(pen, geo.u1 - 8, v, colors.ink3);
}

/**
 * A band across the whole queue, from v0 to v1.
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 * @param {number} v0
 * @param {number} v1
 * @param {string | CanvasGradient} color
 */
function band(pen, geo, v0, v1, color) {
  pen.fillStyle = color;
  if (geo.turned) pen.fillRect(v0, 0, v1 - v0, geo.height);
  else pen.fillRect(0, v0, geo.width, v1 - v0);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 */
function diskBand(pen, geo) {
  const ramp = geo.turned
    ? pen.createLinearGradient(geo.waterline, 0, geo.end, 0)
    : pen.createLinearGradient(0, geo.waterline, 0, geo.end);
  ramp.addColorStop(0, colors.disk);
  ramp.addColorStop(1, colors.disk2);
  band(pen, geo, geo.waterline, geo.end, ramp);
}

/**
 * Lazy mode: the lanes that a lazy queue does not use are shut.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
function paintClosed(pen, scene) {
  const { geo } = scene;
  for (const lane of scene.lanes) {
    if (!lane.closed) continue;
    pen.fillStyle = hatch(null, faded(colors.ink3, 0.3), 7, 1);
    if (geo.turned) pen.fillRect(geo.ram, lane.u0, geo.end - geo.ram, lane.u1 - lane.u0);
    else pen.fillRect(lane.u0 - 4, geo.ram, lane.u1 - lane.u0 + 8, geo.end - geo.ram);
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 */
function paintBorders(pen, scene) {
  const { geo, lanes } = scene;
  pen.lineWidth = 1;
  pen.setLineDash([1, 3]);
  for (let i = 1; i < lanes.length; i += 1) {
    if (hides(geo, lanes[i]) || (geo.turned && lanes[i].head < 1)) continue;
    const u = geo.turned ? lanes[i].head + 0.5 : Math.round((lanes[i - 1].u1 + lanes[i].u0) / 2) + 0.5;
    const last = lanes[i].name === UNACKED;
    pen.setLineDash(last ? [] : [1, 3]);
    pen.strokeStyle = last ? colors.line2 : faded(colors.ink3, 0.6);
    pen.beginPath();
    pen.moveTo(geo.turned ? 0 : u, geo.turned ? u : 4);
    pen.lineTo(geo.turned ? geo.width : u, geo.turned ? u : geo.end);
    pen.stroke();
    if (!geo.turned) arrowHead(pen, u, geo.ram - 4, last ? colors.ink : colors.ink3);
  }
  pen.setLineDash([]);
}

/**
 * A small triangle in the direction in which messages go.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {string} color
 */
function arrowHead(pen, x, y, color) {
  pen.fillStyle = color;
  pen.beginPath();
  pen.moveTo(x - 3, y - 4);
  pen.lineTo(x + 4, y);
  pen.lineTo(x - 3, y + 4);
  pen.fill();
}

const TITLE_SIZES = [13, 12];
/** @type {Record<string, () => string>} */
const TITLES = { [UNACKED]: () => gettext("unacked") };

/**
 * @param {Lane} lane
 * @param {Scene} scene
 */
function subtitle(lane, scene) {
  if (lane.closed) return gettext("closed in lazy mode");
  if (lane.name === scene.surplus?.lane) {
    const { surplus, permitted } = scene.surplus;
    const values = { n: number(permitted), over: number(surplus) };
    return surplus
      ? fill(gettext("\u03b2 \u03b3, %(over)s over the permitted %(n)s"), values)
      : fill(gettext("\u03b2 \u03b3, %(n)s permitted"), values);
  }
  if (lane.held !== null) return lane.held;
  if (scene.geo.turned && lane.name === scene.load?.lane) return `${scene.load.name} = ${number(scene.load.value)} \u00b7 ${scene.load.rate}`;
  return laneMeaning(lane.name, scene.lanes.map((each) => each.name));
}

/**
 * Whether a lane is not shown: an empty one on a phone, or one that only begins to open.
 * @param {Geo} geo
 * @param {Lane} lane
 */
const hides = (geo, lane) => geo.turned && lane.u0 - lane.head < 0.8 * geo.header;

/**
 * Name, count, meaning and latest change of every lane.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @param {Record<string, LaneChange>} changes
 */
export function paintHeaders(pen, scene, changes) {
  for (const lane of scene.lanes) {
    if (hides(scene.geo, lane)) continue;
    const text = subtitle(lane, scene);
    if (scene.geo.turned) turnedHeader(pen, scene.geo, lane, text, changes[lane.name]);
    else wideHeader(pen, lane, text, changes[lane.name]);
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Lane} lane
 * @param {string} text
 * @param {LaneChange | undefined} change
 */
function wideHeader(pen, lane, text, change) {
  if (!lane.count && lane.u1 - lane.u0 < SLIVER_MOST) return sliverHeader(pen, lane, text, change);
  write(pen, number(lane.count), lane.u1, 22, {
    size: 17,
    weight: 650,
    family: colors.sans,
    color: lane.count ? colors.ink : colors.ink3,
    align: "right",
  });
  const titleWidth = wideTitle(pen, lane, lane.u1 - lane.u0 - pen.measureText(number(lane.count)).width - 6);
  const room = lane.u1 - lane.u0 - (change ? 44 : 0);
  pen.font = `450 12px ${colors.sans}`;
  const shown = pen.measureText(text).width <= room ? text : text.split(/[,\uff0c\u3001]/)[0];
  if (pen.measureText(shown).width <= Math.max(room, titleWidth))
    write(pen, shown, lane.u0, 38, { size: 12, family: colors.sans, color: colors.ink3 });
  paintChange(pen, lane.u1, 38, change);
}

const SLIVER_MOST = 60;

/**
 * The header of an empty lane beside others: its name, and what left it; why it is shut runs down a lane that is.
 * @param {CanvasRenderingContext2D} pen
 * @param {Lane} lane
 * @param {string} text
 * @param {LaneChange | undefined} change
 */
function sliverHeader(pen, lane, text, change) {
  write(pen, TITLES[lane.name]?.() ?? lane.name, lane.u0, 21, { size: 12, weight: 550, family: colors.sans, color: colors.ink3 });
  paintChange(pen, lane.u1, 38, change);
  if (!lane.closed) return;
  pen.save();
  pen.translate((lane.u0 + lane.u1) / 2 + 4, 68);
  pen.rotate(Math.PI / 2);
  write(pen, text, 0, 0, { size: 12, weight: 550, family: colors.sans, color: colors.ink2 });
  pen.restore();
}

/**
 * The name of a lane beside its count: smaller where the lane is narrow, cut where even that does not fit.
 * @param {CanvasRenderingContext2D} pen
 * @param {Lane} lane
 * @param {number} room
 */
function wideTitle(pen, lane, room) {
  const style = { weight: 650, family: colors.sans, color: colors.ink };
  const title = TITLES[lane.name]?.() ?? lane.name;
  for (const size of TITLE_SIZES) {
    write(pen, "", 0, 0, { ...style, size });
    if (pen.measureText(title).width <= room) {
      write(pen, title, lane.u0, 21, { ...style, size });
      return pen.measureText(title).width;
    }
  }
  const cut = cutToFit(pen, title, room);
  write(pen, cut, lane.u0, 21, { ...style, size: TITLE_SIZES.at(-1) });
  return pen.measureText(cut).width;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {LaneChange | undefined} change
 */
function paintChange(pen, x, y, change) {
  if (!change) return;
  pen.globalAlpha = change.alpha;
  write(pen, signed(change.value), x, y, {
    size: 12,
    weight: 650,
    family: colors.sans,
    align: "right",
    color: change.value > 0 ? colors["delta-t"] : colors["alarm-t"],
  });
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Geo} geo
 * @param {Lane} lane
 * @param {string} text
 * @param {LaneChange | undefined} change
 */
function turnedHeader(pen, geo, lane, text, change) {
  const y = lane.head + 25;
  pen.fillStyle = colors.card;
  pen.fillRect(0, lane.head + 1, geo.width, lane.u0 - lane.head - 3);
  write(pen, TITLES[lane.name]?.() ?? lane.name, 12, y, {
    size: 14,
    weight: 650,
    family: colors.sans,
    color: colors.ink,
  });
  const width = pen.measureText(TITLES[lane.name]?.() ?? lane.name).width;
  write(pen, text, 20 + width, y, { size: 12, family: colors.sans, color: colors.ink3 });
  write(pen, number(lane.count), geo.width - 12, y + 1, {
    size: 17,
    weight: 650,
    family: colors.sans,
    color: lane.count ? colors.ink : colors.ink3,
    align: "right",
  });
  const countWidth = pen.measureText(number(lane.count)).width;
  paintChange(pen, geo.width - 22 - countWidth, y, change);
}

/**
 * seq_ids below the lanes.
 * @param {CanvasRenderingContext2D} pen
 * @param {Scene} scene
 * @param {Record<string, number[]>} edges
 */
export function paintAxis(pen, scene, edges) {
  const { geo } = scene;
  if (geo.turned) return;
  const y = geo.end - 5;
  write(pen, "seq_id", 40, y, { size: 12, family: colors.sans, color: colors.ink3 });
  for (const lane of scene.lanes) {
    const edge = edges[lane.name];
    if (!edge || (scene.ruler && lane.name === scene.term?.lane)) continue;
    const low = number(edge[0]);
    const high = number(edge[1]);
    pen.font = `450 12px ${colors.sans}`;
    const room = lane.u1 - lane.u0;
    if (edge[0] !== edge[1] && pen.measureText(low + high).width + 12 < room) {
      write(pen, high, lane.u0, y, { size: 12, family: colors.sans, color: colors.ink3 });
    }
    if (pen.measureText(low).width <= room)
      write(pen, low, lane.u1, y, { size: 12, family: colors.sans, color: colors.ink3, align: "right" });
  }
}

/**
 * Draw one visual of the tween.
 * @param {CanvasRenderingContext2D} pen
 * @param {Visual} visual
 * @param {boolean} turned
 */
export function paintMark(pen, visual, turned) {
  const { mark } = visual;
  if (visual.alpha <= 0.01 || visual.w <= 0 || visual.h <= 0) return;
  pen.globalAlpha = Math.min(1, visual.alpha) * (mark.strength ?? 1);
  if (visual.ghost) paintGhost(pen, visual.ghost, mark.tone, 1 - (visual.progress ?? 0));
  if (mark.shape === "thread") paintThread(pen, visual);
  else if (visual.gone && mark.detailed) paintGhost(pen, visual, mark.tone, visual.alpha);
  else if (mark.shape === "bar" || !mark.detailed) paintBar(pen, visual);
  else paintShape(pen, visual, turned);
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Visual} visual
 */
function paintThread(pen, visual) {
  pen.fillStyle = faded(colors.ink3, 0.55);
  pen.fillRect(visual.x, visual.y, visual.w, visual.h);
}

/**
 * Where a content was: a dashed outline that fades.
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} box
 * @param {string} tone
 * @param {number} alpha
 */
function paintGhost(pen, box, tone, alpha) {
  const before = pen.globalAlpha;
  pen.globalAlpha = Math.max(0, alpha);
  pen.strokeStyle = colors[`${tone}-o`] ?? colors.ink3;
  pen.lineWidth = 1.2;
  pen.setLineDash([2.5, 2.5]);
  pen.strokeRect(box.x + 0.6, box.y + 0.6, Math.max(0, box.w - 1.2), Math.max(0, box.h - 1.2));
  pen.setLineDash([]);
  pen.globalAlpha = before;
}

/**
 * Narrow: colour and place only; the pill or the count beside it is the information.
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 */
function paintBar(pen, { mark, x, y, w, h }) {
  const color = colors[mark.tone];
  pen.fillStyle = mark.fill === "pale" || mark.fill === "dashed" ? faded(color, 0.3) : color;
  pen.fillRect(x, y, w, h);
  if (mark.fill === "split" && w >= 2.5) paintBarAcross(pen, x, y, w, h, h < w);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 * @param {boolean} turned
 */
function paintShape(pen, { mark, x, y, w, h }, turned) {
  const color = colors[mark.tone];
  const outline = colors[`${mark.tone}-o`];
  trace(pen, mark.shape, x, y, w, h, turned);
  pen.fillStyle = fillOf(pen, mark, color);
  pen.fill();
  pen.strokeStyle = mark.fill === "pale" ? faded(outline, 0.75) : outline;
  pen.lineWidth = mark.fill === "outline" ? 1.5 : 1;
  if (mark.unsynced) pen.setLineDash([2.4, 2.2]);
  pen.stroke();
  pen.setLineDash([]);
  if (mark.fill === "split") paintBarAcross(pen, x, y, w, h, turned);
  if (mark.shape === "inset") paintInset(pen, mark, x, y, w, h);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Mark} mark
 * @param {string} color
 */
function fillOf(pen, mark, color) {
  if (mark.fill === "hatch") return hatch(color, faded(colors.card, 0.82), 3.6, 1.5);
  if (mark.fill === "outline") return faded(color, 0.22);
  if (mark.fill === "pale") return faded(color, 0.2);
  if (mark.fill === "dashed") return faded(color, 0.06);
  if (mark.unsynced) return faded(color, 0.5);
  return color;
}

/**
 * The path of a block, or of an arrow-ended tag that points to the consumer.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} shape
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} turned
 */
function trace(pen, shape, x, y, w, h, turned) {
  pen.beginPath();
  if (shape === "block") {
    pen.roundRect(x + 0.5, y + 0.5, Math.max(0, w - 1), Math.max(0, h - 1), Math.min(2, w / 4));
    return;
  }
  const left = x + 0.5;
  const top = y + 0.5;
  const right = x + w - 0.5;
  const bottom = y + h - 0.5;
  if (turned) {
    const tip = Math.min(3, h * 0.3);
    pen.moveTo(left, top);
    pen.lineTo(right, top);
    pen.lineTo(right, bottom - tip);
    pen.lineTo((left + right) / 2, bottom);
    pen.lineTo(left, bottom - tip);
  } else {
    const tip = Math.min(4, w * 0.32);
    pen.moveTo(left, top);
    pen.lineTo(right - tip, top);
    pen.lineTo(right, (top + bottom) / 2);
    pen.lineTo(right - tip, bottom);
    pen.lineTo(left, bottom);
  }
  pen.closePath();
}

/**
 * Gamma: its block is split by a bar.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 * @param {boolean} turned
 */
function paintBarAcross(pen, x, y, w, h, turned) {
  pen.fillStyle = colors.card;
  if (turned) pen.fillRect(x + w / 2 - 2, y, 4, h);
  else pen.fillRect(x, y + h / 2 - 2, w, 4);
}

/**
 * Embedded: the content is a square inside the disk tag.
 * @param {CanvasRenderingContext2D} pen
 * @param {Mark} mark
 * @param {number} x
 * @param {number} y
 * @param {number} w
 * @param {number} h
 */
function paintInset(pen, mark, x, y, w, h) {
  const side = Math.max(2.5, Math.min(w, h) * 0.42);
  pen.fillStyle = mark.fill === "solid" ? colors.card : colors[`${mark.tone}-o`];
  pen.fillRect(x + w / 2 - side / 2 - 0.5, y + h / 2 - side / 2, side, side);
}
