/** Direct delivery: messages that enter no lane fly past the sub-queues, from the publisher to the unacked list. */
import { KINDS } from "../../model/catalogue/kinds.js";
import { fill, gettext, number } from "../../model/text.js";
import { total } from "../../model/stretches.js";
import { roundRect, write } from "../base/canvas.js";
import { colors } from "../base/colors.js";
import { ease } from "./tween.js";

const FLY_MS = 520;
const STAND_MS = 900;
/** What comes within this time flies together. */
const TOGETHER_MS = 140;
const MOST = 8;

export class Flights {
  /** `calm()` tells whether nothing may travel. */
  constructor(calm) {
    this.calm = calm;
    this.list = [];
  }

  /** A transition was folded that may be a direct delivery to the queue that is shown. */
  observe({ kind, queue, extents }, shown, now) {
    if (!KINDS[kind].arrives || !KINDS[kind].leaves || queue !== shown) return;
    const last = this.list[this.list.length - 1];
    if (last && now - last.start < TOGETHER_MS) last.count += total(extents);
    else this.list.push({ start: now, count: total(extents), kept: kind === "PublishedDelivered" });
    if (this.list.length > MOST) this.list.shift();
  }

  /** Draw those that fly; tells whether any does. */
  paint(pen, scene, now) {
    const calm = this.calm();
    const most = calm ? STAND_MS : FLY_MS;
    this.list = this.list.filter((flight) => now - flight.start < most);
    for (const flight of this.list) this.paintOne(pen, scene, flight, calm ? 1 : (now - flight.start) / most, calm);
    return this.list.length > 0;
  }

  paintOne(pen, { geo, lanes }, { count, kept }, share, calm) {
    const unacked = lanes.find((lane) => lane.name === "unacked");
    const from = geo.turned ? 6 : geo.u0;
    const to = kept ? (unacked.u0 + unacked.u1) / 2 : geo.u1 - 4;
    const u = from + (to - from) * ease(Math.max(0, share));
    const v = geo.turned ? geo.ramContent + 26 : geo.ramContent + 18;
    const at = geo.turned ? [v, u] : [u, v];
    pen.globalAlpha = calm ? 0.9 : Math.min(1, (1 - share) * 4);
    pen.strokeStyle = colors["alpha-o"];
    pen.lineWidth = 1.4;
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.moveTo(...(geo.turned ? [v, from] : [from, v]));
    pen.lineTo(...at);
    pen.stroke();
    pen.setLineDash([]);
    const text = count > 1 ? fill(gettext("\u00d7%(n)s direct"), { n: number(count) }) : gettext("direct");
    pen.font = `650 11px ${colors.sans}`;
    const width = pen.measureText(text).width + 14;
    const x = Math.max(2, Math.min(geo.width - width - 2, at[0] - width / 2));
    roundRect(pen, x, at[1] - 9, width, 18, 9);
    pen.fillStyle = colors.alpha;
    pen.fill();
    write(pen, text, x + 7, at[1] + 4, { size: 11, weight: 650, family: colors.sans, color: colors.card });
    pen.globalAlpha = 1;
  }
}
