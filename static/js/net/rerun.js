/** A run that is played again with other numbers, as fast as somebody drags them: only the last answer counts. */
import { emptyState } from "../model/reduce.js";

export class Rerun {
  /**
   * @param {any} session shows the run
   * @param {(query: string) => Promise<{at_us: number[], rows: any[], until_us: number}>} ask gives the run with some numbers, or rejects
   */
  constructor(session, ask) {
    this.session = session;
    this.ask = ask;
    this.asked = 0;
  }

  /**
   * Play with these numbers. Gives the run once it stands in the session, null where other numbers were asked for meanwhile;
   * rejects where it cannot be played.
   * @param {[string, string][]} numbers
   */
  async play(numbers) {
    this.asked += 1;
    const mine = this.asked;
    try {
      const run = await this.ask(new URLSearchParams(numbers).toString());
      if (mine !== this.asked) return null;
      this.session.snapshot({ next: 0, at_us: 0, state: emptyState(), digest: "", skipped: null, why: "join" });
      this.session.frame({ first: 0, at_us: run.at_us, rows: run.rows, now_us: run.until_us });
      return run;
    } catch (error) {
      if (mine !== this.asked) return null;
      throw error;
    }
  }
}
