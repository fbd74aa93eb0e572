/** Before a stop: what it would keep, lose and bring back, over the glyphs. After it: ghosts of what is lost. */
import { fateSegments, segmentFrame } from "../../layout/fates.js";
import { roundRect, write } from "../base/canvas.js";
import { colors, faded, hatch } from "../base/colors.js";

/**
 * @import { Segment } from "../../layout/fates.js"
 * @import { Scene } from "../../layout/stage.js"
 * @import { QueueSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Fate } from "../../model/fate.js"
 */

const GHOST_MS = 5000;
const FADE_MS = 1200;

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
    /** @type {{x: number, y: number, w: number, h: number}[]} */
    this.ghosts = [];
    this.until = 0;
  }

  /**
   * What would be lost stays as ghosts from `now` on; the fates are shown no more.
   * @param {Scene} scene
   * @param {QueueSnapshot | null} queue
   * @param {number} now
   */
  cut(scene, queue, now) {
    const lost = queue && this.shown ? fateSegments(scene, queue, this.shown).filter(({ kind }) => kind === "lost") : [];
    this.ghosts = lost.map((segment) => segmentFrame(scene, segment)).filter((frame) => frame !== null);
    this.until = now + GHOST_MS;
    this.shown = null;
  }

  /**
   * Draw them; returns whether ghosts still fade.
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {QueueSnapshot | null} queue
   * @param {number} now
   */
  paint(pen, scene, queue, now) {
    if (this.shown && queue)
      for (const segment of fateSegments(scene, queue, this.shown)) this.paintOne(pen, scene, segment);
    if (now >= this.until) this.ghosts = [];
    pen.globalAlpha = Math.min(1, Math.max(0, (this.until - now) / FADE_MS));
    for (const frame of this.ghosts) paintGhost(pen, frame);
    pen.globalAlpha = 1;
    return this.ghosts.length > 0;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Scene} scene
   * @param {Segment} segment
   */
  paintOne(pen, scene, segment) {
    const frame = segmentFrame(scene, segment);
    if (!frame) return;
    const { sign, tone } = SIGNS[segment.kind];
    const { x, y, w, h } = frame;
    if (segment.kind === "lost") {
      pen.fillStyle = faded(colors.card, 0.6);
      pen.fillRect(x, y, w, h);
      pen.fillStyle = hatch(pen, null, faded(colors.alarm, 0.4), 6, 1.3);
      pen.fillRect(x, y, w, h);
    } else {
      pen.strokeStyle = colors[tone];
      pen.lineWidth = segment.kind === "back" ? 2 : 1.3;
      pen.setLineDash(segment.kind === "back" ? [5, 3] : []);
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
    write(pen, sign, cx, cy + 4, { size: 11, weight: 700, family: colors.sans, color: colors[tone], align: "center" });
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Values} given
 */
function paintGhost(pen, { x, y, w, h }) {
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
