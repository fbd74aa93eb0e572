/** The sentence above the stage after a start: how many messages were lost and how many are back. */
import { KINDS } from "./catalogue/kinds.js";
import { outcomeText } from "./fate-words.js";
import { readyOf } from "./messages.js";
import { shownQueue, shownState } from "./shown.js";
import { gettext } from "./text.js";

/**
 * @import { RunSnapshot } from "./catalogue/types.js"
 * @import { Line } from "./timeline.js"
 */

/**
 * {text, tone} while the shown queue is as its last start left it; else null.
 * @param {RunSnapshot} state
 * @param {Line[]} lines
 */
export function restarted(state, lines) {
  const name = shownQueue(state);
  const line = lines.findLast(({ t, fate }) => t.queue === name && (fate || KINDS[t.kind].group === "messages"));
  if (!line?.fate) return null;
  const rest = readyOf(shownState(state)) ? gettext("Everything in the files is delta until it is read.") : "";
  return { tone: "delta", text: `${outcomeText(line.fate)}. ${rest}`.trim() };
}
