/** Transitions sorted by what they are about, for readers who want one kind only. */
import { INDEX_HANDLERS } from "./reduce-index.js";
import { STORE_HANDLERS } from "./reduce-store.js";

const MESSAGES = new Set([
  "Published",
  "PublishedDelivered",
  "Discarded",
  "Fetched",
  "Dropped",
  "PutBack",
  "Acked",
  "Requeued",
  "PendingPurged",
  "ConfirmsDue",
  "ConfirmsSent",
]);
const MEMORY = new Set([
  "AlphasPushed",
  "PendingPaged",
  "BetasPushed",
  "DeltaRead",
  "LaneJoined",
  "DeltaChanged",
  "Reduced",
  "TargetChanged",
  "ModeChanged",
]);
const QUEUE = new Set(["QueueStarted", "QueueStopped", "QueueChanged", "CountersChanged", "ConfirmsDue"]);

/** "messages", "memory", "files" or "node". */
export function groupOf([kind]) {
  if (MESSAGES.has(kind)) return "messages";
  if (MEMORY.has(kind)) return "memory";
  if (kind in INDEX_HANDLERS || kind in STORE_HANDLERS) return "files";
  return "node";
}

/** The queue that a transition concerns, or null: stores and the node belong to all. */
export function queueOf([kind, , name]) {
  const concerns =
    QUEUE.has(kind) || MEMORY.has(kind) || (MESSAGES.has(kind) && kind !== "ConfirmsSent") || kind in INDEX_HANDLERS;
  return concerns ? name : null;
}
