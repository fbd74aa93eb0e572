/** Transitions sorted by what they are about, for a list of one kind only. */
import { KINDS } from "./catalogue/kinds.js";

/** @import { AnyTransition } from "./catalogue/types.js" */

/**
 * "messages", "memory", "files" or "node".
 * @param {{ kind: string }} t
 */
export function groupOf({ kind }) {
  return KINDS[kind].group;
}

/**
 * The queue that a transition concerns, or null: stores and the node belong to all.
 * @param {AnyTransition} t
 */
export function queueOf(t) {
  return t.queue ?? null;
}
