/** Which setting governs what a transition did, and what would be otherwise if it were larger. */
import { KINDS } from "./catalogue/kinds.js";
import { largerOf } from "./generations.js";
import { gettext } from "./text.js";

/**
 * @import { AnyTransition } from "./catalogue/types.js"
 * @import { Moment } from "./timeline.js"
 */

/** @typedef {NonNullable<ReturnType<typeof governs>>} Governing the setting behind a transition */

/** @type {() => Record<string, string>} */
const TEXTS = () => ({
  vm_memory_high_watermark_paging_ratio: gettext("Larger: paging begins later, and less room is left before the alarm."),
  vm_memory_high_watermark: gettext("Larger: the node may use more memory before publishers are blocked."),
  disk_free_limit: gettext("Larger: publishers are blocked earlier, and more of the disk stays free."),
  prefetch: gettext("Larger: more messages are with the consumer at once, and each of them is held until its ack."),
  queue_mode: gettext("In lazy mode every message goes to disk at once; default keeps what memory allows in RAM."),
});

/** @type {Record<string, string>} */
const OF_ALARM = { memory: "vm_memory_high_watermark", disk: "disk_free_limit" };

/**
 * The setting's name for a transition, or null where none governs it.
 * @param {AnyTransition} t
 */
export function settingOf({ kind, part, values, why }) {
  // Where a message goes is asked of the lanes alone; only a lazy queue goes by its mode (Q20, Q21).
  if (kind === "Published") return why?.mode === "lazy" ? "queue_mode" : null;
  if (kind === "NodeChanged" && part === "alarms") return OF_ALARM[Object.keys(values ?? {})[0]] ?? null;
  return KINDS[kind].setting ?? null;
}

/**
 * {name, value, larger} of the setting that governs a transition; value is undefined where the node has none of its own.
 * @param {AnyTransition} t
 * @param {Moment} moment in which it happened
 */
export function governs(t, { settings, prefetch }) {
  const name = settingOf(t);
  if (name === null) return null;
  const value = name === "prefetch" ? prefetch : settings[name];
  return { name, value, larger: TEXTS()[name] ?? largerOf(name, t.rule) };
}
