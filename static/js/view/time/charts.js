/** The charts of the dock: lane lengths, memory and rates over virtual time, with the events above them. */
import {
  FOLD_PX,
  alarmBands,
  idleTimes,
  line,
  rates,
  scaleX,
  stacked,
  steps,
  timeAt,
  timeSpan,
  timeTicks,
  withoutFlaps,
} from "../../layout/charts.js";
import { SMALL } from "../../model/events.js";
import { figures } from "../../model/facts.js";
import { LETTERS } from "../../model/messages.js";
import { lanesOf } from "../../model/places.js";
import { rateAt } from "../../model/samples.js";
import { shownState } from "../../model/shown.js";
import { bytes, compact, decimal, fill, gettext, number } from "../../model/text.js";
import { fitCanvas, onResize } from "../base/canvas.js";
import { cutToFit, write } from "../base/pen.js";
import { el, need, throttle } from "../base/dom.js";
import { closesLikeAMenu } from "../base/popover.js";
import { SIGNS } from "./event-signs.js";
import { Spacing } from "./spacing.js";
import { colors, faded } from "../base/colors.js";
import { draw } from "../base/scheduler.js";

/**
 * @import { Across, Span } from "../../layout/charts.js"
 * @import { Box } from "../../layout/geometry.js"
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Sample } from "../../model/samples.js"
 * @import { Playhead } from "../../model/playhead.js"
 */

const LABELS = 148;
const NARROW_LABELS = 84;
/** The least room between the figures of two seconds. */
const TICK_PX = 44;

export class ChartsView {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   */
  constructor(root, playhead) {
    this.root = root;
    this.session = playhead.session;
    this.playhead = playhead;
    this.plot = null;
    /** @type {Values[]} the events that are drawn, with their places */
    this.marks = [];
    this.top = 18;
    this.canvas = need("[data-canvas=charts]", HTMLCanvasElement, root);
    this.table = need("[data-chart-table]", root);
    this.head = need("[data-chart-head]", root);
    this.details = this.table.closest("details");
    this.details?.addEventListener("toggle", () => this.renderTable());
    if (this.details) closesLikeAMenu(this.details);
    onResize(this.canvas, () => this.update());
    this.spacing = new Spacing(need("[data-act=spacing]", root), () => this.update());
    this.tableSoon = throttle(1000, () => this.renderTable());
  }

  /** Names of the lanes of the queue that is shown. */
  get lanes() {
    return lanesOf(shownState(this.playhead.state));
  }

  update() {
    draw("charts", () => this.paint());
    if (this.details?.open) this.tableSoon();
  }

  paint() {
    const { pen, width, height } = fitCanvas(this.canvas);
    const { samples } = this.session.timeline;
    const labels = width < 560 ? NARROW_LABELS : LABELS;
    const area = { x: labels, w: width - labels - 14 };
    const idle = idleTimes(this.session.timeline.activity.list, this.session.nowUs);
    this.spacing.offer(idle.length > 0);
    const span = timeSpan(samples, Math.max(this.session.nowUs, this.session.endsUs), this.spacing.on ? idle : []);
    this.plot = { span, area };
    const room = height - this.top - 16;
    const tracks = [0.46, 0.3, 0.24].map((share) => share * room);
    let y = this.top;
    const boxes = tracks.map((h) => {
      const box = { ...area, y: y + 3, h: h - 6 };
      y += h;
      return box;
    });
    this.paintTime(pen, span, area, y);
    this.paintEvents(pen, span, area, y);
    this.paintLengths(pen, samples, span, boxes[0]);
    this.paintMemory(pen, samples, span, boxes[1]);
    this.paintRates(pen, samples, span, boxes[2]);
    this.paintFolds(pen, span, area, y);
    this.paintNow(pen, span, area, y);
  }

