/** What larger values of settings would mean for queues of version 2. */
import { gettext } from "../../../model/text.js";

/** @type {() => Record<string, string>} */
export const LARGER = () => ({
  queue_index_embed_msgs_below: gettext("Larger: bigger messages lie in the queue's own .qs files instead of the message store."),
  segment_entry_count: gettext("Larger: one file has more slots, and one live message keeps more dead ones beside it."),
  msg_store_file_size_limit: gettext("Larger: fewer files, and more garbage stays before one of them is worth compacting."),
  write_buffer_bytes: gettext("Larger: fewer writes to the file, and a kill loses more that was not written."),
});
