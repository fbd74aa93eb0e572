/** The picture of a moment that is taken away: its title, release and time, the stage as it is shown, and what the marks mean. */
import { LETTERS } from "../../model/messages.js";
import { clock } from "../../model/text.js";
import { find, findAll, penOf, required } from "../base/dom.js";
import { colors, faded, hatch } from "../base/colors.js";
import { cutToFit, write } from "../base/pen.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 * @import { StageView } from "../stage/stage.js"
 */

/**
 * A part of a key: a body, in RAM, hatched where only the disk has it, pale as a copy, hollow, or dashed; or an index entry; and where.
 * @typedef {["body" | "cut" | "pale" | "hollow" | "dashed" | "entry", y: number]} Part
 */

/** The lines above the stage. */
const TITLE_PX = 54;
/** A line of the legend: a key is as high as on the page. */
const KEY_PX = 44;
const KEY_WIDTH = 22;
const GAP = 18;
const MARGIN = 12;
const WATER = 18;
/** @type {Part[][]} of the letters, in their order */
const PARTS = [
  [["body", 1], ["entry", 11.5]],
  [["entry", 11.5], ["cut", 21]],
  [["entry", 11.5], ["entry", 20.5], ["cut", 24.5]],
  [["entry", 20.5], ["hollow", 25]],
];
/** @type {Record<string, { tone: string, parts: Part[] }>} */
const KEYS = {
  ...Object.fromEntries(LETTERS.map((tone, at) => [tone, { tone, parts: PARTS[at] }])),
  copy: { tone: "alpha", parts: [["body", 1], ["pale", 22]] },
  unsynced: { tone: "alpha", parts: [["body", 1], ["dashed", 22]] },
};

export class StageSheet {
  /**
   * @param {StageView} stage
   * @param {Playhead} playhead
   * @param {{ engine: string, releases: Record<string, string> }} versions names of releases by their series, and of the usual one, which no setting names
   */
  constructor(stage, playhead, { engine, releases }) {
    this.stage = stage;
    this.playhead = playhead;
    this.releases = releases;
    this.maker = `Waterline ${engine}`;
    this.measure = penOf(document.createElement("canvas"));
  }

  get scene() {
    return required(this.stage.shown, "a picture of the stage");
  }

  get width() {
    return this.scene.geo.width;
  }

  get height() {
    const rows = this.legend().map(({ row }) => row);
    return TITLE_PX + this.scene.geo.height + KEY_PX * (Math.max(-1, ...rows) + 1);
  }

  get title() {
    return document.title.split(" \u00b7 ")[0];
  }

  get caption() {
    return `${this.title} ${clock(this.playhead.nowUs)}`;
  }

  get about() {
    return find("#situation")?.textContent ?? "";
  }

  /** What of the legend the page shows, and what made the picture, in lines as wide as it: {key, text, x, row}. */
  legend() {
    this.measure.font = `450 12px ${colors.sans}`;
    const items = findAll("#stage .legend li:not([hidden])").map((item) => ({
      key: KEYS[item.dataset.state ?? item.dataset.mark ?? ""] ?? null,
      text: (item.textContent ?? "").trim().replace(/\s+/g, " "),
    }));
    let [x, row] = [MARGIN, 0];
    return [...items, { key: null, text: this.maker }].map(({ key, text }) => {
      const width = (key ? KEY_WIDTH : 0) + this.measure.measureText(text).width;
      if (x > MARGIN && x + width > this.width - MARGIN) [x, row] = [MARGIN, row + 1];
      const placed = { key, text, x, row };
      x += width + GAP;
      return placed;
    });
  }

  /**
   * Draw all of it as it is shown now.
   * @param {CanvasRenderingContext2D} pen
   */
  paint(pen) {
    const { width, height, scene } = this;
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, width, height);
    this.paintTitle(pen, width);
    for (const { key, text, x, row } of this.legend()) {
      const y = TITLE_PX + scene.geo.height + KEY_PX * row + 5;
      if (key) paintKey(pen, x, y, key);
      write(pen, text, x + (key ? KEY_WIDTH : 0), y + WATER + 4, { size: 12, family: colors.sans, color: colors.ink2 });
    }
    pen.translate(0, TITLE_PX);
    this.stage.paintOn(pen, scene, performance.now());
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} width
   */
  paintTitle(pen, width) {
    const bold = { size: 14, weight: 650, family: colors.sans, color: colors.ink };
    const plain = { size: 12, family: colors.sans, color: colors.ink2 };
    const when = `RabbitMQ ${this.releases[this.playhead.state.node.settings?.release ?? ""]} \u00b7 ${clock(this.playhead.nowUs)}`;
    pen.font = `650 14px ${colors.sans}`;
    const room = width - 3 * MARGIN - pen.measureText(when).width;
    write(pen, cutToFit(pen, this.title, room), MARGIN, 25, bold);
    write(pen, when, width - MARGIN, 25, { ...bold, align: "right" });
    pen.font = `450 12px ${colors.sans}`;
    write(pen, cutToFit(pen, this.about, width - 2 * MARGIN), MARGIN, 44, plain);
  }
}

/**
 * A key of the legend, as the page draws it.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {{ tone: string, parts: Part[] }} key
 */
function paintKey(pen, x, y, { tone, parts }) {
  pen.fillStyle = colors.ink;
  pen.fillRect(x, y + WATER, 14, 1.6);
  for (const [kind, at] of parts) {
    pen.fillStyle = colors[tone];
    if (kind === "entry") paintEntry(pen, x + 1, y + at);
    if (kind === "cut") pen.fillStyle = hatch(faded(colors[tone], 0.25), colors[tone], 4, 1.2);
    if (kind === "pale") pen.fillStyle = faded(colors[tone], 0.3);
    if (["body", "cut", "pale"].includes(kind)) pen.fillRect(x + 1, y + at, 11, 9);
    if (kind === "entry" || kind === "body") continue;
    pen.strokeStyle = colors[tone];
    pen.lineWidth = 1;
    pen.setLineDash(kind === "dashed" ? [2, 2] : []);
    pen.strokeRect(x + 1.5, y + at + 0.5, 10, 8);
    pen.setLineDash([]);
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 */
function paintEntry(pen, x, y) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 9, y);
  pen.lineTo(x + 11, y + 2);
  pen.lineTo(x + 9, y + 4);
  pen.lineTo(x, y + 4);
  pen.closePath();
  pen.fill();
}
