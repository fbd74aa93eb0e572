/** Before a stop: what it would keep, lose and bring back, over the glyphs. After it: where the lost messages were. */
import { fateSegments, lostShares, segmentParts, shareFrame } from "../../layout/fates.js";
import { roundRect, write } from "../base/pen.js";
import { colors, faded, hatch } from "../base/colors.js";

/**
 * @import { LaneShare } from "../../layout/fates.js"
 * @import { Scene } from "../../layout/stage.js"
 * @import { QueueSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Fate } from "../../model/fate.js"
 */

/** @typedef {{ name: string | null, queue: QueueSnapshot | null, position: number, behind: boolean }} Moment which queue is shown, and when */

/** The drawing of each fate: its sign repeats it without colour. */
/** @type {Record<string, { sign: string, tone: string }>} */
const SIGNS = {
  kept: { sign: "\u2713", tone: "alpha-t" },
  lost: { sign: "\u2715", tone: "alarm-t" },
  back: { sign: "\u21a9", tone: "sel" },
};

export class Fates {
  constructor() {
    /** @type {Fate | null} what a stop would do to the queue that is shown */
    this.shown = null;
    /** @type {{ name: string | null, from: number, parts: LaneShare[] } | null} where the messages were that the last stop lost */
    this.lost = null;
  }

  /**
   * What would be lost keeps its outline; the fates are shown no more.
   * @param {Scene} scene
   * @param {Moment} moment at which the stop begins
   * @param {Fate | null} fate
   */
  cut(scene, { name, queue, position }, fate) {
    const parts = queue && fate ? lostShares(scene, queue, fate) : [];
    this.lost = parts.length ? { name, from: position, parts } : null;
    this.shown = null;
  }

  /**
   * Draw them: the outlines at moments after the stop, and only of its queue.
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {Moment} moment
   */
  paint(pen, scene, { name, queue, position, behind }) {
    if (this.shown && queue)
      for (const segment of fateSegments(scene, queue, this.shown))
        for (const [{ kind }, frame] of segmentParts(scene, segment)) this.paintOne(pen, scene, kind, frame);
    const { lost } = this;
    if (!lost || lost.name !== name || (behind && position <= lost.from)) return;
    for (const part of lost.parts) {
      const frame = shareFrame(scene, part);
      if (frame) paintLost(pen, frame);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {string} kind
   * @param {{ x: number, y: number, w: number, h: number }} frame
   */
  paintOne(pen, scene, kind, { x, y, w, h }) {
    const { sign, tone } = SIGNS[kind];
    if (kind === "lost") {
      pen.fillStyle = faded(colors.card, 0.6);
      pen.fillRect(x, y, w, h);
      pen.fillStyle = hatch(null, faded(colors.alarm, 0.4), 6, 1.3);
      pen.fillRect(x, y, w, h);
    } else {
      pen.strokeStyle = colors[tone];
      pen.lineWidth = kind === "back" ? 2 : 1.3;
      pen.setLineDash(kind === "back" ? [5, 3] : []);
      pen.strokeRect(x + 1, y + 1, Math.max(0, w - 2), h - 2);
      pen.setLineDash([]);
    }
    const [cx, cy] = scene.geo.turned ? [x + 9, y + h / 2] : [x + w / 2, y + 2];
    roundRect(pen, cx - 8, cy - 8, 16, 16, 8);
    pen.fillStyle = colors.card;
    pen.fill();
    pen.strokeStyle = colors[tone];
    pen.lineWidth = 1.2;
    pen.stroke();
    write(pen, sign, cx, cy + 4, { size: 12, weight: 700, family: colors.sans, color: colors[tone], align: "center" });
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 */
function paintLost(pen, { x, y, w, h }) {
  pen.strokeStyle = colors["alarm-t"];
  pen.lineWidth = 1.2;
  pen.setLineDash([3, 3]);
  pen.strokeRect(x + 1, y + 1, Math.max(0, w - 2), h - 2);
  pen.setLineDash([]);
  if (w < 14 || h < 14) return;
  write(pen, "\u2715", x + w / 2, y + h / 2, {
    size: 12,
    weight: 700,
    family: colors.sans,
    color: colors["alarm-t"],
    align: "center",
  });
}
