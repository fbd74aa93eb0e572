/**
 * Where the bands of the stage are. `u` runs along the queue from the newest message to the oldest, `v` from RAM to
 * disk. On wide pages u is x and v is y; on phones the stage is turned and they swap.
 */

/** @typedef {ReturnType<typeof geometry>} Geo where the bands of the stage are */

/** @typedef {{ x: number, y: number, w: number, h: number }} Box */

/** @typedef {{ u0: number, u1: number, head: number }} LaneSpan from where to where a lane goes, and where its name stands; all three are one where it is not shown */

const WIDE = { gutter: 98, header: 56, axis: 0, waterline: 14, tag: 14, gap: 6, top: 30, bottom: 20 };
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

/** What an empty lane gets beside one that is not: room for its name. */
const SLIVER = 40;

/**
 * Split the span among the lanes. Each gets a floor; what is left goes by the demand of each lane, damped, so that
 * borders slide along the sequence as messages move without one long lane squeezing the others out. An empty lane is a
 * sliver, and on a phone not shown, unless all are empty. A lane that is zoomed gets all that is left.
 * @param {Geo} geo
 * @param {Record<string, number>} counts
 * @param {string[]} names
 * @param {string | null} [zoomed]
 * @param {boolean} [open] whether empty lanes have room for what is put into them
 */
export function laneSpans(geo, counts, names, zoomed = null, open = false) {
  const gap = geo.turned ? TURNED_GAP : GAP;
  const shrinks = !open && names.some((name) => counts[name]);
  /** @param {string} name */
  const small = (name) => shrinks && !counts[name];
  /** @param {string} name */
  const hidden = (name) => geo.turned && small(name);
  const shown = names.filter((name) => !hidden(name)).length;
  const span = geo.u1 - geo.u0 - gap * (shown - 1) - (geo.turned ? geo.header * shown : 0);
  const floors = names.map((name) => (hidden(name) ? 0 : small(name) ? sliverOf(name) : floorOf(geo, counts[name], span / (names.length + 2))));
  const demand = names.map((name) => (zoomed === null ? (small(name) ? 0 : roomFor(counts[name])) : name === zoomed ? 1 : 0));
  const sum = demand.reduce((a, b) => a + b, 0);
  const free = Math.max(0, span - floors.reduce((a, b) => a + b, 0));
  /** @type {Record<string, LaneSpan>} */
  const spans = {};
  let u = geo.u0;
  names.forEach((name, at) => {
    if (hidden(name)) {
      const end = Math.min(u, geo.u1);
      spans[name] = { u0: end, u1: end, head: end };
      return;
    }
    const length = floors[at] + (free * demand[at]) / sum;
    const start = u + (geo.turned ? geo.header : 0);
    spans[name] = { u0: start, u1: start + length, head: u };
    u = start + length + gap;
  });
  return spans;
}

/** @param {string} name */
const sliverOf = (name) => (name === "unacked" ? 1.4 * SLIVER : SLIVER);

/**
 * What a lane gets in any case.
 * @param {Geo} geo
 * @param {number} count
 * @param {number} most
 */
const floorOf = (geo, count, most) => (geo.turned ? (count ? 44 : 6) : Math.min(most, 88));

/**
 * How much room a lane needs: a glyph's width for each message at first, then only the root of the rest.
 * @param {number} count
 */
function roomFor(count) {
  const capped = Math.min(count, 2500);
  return 3 + Math.min(capped, 24) + Math.round(0.7 * Math.sqrt(Math.max(0, capped - 24)));
}
