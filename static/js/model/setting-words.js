/** Settings of a node in words: what each is called in a sentence, and its value in its own unit. */
import { bytes, decimal, fill, gettext, number } from "./text.js";

/** @import { Values } from "./catalogue/types.js" */

/** @typedef {[text: () => string, unit: Unit]} SettingName what a setting is called, and what it is counted in */
/** @typedef {"bytes" | "messages" | "ms" | "us" | "share" | "plain" | "yes"} Unit */

/** @type {Record<string, SettingName>} */
const SETTINGS = {
  profile: [() => gettext("constants"), "plain"],
  release: [() => gettext("rules of release"), "plain"],
  ram_bytes: [() => gettext("RAM of the machine"), "bytes"],
  base_memory_bytes: [() => gettext("memory of the empty node"), "bytes"],
  connection_memory_bytes: [() => gettext("memory of a connection"), "bytes"],
  receive_buffer_bytes: [() => gettext("receive buffer of a connection"), "bytes"],
  garbage_lingers_ms: [() => gettext("a body that left RAM still counts for"), "ms"],
  processes_collect_garbage: [() => gettext("processes collect their own garbage"), "yes"],
  desired_hibernate_ms: [() => gettext("wait before sleep, when woken early"), "ms"],
  connection_bytes_per_s: [() => gettext("a connection carries per second"), "bytes"],
  client_trip_us: [() => gettext("the way to a client and back takes"), "us"],
  running_since_ms: [() => gettext("the node had run for"), "ms"],
  memory_monitor_after_ms: [() => gettext("first target after"), "ms"],
  vm_memory_high_watermark: [() => gettext("watermark"), "share"],
  vm_memory_high_watermark_paging_ratio: [() => gettext("paging ratio"), "share"],
  vm_memory_calculation_strategy: [() => gettext("memory is counted as"), "plain"],
  memory_check_interval_ms: [() => gettext("memory is checked every"), "ms"],
  memory_monitor_interval_ms: [() => gettext("targets are computed every"), "ms"],
  rate_timer_ms: [() => gettext("a queue reports after"), "ms"],
  queue_sync_interval_ms: [() => gettext("an idle journal is synced after"), "ms"],
  hibernate_after_ms: [() => gettext("an idle queue sleeps after"), "ms"],
  unsent_message_limit: [() => gettext("messages on the way to a consumer"), "messages"],
  max_messages: [() => gettext("most messages of this session"), "messages"],
  max_disk_bytes: [() => gettext("room of this session's files"), "bytes"],
  queue_durable: [() => gettext("durable queue"), "yes"],
  disk_total_bytes: [() => gettext("size of the disk"), "bytes"],
  disk_free_bytes_other: [() => gettext("what else is on the disk"), "bytes"],
  disk_free_limit: [() => gettext("limit of free disk space"), "bytes"],
  work_profile: [() => gettext("machine"), "plain"],
  credit_flow_initial: [() => gettext("credit of readers and channels"), "messages"],
  credit_flow_more: [() => gettext("credit that they get again"), "messages"],
  nodes: [() => gettext("nodes"), "messages"],
  ring_hop_us: [() => gettext("one hop of the ring takes"), "us"],
  queue_master_locator: [() => gettext("masters begin on"), "plain"],
  target_ram_count: [() => gettext("target set by hand"), "messages"],
  queue_mode: [() => gettext("queue mode"), "plain"],
  segment_entry_count: [() => gettext("entries of a segment"), "messages"],
  msg_store_file_size_limit: [() => gettext("size of a store file"), "bytes"],
  msg_store_credit_initial: [() => gettext("credit for the store"), "messages"],
  msg_store_credit_more: [() => gettext("credit that the store grants again"), "messages"],
  msg_store_credit_disc_bound: [() => gettext("credit for the store"), "plain"],
  write_buffer_bytes: [() => gettext("write buffer"), "bytes"],
  store_max_cache_size: [() => gettext("cache of the queue's own store"), "bytes"],
  window_cap: [() => gettext("messages of one load"), "messages"],
};

/**
 * Take what a kind of queue calls the settings that only it has.
 * @param {Record<string, SettingName>} names
 */
export function nameSettings(names) {
  Object.assign(SETTINGS, names);
}

/**
 * A value in its unit: bytes as KiB, milliseconds as they are, what is not set as a dash or infinity.
 * @param {unknown} value
 * @param {Unit} unit
 * @returns {string}
 */
function inUnit(value, unit) {
  if (value === null || value === undefined) return unit === "messages" || unit === "bytes" ? "\u221e" : "\u2013";
  if (Array.isArray(value)) return value.map((each) => (typeof each === "number" ? number(each) : String(each))).join(" / ");
  if (typeof value === "boolean") return value ? gettext("yes") : gettext("no");
  if (typeof value === "object") return Object.values(value).map((each) => inUnit(each, unit)).join(" ");
  if (typeof value !== "number") return String(value);
  if (unit === "bytes") return bytes(value);
  if (unit === "ms") return fill(gettext("%(n)s ms"), { n: number(value) });
  if (unit === "us") return fill(gettext("%(n)s ms"), { n: decimal(value / 1000, 3) });
  // A watermark may be so many bytes as well as a share of the RAM (M8).
  if (unit === "share") return value > 10 ? bytes(value) : decimal(value, 4);
  return Number.isInteger(value) ? number(value) : decimal(value, 3);
}

/** The names of all settings that have words. */
export const named = () => new Set(Object.keys(SETTINGS));

/**
 * "paging ratio 0.6, watermark 0.4": settings that changed, in words; without those that have none.
 * @param {Values} values
 */
export function settingsText(values) {
  return Object.entries(values)
    .filter(([name]) => name in SETTINGS)
    .map(([name, value]) => `${SETTINGS[name][0]()} ${inUnit(value, SETTINGS[name][1])}`)
    .join(gettext(", "));
}
