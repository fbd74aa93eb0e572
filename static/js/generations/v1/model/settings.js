/** The settings that only version 1 has: what they are called, and what larger values would mean. */
import { gettext } from "../../../model/text.js";

/** @import { SettingName } from "../../../model/setting-words.js" */

/** @type {Record<string, SettingName>} */
export const OWN_SETTINGS = {
  queue_index_embed_msgs_below: [() => gettext("bodies in the index below"), "bytes"],
  queue_index_max_journal_entries: [() => gettext("entries of the journal"), "messages"],
  msg_store_io_batch_size: [() => gettext("batch that moves to delta"), "messages"],
  explicit_gc_run_operation_threshold: [() => gettext("publishes between two reductions"), "messages"],
  delta_read_cap: [() => gettext("messages of one read from delta"), "messages"],
};

/** @type {() => Record<string, string>} */
export const LARGER = () => ({
  queue_index_embed_msgs_below: gettext(
    "Larger: bigger messages live inside the index, so their content stays in RAM in every lane but delta.",
  ),
  msg_store_io_batch_size: gettext("Larger: more entries gather in q2 and q3 before they are moved to delta together."),
  segment_entry_count: gettext("Larger: one segment holds more; in 3.8 and 3.10 one read from delta then brings back more and takes longer."),
  explicit_gc_run_operation_threshold: gettext(
    "Larger: publishes reduce memory more rarely, so that RAM swings farther over the target.",
  ),
  queue_sync_interval_ms: gettext("Larger: fewer fsyncs of the journal, and confirms wait longer for them."),
  queue_index_max_journal_entries: gettext(
    "Larger: the journal is emptied more rarely, and a restart has more of it to read.",
  ),
  write_buffer_bytes: gettext("Larger: fewer writes to the file, and a crash loses more that was not synced."),
  msg_store_file_size_limit: gettext(
    "Larger: fewer files, and more garbage stays before two of them are worth combining.",
  ),
});
