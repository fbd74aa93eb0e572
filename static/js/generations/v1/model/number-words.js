/** What the numbers of version 1 are called: those of its lanes. */
import { gettext } from "../../../model/text.js";

/** @type {Record<string, () => string>} */
export const LANE_NUMBERS = {
  delta_count: () => gettext("messages in delta"),
  delta_start: () => gettext("first message of delta"),
  q1_moved: () => gettext("contents that left q1"),
  q2: () => gettext("messages in q2"),
  q2_to_delta: () => gettext("messages from q2 to delta"),
  q3: () => gettext("messages in q3"),
  q3_head: () => gettext("first message of q3"),
  q3_len: () => gettext("messages in q3"),
  q3_to_delta: () => gettext("messages from q3 to delta"),
  q4_moved: () => gettext("contents that left q4"),
  ram_pending: () => gettext("unacked contents in RAM"),
};
