/** Which message the reader means: the one that was chosen, the one under the pointer, the one that has the keyboard. */

export class Selection {
  constructor() {
    /** @type {number | null} a seq_id, or null for none; so are the next two */
    this.chosen = null;
    /** @type {number | null} */
    this.pointed = null;
    /** @type {number | null} */
    this.focused = null;
    /** @type {((what: string) => void)[]} */
    this.listeners = [];
  }

  /**
   * Call `listener(what)` after a change; `what` is "chosen", "pointed" or "focused".
   * @param {(what: string) => void} listener
   */
  listen(listener) {
    this.listeners.push(listener);
  }

  /**
   * Choose a message for the whole page, or let go with null; the same one again notifies again.
   * @param {number | null} seq
   */
  choose(seq) {
    this.chosen = seq;
    this.notify("chosen");
  }

  /**
   * The pointer is over a message, on the stage or on its bytes, or over none.
   * @param {number | null} seq
   */
  point(seq) {
    if (this.pointed === seq) return;
    this.pointed = seq;
    this.notify("pointed");
  }

  /**
   * The keyboard is at a message of the list in words, or at none.
   * @param {number | null} seq
   */
  focus(seq) {
    this.focused = seq;
    this.notify("focused");
  }

  /** @param {string} what */
  notify(what) {
    for (const listener of this.listeners) listener(what);
  }
}
