/** Which message the reader means: the one that was chosen, the one under the pointer, the one that has the keyboard. */

export class Selection {
  constructor() {
    /** seq_ids, or null for none. */
    this.chosen = null;
    this.pointed = null;
    this.focused = null;
    this.listeners = [];
  }

  /** Call `listener(what)` after a change; `what` is "chosen", "pointed" or "focused". */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Choose a message for the whole page, or let go with null; the same one again is told again. */
  choose(seq) {
    this.chosen = seq;
    this.notify("chosen");
  }

  /** The pointer is over a message, on the stage or on its bytes, or over none. */
  point(seq) {
    if (this.pointed === seq) return;
    this.pointed = seq;
    this.notify("pointed");
  }

  /** The keyboard is at a message of the list in words, or at none. */
  focus(seq) {
    this.focused = seq;
    this.notify("focused");
  }

  notify(what) {
    for (const listener of this.listeners) listener(what);
  }
}
