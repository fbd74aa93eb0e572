/** Be the broker: the selects of the form as a board, with messages to drag or to move by buttons. */
import { fill, gettext } from "../model/text.js";
import { dataOf, el, find, findAll, need } from "../view/base/dom.js";

/** @import { Draft } from "./drafts.js" */

/** @typedef {ReturnType<typeof makeBoard>} Board where the messages of a task are, and how they are moved */

/**
 * Names of places that are words; sub-queues are called the same everywhere.
 * @param {string} place
 */
export function placeName(place) {
  if (place === "unacked") return gettext("unacknowledged");
  if (place === "gone") return gettext("gone");
  if (place === "" || place === "arriving") return gettext("arriving");
  return place;
}

/**
 * Show a board in the place of the selects, which stay the truth that the form sends. What is given back is how others read
 * and move the messages: the stage does.
 * @param {HTMLElement} root
 * @param {Draft} draft
 */
export function makeBoard(root, draft) {
  /** @type {HTMLSelectElement[]} */
  const selects = findAll("select[data-seq]", HTMLSelectElement, root);
  const live = need("[data-board-live]", root);
  draft.restore(selects);
  const places = dataOf(root, "places").split(" ");
  /** @type {Set<string>} */
  const chosen = new Set();
  const arriving = selects.some((select) => select.value === "");
  const shown = arriving ? ["", ...places] : places;
  const board = el("div.board");
  need(".places", root).classList.add("visually-hidden");
  for (const select of selects) {
    select.tabIndex = -1;
    select.required = false;
  }
  root.append(board);

  /** @type {(() => void)[]} */
  const listeners = [];
  /** @param {string} [focus] */
  const draw = (focus) => {
    drawLanes(focus);
    for (const listener of listeners) listener();
  };

  /**
   * @param {string[]} sequence
   * @param {string} place
   */
  const move = (sequence, place, { focus = true } = {}) => {
    for (const seq of sequence) {
      const select = selects.find((each) => each.dataset.seq === seq);
      if (select) select.value = place;
    }
    live.textContent = fill(gettext("Moved to %(place)s: %(messages)s"), {
      place: placeName(place),
      messages: sequence.join(", "),
    });
    draft.keep(selects);
    chosen.clear();
    draw(focus ? sequence[0] : undefined);
  };

  /** @param {string} place */
  const lane = (place) => {
    const messages = selects.filter((select) => select.value === place);
    const row = el(
      "div.board-lane",
      { "data-place": place || "arriving", role: "group", "aria-label": placeName(place) },
      el("span", { "aria-hidden": "true" }, placeName(place)),
      // as on the stage: the newest on the left, the head of the queue on the right
      el("div", {}, ...messages.reverse().map((select) => chip(dataOf(select, "seq")))),
    );
    if (place) acceptDrops(row, place);
    return row;
  };

  /** @param {string} seq */
  const chip = (seq) =>
    el(
      "button.chip-message",
      {
        type: "button",
        draggable: "true",
        "data-chip": seq,
        "aria-pressed": String(chosen.has(seq)),
        "aria-label": fill(gettext("message %(number)s"), { number: seq }),
        onclick: () => {
          if (!chosen.delete(seq)) chosen.add(seq);
          draw(seq);
        },
        /** @param {DragEvent} event */
        ondragstart: (event) => {
          const carried = chosen.has(seq) ? [...chosen] : [seq];
          if (!event.dataTransfer) return;
          event.dataTransfer.setData("text/plain", carried.join(" "));
          event.dataTransfer.effectAllowed = "move";
        },
      },
      seq,
    );

  /**
   * @param {HTMLElement} row
   * @param {string} place
   */
  const acceptDrops = (row, place) => {
    row.addEventListener("dragover", (event) => {
      event.preventDefault();
      row.classList.add("is-over");
    });
    row.addEventListener("dragleave", () => row.classList.remove("is-over"));
    row.addEventListener("drop", (event) => {
      event.preventDefault();
      const carried = (event.dataTransfer?.getData("text/plain") ?? "").split(" ");
      const known = carried.filter((seq) => selects.some((select) => select.dataset.seq === seq));
      if (known.length) move(known, place);
    });
  };

  /** @param {string} [focus] */
  const drawLanes = (focus) => {
    const buttons = places.map((place) =>
      el(
        "button.btn.small",
        { type: "button", disabled: !chosen.size, onclick: () => move([...chosen], place) },
        placeName(place),
      ),
    );
    board.replaceChildren(
      ...shown.map(lane),
      el(
        "div.board-moves",
        { role: "group", "aria-label": gettext("Move the chosen messages to") },
        el("span.label", { "aria-hidden": "true" }, gettext("Move to")),
        ...buttons,
      ),
    );
    if (focus !== undefined) find(`[data-chip="${focus}"]`, board)?.focus();
  };

  draw();

  /** @param {string} seq */
  const selectOf = (seq) => selects.find((each) => each.dataset.seq === seq);
  return {
    places,
    move,
    /**
     * Where a message is: "arriving" where it was not put anywhere yet; null for one that is no part of the step.
     * @param {string} seq
     */
    at: (seq) => {
      const select = selectOf(seq);
      return select ? select.value || "arriving" : null;
    },
    /**
     * [message, place] of those that are not where the step began.
     * @returns {[seq: string, place: string][]}
     */
    moved: () =>
      selects
        .filter(({ value, options }) => !value || ![...options].some((each) => each.defaultSelected && each.value === value))
        .map((select) => [dataOf(select, "seq"), select.value || "arriving"]),
    chosen: () => [...chosen],
    /**
     * What goes along with a message: all that are chosen if it is one of them.
     * @param {string} seq
     */
    carried: (seq) => (chosen.has(seq) ? [...chosen] : [seq]),
    /**
     * Choose one message for the buttons, or let go of all with null.
     * @param {number | null} seq
     */
    choose: (seq) => {
      chosen.clear();
      if (selectOf(String(seq))) chosen.add(String(seq));
      draw();
    },
    /**
     * Call `listener()` after each change.
     * @param {() => void} listener
     */
    listen: (listener) => listeners.push(listener),
  };
}
