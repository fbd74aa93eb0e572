/**
 * What travels beside the lanes: messages that enter none of them fly from the publisher past the sub-queues; those that leave at
 * once fly out to their consumer; acknowledgements come back from it; a read brings entries up from the files into RAM.
 */
import { KINDS } from "../../model/catalogue/kinds.js";
import { fill, gettext, number } from "../../model/text.js";
import { total } from "../../model/stretches.js";
import { roundRect, write } from "../base/pen.js";
import { colors } from "../base/colors.js";
import { required } from "../base/dom.js";
import { ease } from "../base/scheduler.js";

/**
 * @import { Geo } from "../../layout/geometry.js"
 * @import { Lane, Scene } from "../../layout/stage.js"
 * @import { AnyTransition, Values } from "../../model/catalogue/types.js"
 */

const FLY_MS = 520;
const STAND_MS = 900;
/** What comes within this time flies together. */
const TOGETHER_MS = 140;
const MOST = 8;
/** What a kind is on the time line that brings messages back up from the disk. */
const BACK = ["read", "load"];

/**
 * Which flight a transition is, or null: its sort, and whether the unacked list keeps what arrives.
 * @param {Values} given
 */
function sortOf({ kind, source, to }) {
  if (KINDS[kind].arrives && KINDS[kind].leaves) return { sort: "direct", kept: kind === "PublishedDelivered" };
  if (kind === "Acked") return { sort: "ack" };
  if (BACK.includes(KINDS[kind].mark ?? "")) return { sort: "read", source, to };
  if (kind === "Fetched" && !to) return { sort: "out", source };
  return null;
}

/**
 * The text of a flight, its colour, and its way over a scene: from [u, v] to [u, v].
 * @type {Record<string, { texts: () => string[], color: string, way: (geo: Geo, lane: (name: string) => Lane, flight: Values) => number[][] }>}
 */
const SORTS = {
  direct: {
    texts: () => [gettext("direct"), gettext("\u00d7%(n)s direct")],
    color: "alpha",
    /**
     * @param {Geo} geo
     * @param {(name: string) => Lane} lane
     * @param {Values} given
     */
    way: (geo, lane, { kept }) => [[geo.turned ? 6 : geo.u0, ramRow(geo)], [kept ? middle(lane("unacked")) : geo.u1 - 4, ramRow(geo)]],
  },
  out: {
    texts: () => [gettext("delivered"), gettext("\u00d7%(n)s delivered")],
    color: "alpha",
    /**
     * @param {Geo} geo
     * @param {(name: string) => Lane} lane
     * @param {Values} given
     */
    way: (geo, lane, { source }) => [[lane(source).u1, ramRow(geo)], [geo.u1 - 4, ramRow(geo)]],
  },
  ack: {
    texts: () => [gettext("ack"), gettext("\u00d7%(n)s ack")],
    color: "ink2",
    /**
     * @param {Geo} geo
     * @param {(name: string) => Lane} lane
     */
    way: (geo, lane) => [[geo.u1 - 4, geo.ramIndex + geo.tag / 2], [lane("unacked").u0 + 10, geo.ramIndex + geo.tag / 2]],
  },
  read: {
    texts: () => [gettext("read back"), gettext("\u00d7%(n)s read back")],
    color: "delta",
    /**
     * @param {Geo} geo
     * @param {(name: string) => Lane} lane
     * @param {Values} given
     */
    way: (geo, lane, { source, to }) => [[middle(lane(source)), geo.diskContent + geo.content / 2], [middle(lane(to)), geo.ramIndex + geo.tag / 2]],
  },
};
/** @param {Values} given */
const middle = ({ u0, u1 }) => (u0 + u1) / 2;
/** @param {Geo} geo */
const ramRow = (geo) => geo.ramContent + (geo.turned ? 26 : 18);

export class Flights {
  /**
   * `calm()` returns whether nothing may travel.
   * @param {() => boolean} calm
   */
  constructor(calm) {
    this.calm = calm;
    /** @type {Values[]} each with its sort, count and start */
    this.list = [];
  }

  /**
   * A transition of the queue that is shown was folded: some are flights.
   * @param {AnyTransition} t
   * @param {string | null} shown
   * @param {number} now
   */
  observe(t, shown, now) {
    const found = t.queue === shown ? sortOf(t) : null;
    if (!found) return;
    const count = total(required(t.extents, `what ${t.kind} moves`));
    if (!count) return;
    const last = this.list.findLast(({ sort }) => sort === found.sort);
    if (last && now - last.start < TOGETHER_MS) last.count += count;
    else this.list.push({ start: now, count, ...found });
    if (this.list.length > MOST) this.list.shift();
  }

  /**
   * Draw those that fly; returns whether any does.
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {number} now
   */
  paint(pen, scene, now) {
    const calm = this.calm();
    const most = calm ? STAND_MS : FLY_MS;
    this.list = this.list.filter((flight) => now - flight.start < most);
    for (const flight of this.list) this.paintOne(pen, scene, flight, calm ? 1 : (now - flight.start) / most, calm);
    return this.list.length > 0;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Values} given
   * @param {Values} flight
   * @param {number} share
   * @param {boolean} calm
   */
  paintOne(pen, { geo, lanes }, flight, share, calm) {
    const { sort, count } = flight;
    const { texts, color, way } = SORTS[sort];
    const [from, to] = way(geo, (name) => lanes.find((/** @type {Lane} */ lane) => lane.name === name) ?? lanes[0], flight);
    const part = ease(Math.max(0, share));
    const [u, v] = [0, 1].map((axis) => from[axis] + (to[axis] - from[axis]) * part);
    /** @type {(place: number[]) => [x: number, y: number]} */
    const at = ([along, across]) => (geo.turned ? [across, along] : [along, across]);
    const [x, y] = at([u, v]);
    pen.globalAlpha = calm ? 0.9 : Math.min(1, (1 - share) * 4);
    pen.strokeStyle = colors[`${color}-o`] ?? colors[color];
    pen.lineWidth = 1.4;
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.moveTo(...at(from));
    pen.lineTo(x, y);
    pen.stroke();
    pen.setLineDash([]);
    const [one, many] = texts();
    const text = count > 1 ? fill(many, { n: number(count) }) : one;
    pen.font = `650 12px ${colors.sans}`;
    const width = pen.measureText(text).width + 14;
    const left = Math.max(2, Math.min(geo.width - width - 2, x - width / 2));
    roundRect(pen, left, y - 9, width, 18, 9);
    pen.fillStyle = colors[color];
    pen.fill();
    write(pen, text, left + 7, y + 4, { size: 12, weight: 650, family: colors.sans, color: colors.card });
    pen.globalAlpha = 1;
  }
}
