/** What the printed status of a queue of version 2 makes one ask: sentences of Inspect, by their codes. */
import { gettext, ngettext } from "../../../model/text.js";

/** @import { Values } from "../../../model/catalogue/types.js" */

/** @type {(values: Values) => Record<string, string>} */
export const QUESTIONS = ({ count = 0 }) => ({
  version_2: gettext("This queue has version 2 of the storage, printed under the names of version 1 as releases up to 4.0 do: the lane nearest to the consumers is the head lane, and what is only counted is the tail, on disk (W10)."),
  version_2_named: gettext("RabbitMQ 4.3 printed this, or a release near it: q_head is the head lane, in memory, and q_tail the tail, on disk (W10)."),
  tail: ngettext("%(count)s message waits in the tail, on disk: memory does not grow with it (W70). At this egress rate one load brings at most %(window)s to the head lane (W32).", "%(count)s messages wait in the tail, on disk: memory does not grow with them (W70). At this egress rate one load brings at most %(window)s of them to the head lane (W32).", count),
  grows_in_tail: gettext("More comes in than goes out (%(ingress)s and %(egress)s per second): the tail grows on disk. Who is slow?"),
  counted_deliveries: gettext("delivery_count names messages that were given back or whose consumer died: %(count)s. They come back as redelivered (W42)."),
});
