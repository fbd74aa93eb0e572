/**
 * Where the bands of the stage are. `u` runs along the queue from the newest message to the oldest, `v` from RAM to
 * disk. On wide pages u is x and v is y; on phones the stage is turned and they swap.
 */

/** @typedef {ReturnType<typeof geometry>} Geo where the bands of the stage are */

/** @typedef {{ x: number, y: number, w: number, h: number }} Box */

/** @typedef {{ u0: number, u1: number, head: number }} LaneSpan from where to where a lane goes, and where its name stands */

const WIDE = { gutter: 98, header: 56, axis: 24, waterline: 10, tag: 14, gap: 6, top: 30, bottom: 20 };
const TALL = { gutter: 0, header: 40, axis: 0, waterline: 10, tag: 18, gap: 6, top: 8, bottom: 8 };

/**
 * Geometry for a stage of `width` by `height`; `turned` for phones.
 * @param {number} width
 * @param {number} height
 * @param {boolean} turned
 */
export function geometry(width, height, turned) {
  const sizes = turned ? TALL : WIDE;
  const depth = turned ? width : height - sizes.header - sizes.axis;
  const v0 = turned ? 0 : sizes.header;
  const fixed = sizes.waterline + 2 * (sizes.tag + 2 * sizes.gap + 2) + sizes.top + sizes.bottom;
  const content = Math.max(22, (depth - fixed) / 2);
  const ramContent = v0 + sizes.top;
  const ramIndex = ramContent + content + sizes.gap;
  const waterline = ramIndex + sizes.tag + sizes.gap + 2;
  const diskIndex = waterline + sizes.waterline + sizes.gap + 2;
  const diskContent = diskIndex + sizes.tag + sizes.gap;
  return {
    turned,
    width,
    height,
    ram: v0,
    end: v0 + depth,
    ramContent,
    ramIndex,
    waterline,
    diskIndex,
    diskContent,
    content,
    tag: sizes.tag,
    thickness: sizes.waterline,
    header: sizes.header,
    u0: turned ? 0 : sizes.gutter,
    u1: turned ? height : width - 10,
  };
}

/**
 * A rectangle of the page from its place along the queue and in depth.
 * @param {Geo} geo
 * @param {number} u
 * @param {number} du
 * @param {number} v
 * @param {number} dv
 * @returns {Box}
 */
export function box(geo, u, du, v, dv) {
  return geo.turned ? { x: v, y: u, w: dv, h: du } : { x: u, y: v, w: du, h: dv };
}

const GAP = 12;
const TURNED_GAP = 8;

/**
 * Split the span among the lanes. Each gets a floor; what is left goes by the demand of each lane, damped, so that
 * borders slide along the sequence as messages move without one long lane squeezing the others out. A lane that is zoomed
 * gets all that is left.
 * @param {Geo} geo
 * @param {Record<string, number>} counts
 * @param {string[]} names
 * @param {string | null} [zoomed]
 */
export function laneSpans(geo, counts, names, zoomed = null) {
  const gap = geo.turned ? TURNED_GAP : GAP;
  const heads = geo.turned ? geo.header * names.length : 0;
  const span = geo.u1 - geo.u0 - gap * (names.length - 1) - heads;
  const floors = names.map((name) => floorOf(geo, name, counts[name], span / (names.length + 2)));
  // On a phone what is empty leaves its room to the others, unless all are.
  const shrinks = geo.turned && names.some((name) => counts[name]);
  /** @param {string} name */
  const demandOf = (name) => (shrinks && !counts[name] ? 0 : roomFor(counts[name]));
  const demand = names.map((name) => (zoomed === null ? demandOf(name) : name === zoomed ? 1 : 0));
  const sum = demand.reduce((a, b) => a + b, 0);
  const free = Math.max(0, span - floors.reduce((a, b) => a + b, 0));
  /** @type {Record<string, LaneSpan>} */
  const spans = {};
  let u = geo.u0;
  names.forEach((name, at) => {
    const length = floors[at] + (free * demand[at]) / sum;
    const start = u + (geo.turned ? geo.header : 0);
    spans[name] = { u0: start, u1: start + length, head: u };
    u = start + length + gap;
  });
  return spans;
}

/**
 * An empty lane needs room for its name only.
 * @param {Geo} geo
 * @param {string} name
 * @param {number} count
 * @param {number} most
 */
function floorOf(geo, name, count, most) {
  if (geo.turned) return count ? 44 : 6;
  return Math.min(most, count || name === "unacked" ? 88 : 70);
}

/**
 * How much room a lane needs: a glyph's width for each message at first, then only the root of the rest.
 * @param {number} count
 */
function roomFor(count) {
  const capped = Math.min(count, 2500);
  return 3 + Math.min(capped, 24) + Math.round(0.7 * Math.sqrt(Math.max(0, capped - 24)));
}
