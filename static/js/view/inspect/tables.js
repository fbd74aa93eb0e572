/** A table of the page Inspect: with a caption, in a region that scrolls on a small screen. */
import { el } from "../base/dom.js";

/** @typedef {Node | string | (Node | string)[]} Cell */

/**
 * A table with a caption; each cell knows its column's head, which stands beside it where a row is a card of its own (on a phone).
 * Roles are written out, as cells that are no table cells to the style sheet would be none to a screen reader.
 * Rows are lists of cells, the first of each names it.
 * @param {string} caption
 * @param {[text: string, numeric?: boolean][]} heads
 * @param {[name: string, ...Cell[]][]} rows
 */
export function table(caption, heads, rows) {
  const head = el("tr", { role: "row" }, ...heads.map(([text, numeric]) => el(numeric ? "th.num" : "th", { scope: "col", role: "columnheader" }, text)));
  /** @param {[name: string, ...Cell[]]} row */
  const rowOf = ([first, ...rest]) =>
    el("tr", { role: "row" }, el("th.mono", { scope: "row", role: "rowheader" }, first), ...rest.map((cell, at) => {
      const [text, numeric] = heads[at + 1];
      return el(numeric ? "td.num" : "td", { role: "cell", "data-head": text }, ...[cell].flat());
    }));
  return el("div.scroll", { tabindex: 0, role: "group", "aria-label": caption },
    el("table.plain", { role: "table" }, el("caption", {}, caption), el("thead", { role: "rowgroup" }, head), el("tbody", { role: "rowgroup" }, ...rows.map(rowOf))));
}
