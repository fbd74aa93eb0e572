/** A run that is played again with other numbers, as fast as the reader drags them: only the last answer counts. */
import { emptyState } from "../model/reduce.js";

/**
 * @import { TransitionRow } from "../model/catalogue/types.js"
 * @import { Session } from "../model/session.js"
 */

/** @typedef {{ at_us: number[], rows: TransitionRow[], until_us: number }} WholeRun a run as it was played, from its beginning */

/** @template {WholeRun} R the answer about a run */
export class Rerun {
  /**
   * @param {Session} session shows the run
   * @param {(query: string) => Promise<R>} request gives the run with some numbers, or rejects
   */
  constructor(session, request) {
    this.session = session;
    this.request = request;
    this.newest = 0;
  }

  /**
   * Play with these numbers. Gives the run once it stands in the session, null where other numbers were requested meanwhile;
   * rejects where it cannot be played.
   * @param {[string, string][]} numbers
   */
  async play(numbers) {
    this.newest += 1;
    const mine = this.newest;
    try {
      const run = await this.request(new URLSearchParams(numbers).toString());
      if (mine !== this.newest) return null;
      this.session.snapshot({ next: 0, at_us: 0, state: emptyState(), digest: "", skipped: null, why: "join" });
      this.session.frame({ first: 0, at_us: run.at_us, rows: run.rows, now_us: run.until_us });
      return run;
    } catch (error) {
      if (mine !== this.newest) return null;
      throw error;
    }
  }
}
