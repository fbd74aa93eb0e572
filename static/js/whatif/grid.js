/** One heatmap on the page: keys, the chosen cell, and the slices through it. */
import { around, need } from "../view/base/dom.js";
import { moved, slice } from "./shape.js";
import { pin } from "./pins.js";
import { showTip } from "./tip.js";

/**
 * @import { Tips } from "./pins.js"
 */

const SVG = "http://www.w3.org/2000/svg";
const LEAVE_MS = 160;
/** A pointer that crosses a cell on its way to the tip does not choose that cell. */
const CROSS_MS = 140;

/**
 * Makes the heatmap inside `root` answer to pointer and keys. The tip is a part of the page that stays.
 * @param {HTMLElement} root
 * @param {HTMLElement} tip
 */
export function startGrid(root, tip) {
  /** @type {HTMLTableElement | null} */
  const table = root.querySelector(".whatif-grid");
  const data = root.querySelector("#whatif-tips");
  if (!table || !data) return;
  const grid = new Grid(root, table, tip, JSON.parse(data.textContent));
  grid.listen();
}

class Grid {
  /**
   * @param {HTMLElement} root
   * @param {HTMLTableElement} table
   * @param {HTMLElement} tip
   * @param {Tips} tips
   */
  constructor(root, table, tip, tips) {
    this.root = root;
    this.table = table;
    this.tip = tip;
    this.tips = tips;
    this.rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("button")]);
    this.columns = [...table.rows[0].querySelectorAll("th")];
    this.largest = Math.max(0, ...Object.values(tips.cells).map((cell) => Math.abs(cell.value ?? 0)));
    this.signed = root.querySelector(".whatif-cell.d4, .whatif-cell.d0, .whatif-cell.d8") !== null;
    /** @type {HTMLButtonElement | null} the chosen cell */
    this.chosen = null;
    /** @type {HTMLButtonElement | null} the cell under the pointer */
    this.hovered = null;
    this.leaving = 0;
    this.crossing = 0;
  }

  listen() {
    const { table, tip } = this;
    this.rows.flat().forEach((cell) => { cell.tabIndex = -1; });
    /** @type {HTMLButtonElement} */
    const start = this.root.querySelector(".whatif-cell.home") ?? this.rows[0][0];
    start.tabIndex = 0;
    this.choose(start);
    table.addEventListener("pointerover", (event) => this.enter(event));
    table.addEventListener("pointerleave", () => {
      clearTimeout(this.crossing);
      this.leaveSoon();
    });
    table.addEventListener("focusin", (event) => {
      this.hovered = null;
      this.showTip(around(event, "button", HTMLButtonElement));
    });
    table.addEventListener("focusout", () => this.leaveSoon());
    table.addEventListener("keydown", (event) => this.key(event));
    table.addEventListener("click", (event) => this.click(event));
    // The page keeps the tip when this heatmap is exchanged for another: the newest heatmap owns it.
    tip.onpointerenter = () => {
      clearTimeout(this.leaving);
      clearTimeout(this.crossing);
    };
    document.onkeydown = (event) => this.pageKey(event);
    tip.onpointerleave = () => this.leaveSoon();
    this.hide();
  }

  /** @param {PointerEvent} event */
  enter(event) {
    if (event.pointerType === "touch") return;
    const cell = around(event, "button", HTMLButtonElement);
    clearTimeout(this.crossing);
    if (!cell) return;
    if (this.tip.hidden) this.point(cell);
    else this.crossing = setTimeout(() => this.point(cell), CROSS_MS);
  }

  /**
   * Choose the cell under the pointer.
   * @param {HTMLButtonElement} cell
   */
  point(cell) {
    this.hovered = cell;
    this.showTip(cell);
  }

  /**
   * Keys act on the cell under the pointer where none has the focus.
   * @param {KeyboardEvent} event
   */
  pageKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.key.toLowerCase() !== "p") return;
    if (around(event, "input, select, textarea, .whatif-grid") || this.tip.hidden || !this.hovered) return;
    event.preventDefault();
    pin(this.tips, this.hovered.value);
  }

  /**
   * A finger cannot hover: its first tap shows the tip, whose button opens the run.
   * @param {PointerEvent} event
   */
  click(event) {
    const cell = around(event, "button", HTMLButtonElement);
    if (!cell) return;
    const finger = event.pointerType === "touch" && matchMedia("(hover: none)").matches;
    if (cell.getAttribute("aria-disabled") === "true" || finger) {
      event.preventDefault();
      this.showTip(cell);
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      this.hide();
      return;
    }
    const cell = around(event, "button", HTMLButtonElement);
    if (cell && event.key.toLowerCase() === "p") {
      event.preventDefault();
      pin(this.tips, (this.tip.hidden ? cell : (this.hovered ?? cell)).value);
      return;
    }
    const to = cell && moved(event.key, place(cell), { rows: this.rows.length, columns: this.columns.length });
    if (!to) return;
    event.preventDefault();
    this.rows[to.row][to.column].focus();
  }

  /** @param {HTMLButtonElement | null} cell */
  showTip(cell) {
    if (!cell) return;
    clearTimeout(this.leaving);
    this.choose(cell);
    cell.classList.add("on");
    cell.setAttribute("aria-describedby", this.tip.id);
    showTip(this.tip, cell, this.tips);
  }

  /**
   * Moves the roving tab stop, the slices and the marks on axes and legend to a cell.
   * @param {HTMLButtonElement} cell
   */
  choose(cell) {
    this.unmark();
    if (this.chosen) this.chosen.tabIndex = -1;
    this.chosen = cell;
    cell.tabIndex = 0;
    const { row, column } = place(cell);
    this.columns[column].classList.add("on");
    cell.closest("tr")?.cells[0].classList.add("on");
    this.root.querySelector(`.whatif-swatch[data-step="${cell.dataset.step}"]`)?.classList.add("on");
    this.drawSlice("x", this.rows[row], column);
    this.drawSlice("y", this.rows.map((line) => line[column]), row);
    const note = this.root.querySelector("#whatif-slice-x");
    if (note) note.textContent = this.tips.cells[cell.value].at;
  }

  /**
   * @param {"x" | "y"} axis
   * @param {HTMLButtonElement[]} cells
   * @param {number} at which of them is chosen
   */
  drawSlice(axis, cells, at) {
    const svg = need(`[data-slice="${axis}"]`, SVGSVGElement, this.root);
    const values = cells.map((cell) => this.tips.cells[cell.value].value);
    const { line, area } = slice(values, this.largest, axis, this.signed);
    const count = cells.length;
    svg.setAttribute("viewBox", axis === "x" ? `0 0 ${count} 1` : `0 0 1 ${count}`);
    const mark = axis === "x" ? `M${at + 0.5} 0V1` : `M0 ${at + 0.5}H1`;
    svg.replaceChildren(path(area, "area"), path(line, "line"), path(mark, "at"));
  }

  leaveSoon() {
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => {
      const held = document.activeElement;
      if (!held || !this.table.contains(held) || !held.matches(":focus-visible")) this.hide();
    }, LEAVE_MS);
  }

  hide() {
    this.tip.hidden = true;
    this.hovered = null;
    this.chosen?.classList.remove("on");
    this.chosen?.removeAttribute("aria-describedby");
  }

  unmark() {
    this.root.querySelectorAll(".on").forEach((each) => each.classList.remove("on"));
    this.chosen?.removeAttribute("aria-describedby");
  }
}

/** @param {HTMLElement} cell */
function place(cell) {
  return { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
}

/**
 * @param {string} data
 * @param {string} name
 */
function path(data, name) {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", data);
  made.setAttribute("class", name);
  return made;
}
