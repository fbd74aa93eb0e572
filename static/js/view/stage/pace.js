/** How fast frames come: where a device draws fewer than ten in a second, what travels would never arrive. */

const SLOW_MS = 100;
const SLOW_FRAMES = 2;

export class Pace {
  constructor() {
    this.last = -Infinity;
    this.slowFrames = 0;
  }

  /**
   * A frame is drawn at `now`; `requested` if the one before requested it. A pause in which none was requested is not slow.
   * @param {number} now
   * @param {boolean} requested
   */
  frame(now, requested) {
    const took = now - this.last;
    this.last = now;
    if (requested && took > SLOW_MS) this.slowFrames += 1;
    else this.slowFrames = 0;
  }

  /** Whether pictures change in one step for now. */
  get slow() {
    return this.slowFrames >= SLOW_FRAMES;
  }
}
