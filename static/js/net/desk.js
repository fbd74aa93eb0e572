/** The worker of a page of the static edition: questions that a page would ask a server, answered in the reader's own browser. */
import { Questions } from "./questions.js";

export class Desk {
  /** `place` is where the engine lies, `lang` the page's language, `at` its file; `make()` makes the worker. */
  constructor(place, lang, at, make) {
    this.place = place;
    this.lang = lang;
    this.at = at;
    this.worker = make();
    this.questions = new Questions(this.worker, place, "pages");
  }

  /** Ask a question by its name; rejects with words where it is refused. */
  async ask(name, question = {}) {
    const told = await this.questions.ask("ask", JSON.stringify({ ...question, q: name, lang: this.lang, at: this.at }));
    if (told.error) throw new Error(told.error);
    return told;
  }
}
