/** Leader lines over the page: from a message on the stage to its index entry and its record, with a ring around the bytes. */
import { leaderPath } from "../../layout/leader-line.js";

/**
 * @import { Box } from "../../layout/geometry.js"
 * @import { Selection } from "../../model/selection.js"
 * @import { FilesView } from "../files/files.js"
 * @import { StageView } from "../stage/stage.js"
 */

/** @typedef {[kind: string, attributes: Record<string, string | number>]} Shape an element of SVG */

const NARROW = 720;
const SVG = "http://www.w3.org/2000/svg";

export class LeaderLine {
  /**
   * `svg` covers `page`; `stage` gives the places of messages, `files` those of bytes, `selection` holds the chosen ones.
   * @param {SVGSVGElement} svg
   * @param {HTMLElement} page
   * @param {StageView} stage
   * @param {FilesView} files
   * @param {Selection} selection
   */
  constructor(svg, page, stage, files, selection) {
    this.svg = svg;
    this.page = page;
    this.stage = stage;
    this.files = files;
    this.selection = selection;
    this.drawn = "";
    stage.listen(() => this.paint());
    files.listen(() => this.paint());
    // What is above the bytes may grow when they have been read.
    new ResizeObserver(() => this.paint()).observe(page);
  }

  /** Draw what is chosen, and what the pointer or the keyboard is on. */
  paint() {
    /** @type {Shape[]} */
    const shapes = [];
    const { chosen, pointed, focused } = this.selection;
    for (const seq of new Set([pointed, focused]))
      if (seq !== null && seq !== chosen) this.push(shapes, seq, false);
    this.push(shapes, chosen, true);
    const mark = JSON.stringify(shapes);
    if (mark === this.drawn) return;
    this.drawn = mark;
    this.svg.replaceChildren(...shapes.map(shape));
  }

  /**
   * @param {Shape[]} shapes
   * @param {number | null} seq
   * @param {boolean} strong
   */
  push(shapes, seq, strong) {
    const found = this.files.spotsOf(seq, strong);
    if (!found.length) return;
    const origin = this.page.getBoundingClientRect();
    const spots = found.map((spot) => moved(spot, origin));
    const name = strong ? "" : " is-hover";
    const from = seq !== null && innerWidth >= NARROW ? this.stage.footOf(seq) : null;
    for (const spot of spots) {
      if (from) {
        const gap = this.files.top - origin.top - 4;
        const { full, behind } = leaderPath({ x: from.x - origin.left, y: from.y - origin.top }, spot, gap);
        if (strong) shapes.push(["path", { d: full, class: "halo" }]);
        if (behind) shapes.push(["path", { d: behind, class: `line behind${name}` }]);
        shapes.push(["path", { d: full, class: `line${name}` }]);
      }
      const { x, y, w, h } = spot;
      shapes.push(["rect", { x: x - 1.5, y: y - 1.5, width: w + 3, height: h + 3, rx: 2, class: `ring${name}` }]);
    }
  }
}

/**
 * @param {Box} box
 * @param {DOMRect} origin
 */
function moved({ x, y, w, h }, origin) {
  return { x: x - origin.left, y: y - origin.top, w, h };
}

/** @param {Shape} shape */
function shape([kind, attributes]) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
