/**
 * A pen that writes SVG: the part of a canvas' context that the stage uses, so that the same painting gives a
 * picture that stays sharp. Colours, patterns and gradients are the canvas' own.
 */

/** @import { Recipe } from "./colors.js" */

/** What XML has no character for, halves of characters among it: a picture with one of these cannot be opened. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** @param {string | number} text */
const escape = (text) =>
  String(text).replace(NO_CHARACTER, "\ufffd").replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
/** @param {number} value */
const round = (value) => Number(value.toFixed(2));

/**
 * What save() keeps.
 * @type {(keyof SvgPen)[]}
 */
const KEPT = [
  "fillStyle", "strokeStyle", "lineWidth", "lineCap", "lineJoin", "globalAlpha", "font", "textAlign", "textBaseline",
  "dash", "clipName",
];
/** @type {Record<string, string>} */
const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };
/** @type {Record<string, number>} */
const SHIFTS = { middle: 0.36, top: 0.8, hanging: 0.8, bottom: -0.2 };

export class SvgPen {
  /** @type {string | CanvasPattern | {svg: string}} */
  fillStyle = "#000";
  /** @type {string | CanvasPattern | {svg: string}} */
  strokeStyle = "#000";
  lineWidth = 1;
  lineCap = "butt";
  lineJoin = "miter";
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  /** @type {number[]} */
  dash = [];
  /** @type {string | null} */
  clipName = null;

  /**
   * `recipeOf(pattern)` gives how a pattern of stripes is made; `measure` is a canvas' context, for widths of text.
   * @param {number} width
   * @param {number} height
   * @param {{recipeOf?: (pattern: CanvasPattern) => Recipe | null | undefined, measure?: CanvasRenderingContext2D | null}} tools
   */
  constructor(width, height, { recipeOf = () => null, measure = null } = {}) {
    this.width = width;
    this.height = height;
    this.recipeOf = recipeOf;
    this.measure = measure;
    /** @type {string[]} */
    this.parts = [];
    this.groups = 0;
    /** @type {(string | (() => string))[]} a gradient is written when it has its stops */
    this.definitions = [];
    /** @type {Map<CanvasPattern, string>} the names of patterns that were written */
    this.names = new Map();
    /** @type {Partial<SvgPen>[]} */
    this.stack = [];
    this.path = "";
  }

