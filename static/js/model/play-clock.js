/**
 * The clock of a run that is played elsewhere. Between two messages it goes on by itself, as far as the last message allows, and where
 * it came too far it waits for the run: it never goes back while time passes.
 */
export class PlayClock {
  constructor() {
    this.us = 0;
    this.from = { us: 0, ms: 0 };
    this.toUs = 0;
    this.speed = 1;
  }

  /**
   * The run is at `us` according to a message that arrived at `ms` of the page's time. The clock shows that, and goes on up to `toUs`.
   * @param {number} us
   * @param {number} ms
   * @param {number} [toUs]
   * @param {number} [speed] seconds of the run in one of the page's
   */
  set(us, ms, toUs = us, speed = 1) {
    this.us = us;
    this.from = { us, ms };
    this.toUs = Math.max(us, toUs);
    this.speed = speed;
  }

  /**
   * The same while time passes: a clock that is ahead of the run waits for it.
   * @param {number} us
   * @param {number} ms
   * @param {number} [toUs]
   * @param {number} [speed]
   */
  follow(us, ms, toUs = us, speed = 1) {
    const shown = this.at(ms);
    this.set(us, ms, toUs, speed);
    this.us = Math.max(us, shown);
  }

  /**
   * What it shows at a moment of the page's time.
   * @param {number} ms
   */
  at(ms) {
    const due = Math.floor(this.from.us + (ms - this.from.ms) * 1000 * this.speed);
    this.us = Math.max(this.us, Math.min(due, this.toUs));
    return this.us;
  }

  /**
   * Wait for the next message.
   * @param {number} ms
   */
  hold(ms) {
    this.toUs = this.at(ms);
  }

  /** Whether it goes on. */
  get runs() {
    return this.us < this.toUs;
  }
}
