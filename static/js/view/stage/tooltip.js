/** What the pointer is over, in words: one message, or the place in a fold. */
import { EXTENT as E, PERSISTENT } from "../../model/catalogue/rows.js";
import { bodyBytes } from "../../model/columns.js";
import { stateWords } from "../../model/messages.js";
import { aboutPlace } from "../../model/places.js";
import { messageAt } from "../../layout/spot.js";
import { bytes, fill, gettext, number } from "../../model/text.js";
import { wide } from "../base/canvas.js";
import { el, required, setText, show } from "../base/dom.js";

/**
 * @import { Extent, QueueSnapshot, RunSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Numbered } from "../../model/stretches.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Selection } from "../../model/selection.js"
 */

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
