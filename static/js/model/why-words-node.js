/** Sentences for what the node tells its connections. */
import { gettext } from "./text.js";
import { said } from "./why-said.js";

export const NODE_WORDS = {
  ConnectionBlocked: (row) =>
    said(
      "\u25a0",
      "alarm",
      gettext("connection.blocked to %(actor)s: %(reason)s"),
      gettext("It published while an alarm was set: its socket is not read until the alarm is over."),
      { actor: row[2], reason: row[3] },
    ),
  ConnectionUnblocked: (row) =>
    said(
      "\u25b6",
      "plain",
      gettext("connection.unblocked to %(actor)s"),
      gettext("No alarm is set any more: its socket is read again."),
      { actor: row[2] },
    ),
};
