/** The life of a message on one page, to take away. */
import { colors, faded } from "../base/colors.js";
import { cutToFit, write } from "../base/pen.js";

/** @import { Poster } from "../../model/poster.js" */

export class LifeSheet {
  /**
   * @param {Poster} poster
   * @param {string} title
   */
  constructor(poster, title) {
    this.poster = poster;
    this.title = title;
  }

  get width() {
    return this.poster.width;
  }

  get height() {
    return this.poster.height;
  }

  get caption() {
    return this.title;
  }

  get about() {
    return document.title;
  }

  /** @param {CanvasRenderingContext2D} pen */
  paint(pen) {
    const { width, height, top, textX, columns, rows } = this.poster;
    const font = { family: colors.sans, color: colors.ink };
    const small = { size: 12, family: colors.mono, color: colors.ink3, align: /** @type {const} */ ("right") };
    pen.fillStyle = colors.card;
    pen.fillRect(0, 0, width, height);
    write(pen, this.title, 20, 34, { ...font, size: 18, weight: 650 });
    pen.font = `450 12px ${colors.sans}`;
    const run = document.title.split(" \u00b7 ")[0];
    write(pen, cutToFit(pen, run, width - 40), 20, 54, { ...font, size: 12, color: colors.ink2 });
    columns.forEach(({ name, x }, column) => {
      write(pen, name, x, top - 10, { ...font, size: 12, weight: 650, align: "center" });
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
      write(pen, row.time, 78, row.y + 4, small);
      write(pen, row.text, textX, row.y + 4, { ...font, size: 12.5, weight: 550 });
      write(pen, row.late, width - 20, row.y + 4, small);
    }
    write(pen, "Waterline", 20, height - 14, { ...font, size: 12, color: colors.ink3 });
  }
}
