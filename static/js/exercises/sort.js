/** Put in order: the selects of the form as two lists, with lines to drag or to move by buttons. */
import { fill, gettext } from "../model/text.js";
import { dataOf, el, find, need } from "../view/base/dom.js";

/** @import { Draft } from "./drafts.js" */

/** @typedef {{ id: string, text: string, select: HTMLSelectElement }} Line a line to put in order, and the select with its place */

/**
 * Show two lists in the place of the selects, which stay the truth that the form sends.
 * @param {HTMLElement} list
 * @param {HTMLElement} live
 * @param {Draft} draft
 */
export function makeSortable(list, live, draft) {
  const items = /** @type {HTMLElement[]} */ ([...list.children]);
  /** @type {Line[]} */
  const lines = items.map((line) => ({
    id: dataOf(line, "item"),
    text: need("label", line).textContent,
    select: need("select", HTMLSelectElement, line),
  }));
  const selects = lines.map((line) => line.select);
  draft.restore(selects);
  const kept = lines.filter((line) => line.select.value);
  const order = kept.sort((one, other) => Number(one.select.value) - Number(other.select.value));
  const pool = el("ul.sortable.is-pool", { "aria-label": gettext("Lines to choose from") });
  const sorted = el("ol.sortable", { "aria-label": gettext("Your order") });
  const lists = el(
    "div.sort-lists",
    {},
    el("p.sort-heading", {}, gettext("Your order")),
    sorted,
    el("p.sort-heading", {}, gettext("Lines to choose from")),
    pool,
  );
  list.hidden = true;
  list.after(lists);

  /**
   * @param {Line} line
   * @param {number | null} at where it comes to stand, null for nowhere
   */
  const place = (line, at) => {
    const from = order.indexOf(line);
    if (from >= 0) order.splice(from, 1);
    if (at !== null) order.splice(Math.max(0, Math.min(at, order.length)), 0, line);
    for (const each of lines) {
      const position = order.indexOf(each);
      each.select.value = position < 0 ? "" : String(position + 1);
    }
    draft.keep(selects);
    live.textContent =
      at === null
        ? fill(gettext("Left out: %(line)s"), { line: line.text })
        : fill(gettext("%(line)s is number %(position)s"), {
            line: line.text,
            position: order.indexOf(line) + 1,
          });
    draw(line);
  };

  /**
   * @param {string} label
   * @param {string} sign
   * @param {() => void} act
   */
  const button = (label, sign, act, disabled = false) =>
    el("button.btn.small.icon", { type: "button", "aria-label": label, title: label, disabled, onclick: act }, sign);

  /** @param {Line} line */
  const row = (line) => {
    const at = order.indexOf(line);
    /** @param {string} text */
    const named = (text) => fill(text, { line: line.text });
    const buttons =
      at < 0
        ? [button(named(gettext("Add: %(line)s")), "+", () => place(line, order.length))]
        : [
            button(named(gettext("Earlier: %(line)s")), "↑", () => place(line, at - 1), at === 0),
            button(named(gettext("Later: %(line)s")), "↓", () => place(line, at + 1), at === order.length - 1),
            button(named(gettext("Leave out: %(line)s")), "×", () => place(line, null)),
          ];
    return el(
      "li",
      {
        draggable: "true",
        "data-line": line.id,
        /** @param {DragEvent} event */
        ondragstart: (event) => event.dataTransfer?.setData("text/plain", line.id),
        /** @param {DragEvent} event */
        ondragover: (event) => event.preventDefault(),
        /** @param {DragEvent} event */
        ondrop: (event) => {
          event.preventDefault();
          event.stopPropagation();
          const dropped = lines.find((each) => each.id === event.dataTransfer?.getData("text/plain"));
          if (dropped && dropped !== line) place(dropped, at < 0 ? null : at);
        },
      },
      at < 0 ? null : el("span.no", { "aria-hidden": "true" }, String(at + 1)),
      el("span.line", {}, line.text),
      el("span.buttons", {}, ...buttons),
    );
  };

  /** @type {[target: HTMLElement, at: () => number | null][]} */
  const targets = [
    [sorted, () => order.length],
    [pool, () => null],
  ];
  for (const [target, at] of targets) {
    target.addEventListener("dragover", (event) => event.preventDefault());
    target.addEventListener("drop", (event) => {
      event.preventDefault();
      const dropped = lines.find((each) => each.id === event.dataTransfer?.getData("text/plain"));
      if (dropped) place(dropped, at());
    });
  }

  /** @param {Line} [focus] */
  const draw = (focus) => {
    sorted.replaceChildren(...order.map(row));
    pool.replaceChildren(...lines.filter((line) => !order.includes(line)).map(row));
    if (focus) find(`[data-line="${focus.id}"] button:not(:disabled)`, lists)?.focus();
  };

  draw();
}
