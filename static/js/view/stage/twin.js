/**
 * The stage in words: a list for each lane, oldest message first, one tab stop per lane, arrows walk the messages.
 * The focused message is ringed on the canvas, so that the list itself need not be visible.
 */
import { EXTENT as E } from "../../model/catalogue/rows.js";
import { UNACKED, aboutPlace, laneLabel, lanesOf, stageLanesOf } from "../../model/places.js";
import { lengthOf, stateWords } from "../../model/messages.js";
import { shownState } from "../../model/shown.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { total } from "../../model/stretches.js";
import { pendingRowsOf, rowsOfLane } from "../../layout/spot.js";
import { around, el, required, throttle } from "../base/dom.js";
import { act } from "../base/scheduler.js";

/**
 * @import { Extent, Values } from "../../model/catalogue/types.js"
 * @import { Numbered } from "../../model/stretches.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 */

const SINGLES = 5;
const EVERY_MS = 700;

/**
 * Items of a lane, head first: single messages at both ends, one item for what lies between.
 * @param {(Extent | Numbered)[]} rows
 * @param {(row: Extent | Numbered) => string} place
 */
function laneItems(rows, place) {
  const count = total(rows);
  const items = [];
  let index = 0;
  let skipped = 0;
  for (const row of rows) {
    for (let offset = 0; offset < row[E.count]; offset += 1, index += 1) {
      if (index < SINGLES || index >= count - SINGLES) {
        if (skipped) items.push({ more: skipped });
        skipped = 0;
        items.push({
          seq: row[E.start] + offset,
          text: stateWords(place(row), aboutPlace(place(row)).counted ? 31 : /** @type {Extent} only a counted lane has entries */ (row)[E.flags]),
        });
      } else {
        const jump = Math.min(row[E.count] - offset, count - SINGLES - index);
        skipped += jump;
        offset += jump - 1;
        index += jump - 1;
      }
    }
  }
  return items;
}

/**
 * Rows, each with the place where it is.
 * @param {(Extent | Numbered)[]} rows
 * @param {string} place
 * @returns {[row: Extent | Numbered, place: string][]}
 */
function rowsIn(rows, place) {
  return rows.map((row) => [row, place]);
}

export class Twin {
  /**
   * `selection` is notified which message has the keyboard, and which one was chosen; `putBack(seq)` takes one that is held back.
   * @param {HTMLElement} root
   * @param {Playhead} session
   * @param {Selection} selection
   */
  constructor(root, session, selection, putBack = /** @type {(seq: number) => void} */ (() => {})) {
    this.putBack = putBack;
    this.root = root;
    this.session = session;
    this.selection = selection;
    /** @type {Map<string, HTMLElement>} by the names of lanes */
    this.lists = new Map();
    /** @type {HTMLElement | null} The list out of which its reader took the message that has the keyboard, until it is drawn again. */
    this.taken = null;
    this.arrange(stageLanesOf(null));
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", (event) => this.focused(event.target));
    root.addEventListener("focusout", () => selection.focus(null));
    this.update = throttle(EVERY_MS, () => act(this, () => this.render()));
  }

  /**
   * A list for each lane, in order; nothing changes where they are there already.
   * @param {string[]} names
   */
  arrange(names) {
    if (names.join() === [...this.lists.keys()].join()) return;
    this.lists = new Map(names.map((name) => [name, el("ol", { role: "list", "data-lane": name })]));
    this.root.replaceChildren(...this.lists.values());
  }

  render() {
    const queue = shownState(this.session.state);
    this.arrange(stageLanesOf(queue));
    const lanes = lanesOf(queue);
    for (const [name, list] of this.lists) {
      /** @type {[row: Extent | Numbered, place: string][]} */
      const pairs = name === UNACKED ? pendingRowsOf(queue) : rowsIn(rowsOfLane(queue, name), name);
      const places = new Map(pairs);
      const rows = pairs.map(([row]) => row);
      const items = laneItems(rows, (row) => required(places.get(row), "the place of a row"));
      // Of a lane that RAM only counts, a start may not have told which messages there are.
      const count = name === UNACKED ? total(rows) : lengthOf(queue, name);
      const listed = total(rows);
      if (listed < count) items.push({ more: count - listed });
      this.renderLane(list, laneLabel(name, count, lanes), items);
    }
  }

  /**
   * @param {HTMLElement} list
   * @param {string} label
   * @param {Values[]} items
   */
  renderLane(list, label, items) {
    if (list.getAttribute("aria-label") !== label) list.setAttribute("aria-label", label);
    const signature = JSON.stringify(items);
    if (list.dataset.signature === signature) return;
    const reading = list.contains(document.activeElement);
    if (reading && this.taken !== list) return; // a list does not change under its reader
    list.dataset.signature = signature;
    list.replaceChildren(
      ...items.map((item, at) =>
        el(
          "li",
          { tabindex: at === 0 ? "0" : "-1", "data-seq": item.seq ?? null },
          item.more
            ? fill(ngettext("%(n)s more message", "%(n)s more messages", item.more), { n: number(item.more) })
            : fill(gettext("message %(seq)s, %(state)s"), { seq: number(item.seq), state: item.text }),
        ),
      ),
    );
    if (!reading) return;
    this.taken = null;
    (list.querySelector("li") ?? this.root.querySelector("li"))?.focus();
  }

  /** @param {EventTarget | null} item */
  focused(item) {
    const seq = item instanceof HTMLElement ? item.dataset.seq : undefined;
    this.selection.focus(seq === undefined ? null : Number(seq));
  }

  /**
   * Jump to a lane.
   * @param {string} name
   */
  enter(name) {
    this.render();
    this.lists.get(name)?.querySelector("li")?.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const item = around(event, "li");
    if (!item) return;
    const { previousElementSibling: before, nextElementSibling: after, parentElement: list } = item;
    const next = { ArrowLeft: after, ArrowDown: after, ArrowRight: before, ArrowUp: before }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      if (!(next instanceof HTMLElement)) return;
      item.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === "Backspace" && list?.dataset.lane === UNACKED && item.dataset.seq !== undefined) {
      event.preventDefault();
      this.taken = list;
      this.putBack(Number(item.dataset.seq));
    } else if (event.key === "Enter" && item.dataset.seq !== undefined) {
      this.selection.choose(Number(item.dataset.seq));
    }
  }
}