  /**
   * The virtual time at a pixel of the charts, or null before they were painted.
   * @param {number} pixel
   */
  timeAt(pixel) {
    if (!this.plot) return null;
    const { span, area } = this.plot;
    return timeAt(span, area, pixel);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Box} box
   * @param {string} title
   * @param {string} value
   * @param {string} note
   */
  label(pen, box, title, value, note) {
    const right = box.x - 12;
    write(pen, title, 2, box.y + 10, { size: 12, weight: 650, family: colors.sans, color: colors.ink });
    if (box.x > NARROW_LABELS) {
      const used = pen.measureText(title).width + 8;
      const bold = { size: 12, weight: 650, family: colors.sans, color: colors.ink };
      // A long value goes below its title, in the place of the note.
      const below = used + pen.measureText(value).width > right && box.h > 24;
      if (below) write(pen, cutToFit(pen, value, right - 2), 2, box.y + 23, bold);
      else write(pen, cutToFit(pen, value, right - used), right, box.y + 10, { ...bold, align: "right" });
      if (box.h > 24 && !below)
        write(pen, note, 2, box.y + 23, { size: 12, family: colors.sans, color: colors.ink3 });
    } else
      write(pen, value, 2, box.y + 23, { size: 12, weight: 550, family: colors.sans, color: colors.ink2 });
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Span} span
   * @param {Across} area
   * @param {number} y
   */
  paintTime(pen, span, area, y) {
    const x = scaleX(span, area);
    let free = -Infinity;
    for (const second of timeTicks(span, area.w)) {
      const at = x(second * 1e6);
      pen.fillStyle = faded(colors.line2, 0.5);
      pen.fillRect(Math.round(at), 18, 1, y - 18);
      if (at < free) continue;
      free = at + TICK_PX;
      if (at < area.x + area.w - 12)
        write(pen, `${decimal(second, 3)} s`, at, y + 12, {
          size: 12,
          family: colors.sans,
          color: colors.ink3,
          align: "center",
        });
    }
  }

