/** How fast frames come: where a device draws fewer than ten in a second, what travels would never arrive. */

const SLOW_MS = 100;
/** A pause is no slow frame: nothing had to be drawn. */
const PAUSE_MS = 1000;
const SLOW_FRAMES = 2;

export class Pace {
  constructor() {
    this.last = -Infinity;
    this.slowFrames = 0;
  }

  /** A frame is drawn at `now`. */
  frame(now) {
    const took = now - this.last;
    this.last = now;
    if (took > SLOW_MS && took < PAUSE_MS) this.slowFrames += 1;
    else this.slowFrames = 0;
  }

  /** Whether pictures change in one step for now. */
  get slow() {
    return this.slowFrames >= SLOW_FRAMES;
  }
}
