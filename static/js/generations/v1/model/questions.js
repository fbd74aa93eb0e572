/** What the printed status of a queue of version 1 makes one ask: sentences of Inspect, by their codes. */
import { gettext, ngettext } from "../../../model/text.js";

/** @import { Values } from "../../../model/catalogue/types.js" */

/** @type {(values: Values) => Record<string, string>} */
export const QUESTIONS = ({ count = 0, length = 0 }) => ({
  grows_in_delta: gettext("avg_ingress_rate (%(ingress)s) is above avg_egress_rate (%(egress)s): delta is growing. Who is slow?"),
  delta: ngettext("%(count)s message is in delta: RAM knows only its number. It comes back by a read of a segment.", "%(count)s messages are in delta: RAM knows only their range. Each comes back by a read of a segment.", count),
  lazy: gettext("The queue is lazy, and yet messages are in q1 or q4. Was its mode changed a moment ago?"),
  target: gettext("target_ram_count is %(target)s, not infinity: memory is above the paging threshold. What fills it?"),
  no_ram: ngettext("The content of the only message is not in RAM: its delivery reads from disk.", "None of %(length)s messages has its content in RAM: every delivery reads from disk.", length),
});
