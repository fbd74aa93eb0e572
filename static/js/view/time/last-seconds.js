/** The last seconds before a moment, played once as they were; then the moment stands. Any other action of the reader stops it. */

/** @import { Playhead } from "../../model/playhead.js" */

const BEFORE_US = 3_000_000;

export class LastSeconds {
  /**
   * `frames` and `clock` are the browser's, or a test's.
   * @param {Playhead} playhead
   */
  constructor(playhead, frames = (/** @type {FrameRequestCallback} */ act) => requestAnimationFrame(act), clock = () => performance.now()) {
    this.playhead = playhead;
    this.frames = frames;
    this.clock = clock;
    this.fromUs = 0;
    this.shown = { position: 0, us: 0 };
  }

  /** Play up to the moment that is shown, unless time passes already or nothing before it is known. */
  play() {
    const { playhead } = this;
    const { history, nowUs } = playhead;
    const firstUs = history.stretches[0]?.startUs ?? nowUs;
    this.fromUs = Math.max(firstUs, nowUs - BEFORE_US);
    if (playhead.play || this.fromUs >= nowUs) return;
    const goal = { position: playhead.position, us: nowUs, behind: playhead.behind };
    const began = this.clock();
    const turn = () => {
      if (!this.isOurs()) return;
      const us = this.fromUs + (this.clock() - began) * 1000;
      if (us >= goal.us) this.stand(goal);
      else {
        this.go(us);
        this.frames(turn);
      }
    };
    this.go(this.fromUs);
    this.frames(turn);
  }

  /** @param {number} us */
  go(us) {
    this.playhead.toTime(us);
    this.shown = { position: this.playhead.position, us: this.playhead.nowUs };
  }

  /** Whether the reader has shown no other moment meanwhile. */
  isOurs() {
    const { behind, position, nowUs } = this.playhead;
    return behind && position === this.shown.position && nowUs === this.shown.us;
  }

  /** @param {{ position: number, us: number, behind: boolean }} goal */
  stand({ position, us, behind }) {
    if (behind) this.playhead.go(position, { us });
    else this.playhead.now();
  }
}