  /**
   * This pen for a drawing that is made for a canvas: it has what the page's drawings use of one.
   * @returns {CanvasRenderingContext2D}
   */
  get forCanvas() {
    return /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (this));
  }

  save() {
    this.stack.push(Object.fromEntries(KEPT.map((name) => [name, this[name]])));
  }

  restore() {
    Object.assign(this, this.stack.pop());
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = "";
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   * @param {number | number[]} radius
   */
  roundRect(x, y, w, h, radius) {
    const r = round(Math.max(0, Math.min(Array.isArray(radius) ? radius[0] : radius, w / 2, h / 2)));
    /**
     * @param {number} dx
     * @param {number} dy
     */
    const arc = (dx, dy) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
    this.path +=
      `M${round(x + r)} ${round(y)}h${round(w - 2 * r)}${arc(r, r)}v${round(h - 2 * r)}${arc(-r, r)}` +
      `h${round(2 * r - w)}${arc(-r, -r)}v${round(2 * r - h)}${arc(r, -r)}Z`;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} radius
   * @param {number} from
   * @param {number} to
   */
  arc(x, y, radius, from, to) {
    /** @param {number} angle */
    const at = (angle) => `${round(x + radius * Math.cos(angle))} ${round(y + radius * Math.sin(angle))}`;
    const half = `A${round(radius)} ${round(radius)} 0 0 1 `;
    this.path += `${this.path ? "L" : "M"}${at(from)}${half}${at((from + to) / 2)}${half}${at(to)}`;
  }

  fill() {
    this.add(`<path d="${this.path}" ${this.filled()}`);
  }

  stroke() {
    this.add(`<path d="${this.path}" ${this.stroked()}`);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   */
  fillRect(x, y, w, h) {
    if (!(w && h)) return;
    const box = `x="${round(Math.min(x, x + w))}" y="${round(Math.min(y, y + h))}"`;
    this.add(`<rect ${box} width="${round(Math.abs(w))}" height="${round(Math.abs(h))}" ${this.filled()}`);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} w
   * @param {number} h
   */
  strokeRect(x, y, w, h) {
    const box = `x="${round(x)}" y="${round(y)}" width="${round(Math.abs(w))}" height="${round(Math.abs(h))}"`;
    this.add(`<rect ${box} ${this.stroked()}`);
  }

  clearRect() {}

  /**
   * Move the origin, for all that is drawn from here on.
   * @param {number} x
   * @param {number} y
   */
  translate(x, y) {
    this.parts.push(`<g transform="translate(${round(x)} ${round(y)})">`);
    this.groups += 1;
  }

  clip() {
    const name = `c${this.definitions.length}`;
    const inner = this.clipName ? ` clip-path="url(#${this.clipName})"` : "";
    this.definitions.push(`<clipPath id="${name}"${inner}><path d="${this.path}"/></clipPath>`);
    this.clipName = name;
  }

  /**
   * @param {string | number} text
   * @param {number} x
   * @param {number} y
   */
  fillText(text, x, y) {
    const [, weight, size, family] = this.font.match(/^(?:(\d+|bold|normal)\s+)?([\d.]+)px\s+(.*)$/) ?? [
      null,
      "400",
      "10",
      "sans-serif",
    ];
    const down = (SHIFTS[this.textBaseline] ?? 0) * Number(size);
    const style = `font-family="${escape(family)}" font-size="${size}" font-weight="${weight ?? 400}"`;
    this.add(
      `<text x="${round(x)}" y="${round(y + down)}" ${style} text-anchor="${ANCHORS[this.textAlign]}" ${this.filled()}`,
      escape(text),
    );
  }

  /** @param {string | number} text */
  measureText(text) {
    if (!this.measure) return { width: String(text).length * 6 };
    this.measure.font = this.font;
    return this.measure.measureText(String(text));
  }

  /**
   * @param {number} x1
   * @param {number} y1
   * @param {number} x2
   * @param {number} y2
   */
  createLinearGradient(x1, y1, x2, y2) {
    const name = `g${this.definitions.length}`;
    /** @type {string[]} */
    const stops = [];
    this.definitions.push(() => {
      const line = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`;
      return `<linearGradient id="${name}" gradientUnits="userSpaceOnUse" ${line}>${stops.join("")}</linearGradient>`;
    });
    /**
     * @param {number} offset
     * @param {string} color
     */
    const addColorStop = (offset, color) =>
      stops.push(`<stop offset="${offset}" stop-color="${escape(color)}"/>`);
    return { svg: name, addColorStop };
  }

  /**
   * A colour as an attribute's value; gradients and stripes by their names.
   * @param {string | CanvasPattern | { svg: string }} style
   */
  color(style) {
    if (typeof style === "string") return escape(style);
    if (style && "svg" in style) return `url(#${style.svg})`;
    const recipe = style && this.recipeOf(style);
    return recipe ? `url(#${this.stripes(style, recipe)})` : "none";
  }

  /**
   * @param {CanvasPattern} key
   * @param {Recipe} recipe
   */
  stripes(key, { ground, stripe, period, width }) {
    if (!this.names.has(key)) {
      const name = `p${this.definitions.length}`;
      const side = round(period * Math.SQRT2);
      const back = ground ? `<rect width="${side}" height="${side}" fill="${escape(ground)}"/>` : "";
      const lines = `<path d="M-1 1L1 -1M0 ${side}L${side} 0M${side - 1} ${side + 1}L${side + 1} ${side - 1}"`;
      this.definitions.push(
        `<pattern id="${name}" width="${side}" height="${side}" patternUnits="userSpaceOnUse">${back}` +
          `${lines} stroke="${escape(stripe)}" stroke-width="${width}"/></pattern>`,
      );
      this.names.set(key, name);
    }
    return this.names.get(key);
  }

  filled() {
    return `fill="${this.color(this.fillStyle)}"${this.alpha()}`;
  }

  stroked() {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(round).join(" ")}"` : "";
    const line = `stroke-width="${round(this.lineWidth)}" stroke-linecap="${this.lineCap}"${dash}`;
    return `fill="none" stroke="${this.color(this.strokeStyle)}" ${line}${this.alpha()}`;
  }

  alpha() {
    const clip = this.clipName ? ` clip-path="url(#${this.clipName})"` : "";
    return (this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "") + clip;
  }

  /**
   * @param {string} open
   * @param {string | null} [inside]
   */
  add(open, inside = null) {
    const [tag] = open.slice(1).split(" ");
    this.parts.push(inside === null ? `${open}/>` : `${open}>${inside}</${tag}>`);
  }

  /**
   * The picture as a text; `title` and `about` are for screen readers.
   * @param {string} title
   */
  text(title, about = "") {
    const defs = this.definitions.map((each) => (typeof each === "function" ? each() : each)).join("");
    const size = `width="${round(this.width)}" height="${round(this.height)}"`;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${round(this.width)} ${round(this.height)}" ` +
      `role="img"><title>${escape(title)}</title><desc>${escape(about)}</desc><defs>${defs}</defs>` +
      `${this.parts.join("")}${"</g>".repeat(this.groups)}</svg>`
    );
  }
}
