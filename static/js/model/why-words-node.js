/** Sentences for what the node reports to its connections. */
import { gettext } from "./text.js";
import { sentence } from "./why-sentence.js";

/**
 * @import { TransitionOf } from "./catalogue/types.js"
 * @import { Words } from "./why-sentence.js"
 */

/** @param {TransitionOf<"ProcessChanged">} t */
function processChanged({ values }) {
  if (values === null) return sentence("\u2212", "plain", gettext("Process %(process)s ended"));
  if (values.state === "flow" || values.blocked_by?.length)
    return sentence(
      "\u25d0",
      "alarm",
      gettext("%(process)s in flow: it waits for credit from %(by)s"),
      gettext(
        "It used up its credit. Until the receiver has handled more, it holds back its own grants, so the process before it starves too.",
      ),
      { by: (values.blocked_by ?? []).join(", ") || gettext("another process in between") },
    );
  if (values.kind) return sentence("\u25b6", "plain", gettext("Process %(process)s works"));
  return sentence(
    "\u25cb",
    "plain",
    gettext("%(process)s has credit again"),
    gettext("It has not been blocked for one second."),
  );
}

/** @type {Words} */
export const NODE_WORDS = {
  ProcessChanged: processChanged,
  ConnectionBlocked: () =>
    sentence(
      "\u25a0",
      "alarm",
      gettext("connection.blocked to %(actor)s: %(reason)s"),
      gettext("It published while an alarm was set: its socket is not read until the alarm is over."),
    ),
  ConnectionUnblocked: () =>
    sentence(
      "\u25b6",
      "plain",
      gettext("connection.unblocked to %(actor)s"),
      gettext("No alarm is set any more: its socket is read again."),
    ),
};
