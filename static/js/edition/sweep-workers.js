/** Workers of this browser that run the cells of a sweep: each takes the next cell as soon as it is free. */

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { BrowserApp } from "../net/browser-app.js"
 */

/**
 * What playground/browser_app/browser_app.py plans, and what is known of a sweep while it runs: `left_s` in seconds of the clock, the rest of
 * a processor; `failure` is the latest.
 * @typedef {{ name: string, sweep: string, order: number[], estimate_s: number, remarks: string[] }} Plan
 * @typedef {{ done: number, cells: number, left_s: number, middle_s: number, slowest_s: number, failed: number, failure: string }} Done
 */

export class SweepWorkers {
  /**
   * @param {BrowserApp[]} apps one for each worker; the first stays when the others end
   * @param {(done: Done) => void} tell
   * @param {() => number} now seconds
   */
  constructor(apps, tell, now = () => performance.now() / 1000) {
    this.apps = apps;
    this.tell = tell;
    this.now = now;
    this.ended = false;
    /** @type {number[]} */
    this.costs = [];
    this.failed = 0;
    this.failure = "";
  }

  /**
   * Run all cells; resolves with their rows in the order of the cells, or with null where it was ended.
   * @param {Plan} plan
   * @returns {Promise<Values[] | null>}
   */
  async run({ sweep, order }) {
    /** @type {Values[]} */
    const rows = [];
    const waiting = [...order];
    const began = this.now();
    const work = async (/** @type {BrowserApp} */ app) => {
      while (waiting.length && !this.ended) {
        const number = /** @type {number} */ (waiting.shift());
        const { row, failure } = await app.request("sweep_row", { sweep, number });
        rows[number] = row;
        this.note(row.cost_s, failure, order.length, this.now() - began);
      }
    };
    this.report(order.length, 0);
    try {
      await Promise.all(this.apps.map(work));
    } finally {
      this.ended = true;
      for (const app of this.apps.slice(1)) app.worker.terminate();
    }
    return this.costs.length === order.length ? rows : null;
  }

  /**
   * @param {number} cost seconds of a processor
   * @param {string} failure
   * @param {number} cells
   * @param {number} passed seconds since it began
   */
  note(cost, failure, cells, passed) {
    this.costs.push(cost);
    if (failure) {
      this.failed += 1;
      this.failure = failure;
    }
    this.report(cells, passed);
  }

  /**
   * @param {number} cells
   * @param {number} passed
   */
  report(cells, passed) {
    const done = this.costs.length;
    const sorted = [...this.costs].sort((a, b) => a - b);
    this.tell({
      done,
      cells,
      left_s: done ? (passed / done) * (cells - done) : 0,
      middle_s: sorted[done >> 1] ?? 0,
      slowest_s: sorted[done - 1] ?? 0,
      failed: this.failed,
      failure: this.failure,
    });
  }

  /** Stop after the cells that run now. */
  end() {
    this.ended = true;
  }
}
