/** When something happened: stretches of virtual time, with idle time between them. Bounded: what is close becomes one. */

const GAP_US = 1_000_000;
const MOST = 200;

export class Activity {
  constructor() {
    /** @type {[fromUs: number, toUs: number][]} oldest first */
    this.list = [];
    this.gapUs = GAP_US;
  }

  /**
   * Something happened.
   * @param {number} us
   */
  observe(us) {
    const last = this.list[this.list.length - 1];
    if (last && us - last[1] <= this.gapUs) last[1] = Math.max(last[1], us);
    else this.list.push([us, us]);
    if (this.list.length > MOST) this.merge();
  }

  merge() {
    this.gapUs *= 2;
    /** @type {[number, number][]} */
    const merged = [];
    for (const [from, to] of this.list) {
      const last = merged[merged.length - 1];
      if (last && from - last[1] <= this.gapUs) last[1] = to;
      else merged.push([from, to]);
    }
    this.list = merged;
  }
}
