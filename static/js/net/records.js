/** Questions for records of a session's real files. Small, one at a time for each side. */

/** @import { Values } from "../model/catalogue/types.js" */

/** Request a record; gives {record}, {waiting}, {error} or null when a later question overtook it. */
export class Records {
  /**
   * `question(values, signal)` goes to the session's host: {fields, ...}, {waiting} or {error}.
   * @param {(question: Values, signal: AbortSignal) => Promise<Values>} question
   */
  constructor(question) {
    this.question = question;
    /** @type {Record<string, AbortController>} by side */
    this.running = {};
  }

  /**
   * @param {string} side
   * @param {Values} question
   */
  async request(side, question) {
    this.running[side]?.abort();
    const control = new AbortController();
    this.running[side] = control;
    try {
      const reply = await this.question(question, control.signal);
      if (control.signal.aborted) return null;
      if (reply.error) return { error: reply.error };
      return reply.fields ? { record: reply } : { waiting: reply.waiting };
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      return name === "AbortError" ? null : { error: message };
    }
  }
}
