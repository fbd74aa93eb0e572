/**
 * One message followed through its life: from event to event the picture, the reason, the index cell, the block in the
 * store and the bytes go along. And its life on one page, to take away.
 */
import { spotOf } from "../../layout/spot.js";
import { COLUMNS, columnX, posterOf } from "../../model/poster.js";
import { lineOf, momentOf } from "../../model/timeline.js";
import { fill, gettext, number } from "../../model/text.js";
import { narrate } from "../../model/why.js";
import { cutToFit, penOf, write } from "../base/canvas.js";
import { colors, faded, recipeOf } from "../base/colors.js";
import { find, need, setText } from "../base/dom.js";
import { save } from "../base/save.js";
import { SvgPen } from "../base/svg-pen.js";

/**
 * @import { Life, LifeEvent } from "../../model/life.js"
 * @import { Poster } from "../../model/poster.js"
 * @import { Live } from "../base/live.js"
 * @import { Rooms } from "./rooms.js"
 */

const STAY_MS = 1700;
/** How many messages around the one that is followed are shown of a lane that is folded. */
const AROUND = 17;
const PNG_SCALE = 2;

export class Journey {
  /**
   * `live` has the run; `rooms` are stage and panels.
   * @param {HTMLElement} root
   * @param {Live} live
   * @param {Rooms} rooms
   */
  constructor(root, { playhead, engine }, { stage, panels }) {
    this.playhead = playhead;
    this.engine = engine;
    this.stage = stage;
    this.panels = panels;
    this.timer = 0;
    /** Which event of the life is shown, and the position to which that led. */
    this.at = -1;
    this.went = -1;
    this.button = need("[data-act=journey]", root);
    this.button.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
    need("[data-act=poster-svg]", root).addEventListener("click", () => this.svg());
    need("[data-act=poster-png]", root).addEventListener("click", () => this.png());
    playhead.listen(() => this.timer && this.went !== playhead.position && this.stop());
  }

  get life() {
    return this.panels.follow.life;
  }

  start() {
    if (!this.life?.events.length) return;
    this.engine.control({ play: false });
    this.at = -1;
    this.mark(true);
    this.step();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.mark(false);
  }

  /** @param {boolean} on */
  mark(on) {
    this.button.setAttribute("aria-pressed", String(on));
    setText(find("span", this.button), on ? gettext("Stop") : gettext("Follow"));
  }

  /** The next event of the life that is still kept. */
  step() {
    const { life, playhead } = this;
    this.at += 1;
    const event = life?.events[this.at];
    if (!event) {
      this.stop();
      return;
    }
    this.timer = setTimeout(() => this.step(), STAY_MS);
    this.went = event.number + 1;
    if (!playhead.go(event.number + 1, { us: playhead.history.timeOf(event.number + 1), from: "why" })) {
      this.went = playhead.position;
      return;
    }
    this.explain(event);
    this.follow();
  }

  /** @param {LifeEvent} event */
  explain({ number: place, us }) {
    const [row] = this.playhead.history.rowsBefore(place + 1, 1);
    // A transition without a sentence of its own is a step of files: then the moment's own reason stands.
    const explained = row && narrate(row.t).text !== row.t.kind;
    // Only the start's line in the narrative has the number of messages that were lost.
    const start = this.playhead.timeline.lines.find((line) => line.number === place && line.t.kind === "QueueStarted");
    const known = { target: null, moment: momentOf(this.playhead.state) };
    this.panels.why.pin(start ?? (explained ? lineOf(place, us, row.t, known) : null));
  }

  /** A lane that is folded opens around the message. */
  follow() {
    const { view, zoom } = this.stage;
    const { scene, queue } = view;
    const { life } = this;
    const spot = scene && queue && life ? spotOf(scene, queue, life.seq) : null;
    if (!spot || (!spot.lane.plan.folded && !view.zoom)) return;
    const { lane, index } = spot;
    const from = Math.max(0, Math.min(lane.count - AROUND, index - Math.floor(AROUND / 2)));
    zoom.set(lane.count > AROUND ? { lane: lane.name, from, count: AROUND } : null);
  }

  // --- its life on one page ---

  svg() {
    const { life } = this;
    if (!life) return;
    const poster = posterOf(life);
    const measure = penOf(document.createElement("canvas"));
    const pen = new SvgPen(poster.width, poster.height, { recipeOf, measure });
    this.paint(pen.forCanvas, poster, titleOf(life));
    save(new Blob([pen.text(titleOf(life), document.title)], { type: "image/svg+xml" }), `${fileNameOf(life)}.svg`);
  }

  png() {
    const { life } = this;
    if (!life) return;
    const poster = posterOf(life);
    const sheet = document.createElement("canvas");
    sheet.width = poster.width * PNG_SCALE;
    sheet.height = poster.height * PNG_SCALE;
    const pen = penOf(sheet);
    pen.scale(PNG_SCALE, PNG_SCALE);
    this.paint(pen, poster, titleOf(life));
    sheet.toBlob((blob) => blob && save(blob, `${fileNameOf(life)}.png`), "image/png");
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Poster} poster
   * @param {string} title
   */
  paint(pen, { width, height, top, textX, rows }, title) {
    const font = { family: colors.sans, color: colors.ink };
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, width, height);
    write(pen, title, 20, 34, { ...font, size: 18, weight: 650 });
    pen.font = `450 12px ${colors.sans}`;
    const run = document.title.split(" \u00b7 ")[0];
    write(pen, cutToFit(pen, run, width - 40), 20, 54, { ...font, size: 12, color: colors.ink2 });
    COLUMNS().forEach((name, column) => {
      const x = columnX(column);
      write(pen, name, x, top - 10, { ...font, size: 11, weight: 650, align: "center" });
      pen.fillStyle = column === 1 || column === 2 ? colors.disk : faded(colors.ram, 1);
      pen.fillRect(x - 27, top, 54, height - top - 36);
    });
    pen.strokeStyle = colors.sel;
    pen.lineWidth = 2;
    pen.beginPath();
    rows.forEach(({ x, y }, at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.stroke();
    for (const row of rows) {
      pen.beginPath();
      pen.arc(row.x, row.y, 5, 0, 2 * Math.PI);
      pen.fillStyle = colors[row.tone] ?? colors.ink2;
      pen.fill();
      write(pen, row.time, 78, row.y + 4, { size: 11, family: colors.mono, color: colors.ink3, align: "right" });
      write(pen, row.text, textX, row.y + 4, { ...font, size: 12.5, weight: 550 });
      write(pen, row.late, width - 20, row.y + 4, { size: 11, family: colors.mono, color: colors.ink3, align: "right" });
    }
    write(pen, "Waterline", 20, height - 14, { ...font, size: 10.5, color: colors.ink3 });
  }
}

/** @param {Life} life */
const fileNameOf = ({ seq }) => `waterline-message-${seq}`;

/** @param {Life} life */
const titleOf = ({ seq, queue }) => fill(gettext("The life of message %(seq)s of %(queue)s"), { seq: number(seq), queue });
