/** Questions to an app of the worker (static/js/wasm/worker.js): each has a number, and its answer comes back under it. */
import { gettext } from "../model/text.js";

/** @import { Values } from "../model/catalogue/types.js" */

/** The worker can answer nothing more: another one has to begin. */
export class WorkerBroken extends Error {}

export class Questions {
  /**
   * `place` is where the engine lies; `app` is one of the worker's apps.
   * @param {Worker} worker
   * @param {string} place
   * @param {string} app
   */
  constructor(worker, place, app) {
    this.worker = worker;
    this.place = place;
    this.app = app;
    this.count = 0;
    /** @type {Map<number, {done: (answer: unknown) => void, fail: (error: Error) => void}>} */
    this.waiting = new Map();
    /** @type {(progress: Values) => void} is called whenever an answer has got further */
    this.onStep = () => {};
    worker.addEventListener("message", (/** @type {MessageEvent} */ { data }) => this.answered(data));
    worker.addEventListener("error", (/** @type {ErrorEvent} */ event) => this.fail(event.message || gettext("The worker could not be loaded.")));
  }

  /**
   * Resolves with the app's answer; without a name, with its version.
   * @template A
   * @param {string} name
   * @param {...unknown} args
   * @returns {Promise<A>}
   */
  request(name, ...args) {
    this.count += 1;
    const id = this.count;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done: /** @type {(answer: unknown) => void} */ (done), fail });
      this.worker.postMessage({ id, place: this.place, app: this.app, question: name, args });
    });
  }

  /** @param {Values} given */
  answered({ id, answer, error, broken, progress }) {
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    if (progress) {
      this.onStep(progress);
      return;
    }
    this.waiting.delete(id);
    if (error === undefined) waiting.done(answer);
    else if (broken) waiting.fail(new WorkerBroken(error));
    else waiting.fail(new Error(error));
  }

  /**
   * The worker is gone: every open question fails.
   * @param {string} words
   */
  fail(words) {
    for (const { fail } of this.waiting.values()) fail(new Error(words));
    this.waiting.clear();
  }
}
