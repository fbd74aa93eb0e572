/** A table of the page Inspect: with a caption, in a region that scrolls on a small screen. */
import { el } from "../base/dom.js";

/** @typedef {Node | string | (Node | string)[]} Cell */

/**
 * A table with a caption; rows are lists of cells, the first of each names it.
 * @param {string} caption
 * @param {[text: string, numeric?: boolean][]} heads
 * @param {[name: string, ...Cell[]][]} rows
 */
export function table(caption, heads, rows) {
  const head = el("tr", {}, ...heads.map(([text, numeric]) => el(numeric ? "th.num" : "th", { scope: "col" }, text)));
  const body = rows.map(([first, ...rest]) =>
    el("tr", {}, el("th.mono", { scope: "row" }, first), ...rest.map((cell, at) => el(heads[at + 1][1] ? "td.num" : "td", {}, ...[cell].flat()))));
  return el("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
    el("table.plain", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body)));
}
