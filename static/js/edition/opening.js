/** What a page shows while the engine is loading, until the session sends its first message. */
import { fill, gettext } from "../model/text.js";
import { find, setText } from "../view/base/dom.js";

const STEPS = 3;

/**
 * The words of a step, the first of which is 1.
 * @param {number} step
 */
function words(step) {
  const phase = [gettext("the engine is being loaded …"), gettext("Python starts …"), gettext("the run is being opened …")][step - 1];
  return fill(gettext("Step %(step)s of %(count)s: %(what)s"), { step, count: STEPS, what: phase });
}

/**
 * Show the steps of a worker's start, once each.
 * @param {Worker} worker
 */
export function showOpening(worker) {
  // What is inert is not read aloud, so the words stand beside it, too.
  const status = find("[data-opening-status]");
  const over = new AbortController();
  /** @param {string} text */
  const announce = (text) => {
    // As soon as the page shows a recorded beginning, the caption has other words.
    if (find("[data-opening]")?.inert) setText(find("#situation"), text);
    setText(status, text);
  };
  announce(words(1));
  worker.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
    if (data.step) announce(words(data.step));
    else {
      over.abort();
      setText(status, "");
    }
  }, { signal: over.signal });
}
