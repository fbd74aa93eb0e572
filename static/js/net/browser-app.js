/** The worker of a page of the static edition: it answers in the reader's own browser the requests that a page sends to a server. */
import { Questions } from "./questions.js";

/** @import { Values } from "../model/catalogue/types.js" */

export class BrowserApp {
  /**
   * `place` is where the engine lies, `lang` the page's language, `at` its file; `make()` makes the worker.
   * @param {string} place
   * @param {string} lang
   * @param {string} at
   * @param {() => Worker} make
   */
  constructor(place, lang, at, make) {
    this.place = place;
    this.lang = lang;
    this.at = at;
    this.worker = make();
    this.questions = new Questions(this.worker, place, "pages");
  }

  /**
   * Send a question by its name; rejects with words where it is refused.
   * @template A
   * @param {string} name
   * @param {Values} [question]
   * @returns {Promise<A>}
   */
  async request(name, question = {}) {
    /** @type {A & { error?: string }} */
    const answer = await this.questions.request("ask", JSON.stringify({ ...question, q: name, lang: this.lang, at: this.at }));
    if (answer.error) throw new Error(answer.error);
    return answer;
  }
}