  /**
   * Folded time: a thin break in everything that is drawn over time.
   * @param {CanvasRenderingContext2D} pen
   * @param {Span} span
   * @param {Across} area
   * @param {number} y
   */
  paintFolds(pen, span, area, y) {
    const x = scaleX(span, area);
    for (const [from] of span[2] ?? []) {
      const at = Math.round(x(from));
      pen.fillStyle = colors.card;
      pen.fillRect(at + 3, this.top, FOLD_PX - 6, y - this.top + 1);
      pen.strokeStyle = colors.line2;
      pen.lineWidth = 1;
      for (const side of [at + 3, at + FOLD_PX - 3]) {
        pen.beginPath();
        for (let v = this.top, turn = 0; v <= y; v += 6, turn += 1) pen.lineTo(side + (turn % 2 ? 2 : -1), v);
        pen.stroke();
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Span} span
   * @param {Across} area
   * @param {number} y
   */
  paintEvents(pen, span, area, y) {
    const x = scaleX(span, area);
    write(pen, gettext("Events"), 2, 12, { size: 12, weight: 650, family: colors.sans, color: colors.ink });
    let free = area.x - 8;
    this.marks = [];
    const events = withoutFlaps(this.session.timeline.events, span, area);
    for (const [place, event] of events.entries()) {
      const at = x(event.atUs);
      if (at < area.x) continue;
      const [glyph, tone, text] = SIGNS[event.type];
      pen.fillStyle = faded(colors[tone], 0.55);
      const end = SMALL.has(event.type) ? 21 : y;
      for (let dash = 18; dash < end; dash += 4) pen.fillRect(at, dash, 1, 2);
      const label = text();
      pen.font = `550 12px ${colors.sans}`;
      const width = pen.measureText(label).width + 16;
      if (at - 5 < free) continue;
      write(pen, glyph, at, 12, {
        size: 12,
        weight: 650,
        family: colors.sans,
        color: colors[tone],
        align: "center",
      });
      const next = events[place + 1];
      const fits = at + width < Math.min(area.x + area.w, next ? x(next.atUs) - 4 : Infinity);
      if (fits)
        write(pen, label, at + 8, 12, { size: 12, weight: 500, family: colors.sans, color: colors.ink2 });
      free = at + (fits ? width : 6);
      this.marks.push({ x: at, end: free, event });
    }
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Sample[]} samples
   * @param {Span} span
   * @param {Box} box
   */
  paintLengths(pen, samples, span, box) {
    const { layers, top } = stacked(samples, LETTERS, span, box, this.session.nowUs);
    for (const layer of layers) {
      if (layer.points.every(([, low, high]) => low - high < 0.2)) continue;
      pen.beginPath();
      layer.points.forEach(([x, , high], at) => (at ? pen.lineTo(x, high) : pen.moveTo(x, high)));
      for (let at = layer.points.length - 1; at >= 0; at -= 1)
        pen.lineTo(layer.points[at][0], layer.points[at][1]);
      pen.fillStyle = faded(colors[layer.name], 0.9);
      pen.fill();
    }
    const { ready } = figures(this.playhead.state);
    this.label(pen, box, gettext("Ready"), number(ready), fill(gettext("at most %(top)s"), { top: number(top) }));
    baseline(pen, box);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Sample[]} samples
   * @param {Span} span
   * @param {Box} box
   */
  paintMemory(pen, samples, span, box) {
    const now = figures(this.playhead.state);
    const until = this.session.nowUs;
    const top = Math.max(1, ...samples.map((sample) => Math.max(sample.mostMemory, (sample.limit ?? 0) * 1.12)));
    pen.fillStyle = faded(colors.alarm, 0.16);
    for (const [x0, x1] of alarmBands(samples, span, box, until)) pen.fillRect(x0, box.y, x1 - x0, box.h);
    stroke(
      pen,
      steps(samples, (sample) => sample.limit, top, span, box, until),
      colors.alarm,
      1.2,
      [],
    );
    stroke(
      pen,
      steps(samples, (sample) => sample.paging, top, span, box, until),
      colors.beta,
      1.2,
      [4, 3],
    );
    stroke(
      pen,
      steps(samples, (sample) => sample.memory, top, span, box, until, (sample) => sample.mostMemory),
      colors.ink,
      1.6,
      [],
    );
    this.label(
      pen,
      box,
      gettext("Memory"),
      bytes(now.used),
      now.pagingAt === null
        ? fill(gettext("watermark %(limit)s"), { limit: bytes(now.limit) })
        : fill(gettext("paging %(paging)s"), { paging: bytes(now.pagingAt) }),
    );
    baseline(pen, box);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Sample[]} samples
   * @param {Span} span
   * @param {Box} box
   */
  paintRates(pen, samples, span, box) {
    const found = rates(samples, this.session.nowUs);
    const top = Math.max(1, ...found.map((each) => Math.max(each.arrivals, each.deliveries)));
    stroke(
      pen,
      line(found, (each) => each.arrivals, top, span, box),
      colors.ink,
      1.4,
      [],
    );
    stroke(
      pen,
      line(found, (each) => each.deliveries, top, span, box),
      colors["alpha-o"],
      1.4,
      [4, 3],
    );
    const at = this.playhead.nowUs;
    this.label(
      pen,
      box,
      gettext("Rates"),
      fill(gettext("%(in)s in \u00b7 %(out)s out"), {
        in: compact(rateAt(samples, "arrived", at)),
        out: compact(rateAt(samples, "left", at)),
      }),
      gettext("per s; dashed: out"),
    );
    baseline(pen, box);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Span} span
   * @param {Across} area
   * @param {number} y
   */
  paintNow(pen, span, area, y) {
    const end = area.x + area.w;
    const x = scaleX(span, area);
    const now = Math.min(x(this.session.nowUs), end);
    const at = Math.max(area.x, Math.min(x(this.playhead.nowUs), end));
    if (this.playhead.behind) {
      pen.fillStyle = faded(colors.card, 0.55);
      pen.fillRect(at, this.top, now - at, y - this.top);
      pen.fillStyle = colors.ink3;
      pen.fillRect(now - 0.5, this.top, 1, y - this.top);
    }
    pen.fillStyle = this.playhead.behind ? colors.sel : colors.ink;
    pen.fillRect(at - 0.75, this.top - 2, 1.5, y - this.top + 2);
    pen.beginPath();
    pen.arc(at, y, 4.5, 0, 2 * Math.PI);
    pen.fill();
  }

  /** The charts as a table, at most two dozen rows. */
  renderTable() {
    if (!this.details?.open) return;
    const { samples } = this.session.timeline;
    const every = Math.max(1, Math.ceil(samples.length / 24));
    const picked = samples.filter((_, at) => at % every === 0 || at === samples.length - 1);
    /** @param {string} text */
    const cell = (text) => el("td.num", {}, text);
    const titles = [gettext("Time"), ...this.lanes, gettext("unacked"), gettext("Memory")];
    this.head.replaceChildren(...titles.map((title, at) => el(at ? "th.num" : "th", { scope: "col" }, title)));
    this.table.replaceChildren(
      ...picked.map((sample) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, `${decimal(sample.us / 1e6, 2)} s`),
          ...[...this.lanes, "pending"].map((name) => cell(number(sample[name]))),
          cell(bytes(sample.memory)),
        ),
      ),
    );
  }
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Box} box
 */
function baseline(pen, box) {
  pen.fillStyle = colors.line;
  pen.fillRect(box.x, box.y + box.h, box.w, 1);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {[x: number, y: number][]} points
 * @param {string} color
 * @param {number} width
 * @param {number[]} dash
 */
function stroke(pen, points, color, width, dash) {
  if (points.length < 2) return;
  pen.beginPath();
  points.forEach(([x, y], at) => (at ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.strokeStyle = color;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.stroke();
  pen.setLineDash([]);
}
