/** The situation in one plain sentence. */
import { generationOf } from "./generations.js";
import { goneIn } from "./places.js";
import { fill, gettext, ngettext, number } from "./text.js";
import { figures } from "./facts.js";

/**
 * @import { RunSnapshot } from "./catalogue/types.js"
 * @import { Figures } from "./facts.js"
 */

/**
 * The sentence above the stage: {text, tone}.
 * @param {RunSnapshot} state
 */
export function situation(state) {
  const now = figures(state);
  if (now.alarms.disk)
    return sentence(
      "alarm",
      goneIn(state.node.settings).paging
        ? gettext("Disk alarm: publishers are blocked until enough of the disk is free.")
        : gettext("Disk alarm: publishers are blocked and nothing is paged out while the disk is full."),
    );
  if (now.alarms.memory)
    return sentence(
      "alarm",
      now.target === null || now.inRam <= now.target
        ? gettext("Memory alarm: publishers are blocked until RAM falls below the watermark.")
        : gettext("Memory alarm: publishers are blocked until RAM falls below the watermark. Paging goes on."),
    );
  if (now.name === null) return noQueue(state);
  if (!now.ready && !now.unacked)
    return now.next
      ? sentence("plain", gettext("The queue is empty: no message waits, and no consumer holds one."))
      : sentence("plain", gettext("The queue is empty."));
  return generationOf(now.queue).situation(now);
}

/**
 * The sentence where there is no queue: the broker was stopped (D2), or none is declared or none has started yet.
 * @param {RunSnapshot} state
 */
function noQueue({ node }) {
  return node.app.runs === false
    ? sentence("plain", gettext("The broker is stopped: no queue runs. Its files hold what a start can bring back."))
    : sentence("plain", gettext("No queue runs at this moment."));
}

/**
 * A sentence of the situation, and its tone.
 * @param {string} tone
 * @param {string} text
 */
export function sentence(tone, text, values = {}) {
  return { tone, text: fill(text, values) };
}

/**
 * The sentence of a queue with nothing ready, whatever its version: consumers hold what there is.
 * @param {Figures} now
 */
export function onlyHeld(now) {
  const text = ngettext(
    "The queue is empty; consumers hold %(n)s message.",
    "The queue is empty; consumers hold %(n)s messages.",
    now.unacked,
  );
  return sentence("alpha", text, { n: number(now.unacked) });
}
