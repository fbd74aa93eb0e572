/** Transitions sorted by what they are about, for readers who want one kind only. */
import { KINDS } from "./catalogue/kinds.js";

/** "messages", "memory", "files" or "node". */
export function groupOf({ kind }) {
  return KINDS[kind].group;
}

/** The queue that a transition concerns, or null: stores and the node belong to all. */
export function queueOf(t) {
  return t.queue ?? null;
}
