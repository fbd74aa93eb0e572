/** Which setting governs what a transition did, and what would be otherwise if it were larger. */
import { KINDS } from "./catalogue/kinds.js";
import { largerOf } from "./generations.js";
import { gettext } from "./text.js";

/** @import { AnyTransition, State } from "./catalogue/types.js" */

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
export function settingOf({ kind, part, values }) {
  if (kind === "NodeChanged" && part === "alarms") return OF_ALARM[Object.keys(values ?? {})[0]] ?? null;
  return KINDS[kind].setting ?? null;
}

/**
 * {name, value, larger} of the setting that governs a transition; value is undefined where the node has none of its own.
 * @param {AnyTransition} t
 * @param {State} state
 */
export function governs(t, state) {
  const name = settingOf(t);
  if (name === null) return null;
  const value = name === "prefetch" ? prefetchOf(state) : state.node.settings[name];
  return { name, value, larger: TEXTS()[name] ?? largerOf(name) };
}

/**
 * The prefetch of the consumers, where they agree.
 * @param {State} state
 */
function prefetchOf(state) {
  const found = new Set(
    Object.values(state.node.actors)
      .filter((actor) => actor.role === "consumer")
      .map((actor) => actor.prefetch),
  );
  return found.size === 1 ? [...found][0] : undefined;
}
