/** A message that is held by hand goes back to its queue: carried out of the unacked lane, or by Backspace on its line. */
import { heldByHand } from "../../model/facts.js";
import { shownState } from "../../model/shown.js";
import { indexIn } from "../../layout/spot.js";
import { hit } from "../../layout/stage.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { placeOf } from "../base/canvas.js";
import { carry, Carried } from "../base/carry.js";
import { required } from "../base/dom.js";

/**
 * @import { Playhead } from "../../model/playhead.js"
 * @import { CommandSender } from "../base/command-sender.js"
 * @import { StageView } from "./stage.js"
 */

const HELD = "unacked";

export class PutBack {
  /**
   * `stage` draws in `box`; `sender` sends the command.
   * @param {HTMLElement} box
   * @param {StageView} stage
   * @param {Playhead} playhead
   * @param {CommandSender} sender
   */
  constructor(box, stage, playhead, sender) {
    this.stage = stage;
    this.playhead = playhead;
    this.sender = sender;
    this.label = new Carried(box);
    carry(stage.canvas, {
      /** @param {PointerEvent} event */
      pick: (event) => this.pick(event),
      /**
       * @param {number} seq
       * @param {PointerEvent} event
       */
      move: (seq, event) => this.move(seq, event),
      /**
       * @param {number} seq
       * @param {PointerEvent | null} event
       */
      drop: (seq, event) => this.drop(seq, event),
    });
  }

  get state() {
    return this.playhead.state;
  }

  /** @param {PointerEvent} event */
  pick(event) {
    if (!this.stage.chooses || !this.stage.scene || this.stage.zoom) return null;
    if (document.body.classList.contains("is-held")) return null; // an exercise waits for an answer
    const found = hit(this.stage.scene, placeOf(event).x, placeOf(event).y);
    return found?.lane.name === HELD ? this.stage.seqAt(found) : null;
  }

  /**
   * How many of those that are held by hand go back with a message: it and the older ones, as the broker takes them in order.
   * @param {number} seq
   */
  countOf(seq) {
    const queue = shownState(this.state);
    const held = heldByHand(this.state);
    return Math.min(held, indexIn(queue, HELD, seq) + 1);
  }

  /** @param {number} count */
  text(count) {
    if (!count) return gettext("Only messages taken by hand can be put back: this consumer acknowledges by itself.");
    return fill(
      ngettext("Put the oldest message back: basic.reject with requeue", "Put the %(n)s oldest back: basic.reject with requeue", count),
      { n: number(count) },
    );
  }

  /**
   * @param {number} seq
   * @param {PointerEvent} event
   */
  move(seq, event) {
    this.label.show(this.text(this.countOf(seq)), event);
  }

  /**
   * @param {number} seq
   * @param {PointerEvent | null} event
   */
  drop(seq, event) {
    this.label.hide();
    if (!event || !this.stage.scene) return;
    const box = this.stage.canvas.getBoundingClientRect();
    const { geo, lanes } = this.stage.scene;
    const scale = box.width / geo.width;
    const u = (geo.turned ? event.clientY - box.top : event.clientX - box.left) / scale;
    const held = required(lanes.find((lane) => lane.name === HELD), "the lane of what consumers hold");
    if (u >= (held.head ?? held.u0) - 4) return;
    this.put(seq);
  }

  /**
   * Put a message that is held by hand back, with the older ones.
   * @param {number} seq
   */
  put(seq) {
    if (!this.sender.may()) return;
    const count = this.countOf(seq);
    if (!count) this.sender.alerts.flash(this.text(0));
    else this.sender.send({ do: "requeue", count }, fill(ngettext("%(n)s message is back in its queue", "%(n)s messages are back in their queue", count), { n: number(count) }));
  }
}
