/** The sentence above the stage after a start: how many messages were lost and how many are back. */
import { KINDS } from "./catalogue/kinds.js";
import { outcomeText } from "./fate-words.js";
import { readyOf } from "./messages.js";
import { shownQueue, shownState } from "./shown.js";
import { gettext } from "./text.js";

/**
 * Whether a transition does more to a queue's messages than its start did: a start forgets transient messages that it reads (Q34), and
 * looks at the head, which stays.
 * @param {AnyTransition} t
 */
export const endsRestart = (t) =>
  KINDS[t.kind].group === "messages" && t.why?.cause !== "transient_lost" && !(t.source && t.source === t.to);

/**
 * @import { AnyTransition, RunSnapshot } from "./catalogue/types.js"
 * @import { Line } from "./timeline.js"
 */

/**
 * {text, tone} while the shown queue is as its last start left it; else null.
 * @param {RunSnapshot} state
 * @param {Line[]} lines
 */
export function restarted(state, lines) {
  const name = shownQueue(state);
  const line = lines.findLast(({ t, fate }) => t.queue === name && (fate || endsRestart(t)));
  if (!line?.fate) return null;
  const rest = readyOf(shownState(state)) ? gettext("Everything in the files is delta until it is read.") : "";
  return { tone: "delta", text: `${outcomeText(line.fate)}. ${rest}`.trim() };
}
