/** What the pointer is over, in words: one message, or the place in a fold. */
import { EXTENT as E, PERSISTENT } from "../../model/catalogue/rows.js";
import { bodyBytes } from "../../model/columns.js";
import { rowsOf, stateWords } from "../../model/messages.js";
import { UNACKED, aboutPlace, pendingPlacesOf } from "../../model/places.js";
import { shownState } from "../../model/shown.js";
import { walker } from "../../layout/lane.js";
import { rowsOfLane } from "../../layout/spot.js";
import { bytes, fill, gettext, number } from "../../model/text.js";
import { wide } from "../base/canvas.js";
import { el, required, setText, show } from "../base/dom.js";

/**
 * @import { Extent, QueueState, State, Values } from "../../model/catalogue/types.js"
 * @import { Numbered } from "../../model/stretches.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 */

/**
 * The message at an index of a lane: {seq, place, row} or null.
 * @param {State} state
 * @param {string} lane
 * @param {number} index
 */
export function messageAt(state, lane, index) {
  const queue = shownState(state);
  if (!queue) return null;
  const found = walker(rowsOfLane(queue, lane))(index);
  if (!found) return null;
  const place = lane === UNACKED ? placeOfRow(queue, found.row) : lane;
  return { seq: found.row[E.start] + found.offset, place, row: found.row };
}

/**
 * Which of the places of unacknowledged messages has a row.
 * @param {QueueState} queue
 * @param {Extent | Numbered} row
 */
function placeOfRow(queue, row) {
  return required(pendingPlacesOf(queue).find((each) => rowsOf(queue, each).some((other) => other === row)), "the place of a row");
}

export class Tooltip {
  /**
   * @param {HTMLElement} root
   * @param {Playhead} session
   */
  constructor(root, session) {
    this.root = root;
    this.session = session;
  }

  /**
   * Show what is at the pointer, or nothing.
   * @param {Values} given
   */
  update({ hover, x, y }) {
    const message = hover && messageAt(this.session.state, hover.lane.name, hover.index);
    show(this.root, Boolean(message));
    if (!message) return;
    const extent = aboutPlace(message.place).counted ? null : /** @type {Extent} only a counted lane has entries */ (message.row);
    const flags = extent ? extent[E.flags] : 31;
    const size = extent ? bodyBytes(extent[E.size_bytes], extent[E.msg_no] + message.seq - extent[E.start], 1) : null;
    const title = fill(gettext("message %(seq)s"), { seq: number(message.seq) });
    const lines = [stateWords(message.place, flags)];
    if (size !== null)
      lines.push(
        fill(flags & PERSISTENT ? gettext("%(size)s, persistent") : gettext("%(size)s, transient"), {
          size: bytes(size),
        }),
      );
    if (this.root.dataset.key !== title + lines.join()) {
      this.root.dataset.key = title + lines.join();
      this.root.replaceChildren(el("b", {}, title), ...lines.map((text) => el("span", {}, text)));
    }
    const room = required(this.root.parentElement, "the box of the tooltip").clientWidth;
    const width = this.root.offsetWidth;
    const scale = wide();
    this.root.style.left = `${Math.max(4, Math.min(room - width - 4, x * scale - width / 2))}px`;
    this.root.style.top = `${y > 90 ? y * scale - this.root.offsetHeight - 14 : y * scale + 18}px`;
  }
}

/**
 * Keep a chip that names the chosen message.
 * @param {HTMLElement} chip
 * @param {Selection} selection
 */
export function nameChosen(chip, selection) {
  selection.listen(() => {
    const seq = selection.chosen;
    show(chip, seq !== null);
    if (seq !== null) setText(chip.querySelector("span:last-child"), `seq ${number(seq)}`);
  });
}
