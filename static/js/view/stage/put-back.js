/** A message that is held by hand goes back to its queue: carried out of the unacked lane, or by Backspace on its line. */
import { shownQueue } from "../../model/shown.js";
import { indexIn } from "../../layout/spot.js";
import { hit } from "../../layout/stage.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { placeOf } from "../base/canvas.js";
import { carry } from "../base/carry.js";
import { el, setText, show } from "../base/dom.js";

const HELD = "unacked";

export class PutBack {
  /** `stage` draws in `box`; `asking` sends the command. */
  constructor(box, stage, playhead, asking) {
    this.stage = stage;
    this.playhead = playhead;
    this.asking = asking;
    this.label = el("span.carried", { hidden: true });
    box.append(this.label);
    carry(stage.canvas, {
      pick: (event) => this.pick(event),
      move: (seq, event) => this.move(seq, event),
      drop: (seq, event) => this.drop(seq, event),
    });
  }

  get state() {
    return this.playhead.state;
  }

  pick(event) {
    if (!this.stage.chooses || !this.stage.scene || this.stage.zoom) return null;
    const found = hit(this.stage.scene, placeOf(event).x, placeOf(event).y);
    return found?.lane.name === HELD ? this.stage.seqAt(found) : null;
  }

  /** How many of those that are held by hand go back with a message: it and the older ones, as the broker takes them in order. */
  countOf(seq) {
    const queue = this.state.queues[shownQueue(this.state)];
    const held = this.state.node.actors?.hand?.unacked ?? 0;
    return Math.min(held, indexIn(queue, HELD, seq) + 1);
  }

  text(count) {
    if (!count) return gettext("Its consumer acknowledges it by itself: only what was got by hand can be put back.");
    return fill(
      ngettext("Put the oldest message back: basic.reject with requeue", "Put the %(n)s oldest back: basic.reject with requeue", count),
      { n: number(count) },
    );
  }

  move(seq, event) {
    const box = this.stage.canvas.getBoundingClientRect();
    setText(this.label, this.text(this.countOf(seq)));
    show(this.label, true);
    this.label.style.left = `${Math.max(4, Math.min(box.width - this.label.offsetWidth - 4, event.clientX - box.left + 10))}px`;
    this.label.style.top = `${Math.max(4, event.clientY - box.top + 12)}px`;
  }

  drop(seq, event) {
    show(this.label, false);
    if (!event || !this.stage.scene) return;
    const box = this.stage.canvas.getBoundingClientRect();
    const { geo, lanes } = this.stage.scene;
    const scale = box.width / geo.width;
    const u = (geo.turned ? event.clientY - box.top : event.clientX - box.left) / scale;
    const held = lanes.find((lane) => lane.name === HELD);
    if (u >= (held.head ?? held.u0) - 4) return;
    this.put(seq);
  }

  /** Put a message that is held by hand back, with the older ones. */
  put(seq) {
    if (!this.asking.may()) return;
    const count = this.countOf(seq);
    if (!count) this.asking.alerts.flash(this.text(0));
    else this.asking.send({ do: "requeue", count }, fill(ngettext("%(n)s message is back in its queue", "%(n)s messages are back in their queue", count), { n: number(count) }));
  }
}
