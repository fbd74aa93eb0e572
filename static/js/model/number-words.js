/** The numbers that decided a transition, each with what it is called. */
import { KINDS, UNITS } from "./catalogue/kinds.js";
import { bytes, decimal, gettext, number } from "./text.js";

/** @import { Kind, Values } from "./catalogue/types.js" */

/** @type {Record<string, () => string>} */
const NAMES = {
  ack: () => gettext("acknowledged at once"),
  acks: () => gettext("acknowledgements that wait"),
  bytes: () => gettext("bytes"),
  beta_surplus: () => gettext("index entries too many"),
  betas: () => gettext("index entries in RAM"),
  betas_moved: () => gettext("index entries that moved"),
  blocked: () => gettext("waits for credit from the store"),
  boundary: () => gettext("end of the segment"),
  bump: () => gettext("goes on by itself"),
  cap: () => gettext("most in one go"),
  cause: () => gettext("cause"),
  closed: () => gettext("file that is full"),
  code: () => gettext("code"),
  commits: () => gettext("transactions"),
  count: () => gettext("how many"),
  cycling: () => gettext("dead letters dropped because they went in a circle"),
  depth_delta: () => gettext("messages that it lacks"),
  dirty: () => gettext("records in the journal"),
  dropped: () => gettext("messages that were gone already"),
  duration: () => gettext("seconds that a queue is to keep"),
  crashes: () => gettext("crashes of the queue"),
  embedded: () => gettext("bodies that lie in the index"),
  end: () => gettext("up to message"),
  entries: () => gettext("index entries"),
  fraction: () => gettext("share that is garbage"),
  free: () => gettext("free on the disk"),
  from_store: () => gettext("contents read from the store"),
  head_len: () => gettext("messages in the head lane"),
  hint: () => gettext("messages that asked for it"),
  io_batch_size: () => gettext("size of a batch"),
  lazy: () => gettext("lazy mode"),
  left: () => gettext("left over"),
  len: () => gettext("messages in the queue"),
  limit: () => gettext("limit"),
  lost: () => gettext("messages lost"),
  max_journal: () => gettext("most records of the journal"),
  max_length: () => gettext("most messages of the queue"),
  max_length_bytes: () => gettext("most bytes of the queue"),
  mode: () => gettext("mode"),
  moved: () => gettext("records that moved"),
  multiple_to: () => gettext("all up to number"),
  old: () => gettext("target before"),
  opened: () => gettext("new file"),
  order: () => gettext("order of the steps"),
  overflow: () => gettext("when it is full"),
  pending_paged: () => gettext("unacked contents that left RAM"),
  permitted: () => gettext("index entries that may stay"),
  pinned: () => gettext("set by hand"),
  process_memory: () => gettext("memory of the node"),
  quota: () => gettext("contents to move now"),
  ram_msg_count: () => gettext("contents in RAM"),
  rates: () => gettext("messages per second"),
  reclaimed: () => gettext("won back"),
  redelivered: () => gettext("delivered before"),
  reset: () => gettext("the queue begins again"),
  restored: () => gettext("as before the conversion"),
  sent: () => gettext("messages sent"),
  singles: () => gettext("confirmed one by one"),
  size: () => gettext("size of the file"),
  skipped: () => gettext("messages already with consumers"),
  start: () => gettext("from message"),
  step: () => gettext("taken or put back"),
  stop: () => gettext("up to message"),
  surplus: () => gettext("more than may stay"),
  tail_count: () => gettext("messages in the tail"),
  target: () => gettext("target"),
  total: () => gettext("bytes in the store"),
  valid: () => gettext("bytes that are still needed"),
  window: () => gettext("messages that one load asks for, at most"),
};

/** @type {Record<string, () => string>} */
const WORDS = {
  acks_first: () => gettext("unacked first"),
  alphas_first: () => gettext("contents first"),
};

/**
 * Take what a kind of queue calls its own numbers.
 * @param {Record<string, () => string>} names
 */
export function nameNumbers(names) {
  Object.assign(NAMES, names);
}

/** The names of all numbers that have words. */
export const named = () => new Set(Object.keys(NAMES));

/**
 * @param {unknown} value
 * @param {string | undefined} unit
 */
function shown(value, unit) {
  if (typeof value === "number" && unit === "bytes" && value > 4096) return bytes(value);
  if (typeof value === "number") return Number.isInteger(value) ? number(value) : decimal(value, 3);
  if (typeof value === "boolean") return value ? gettext("yes") : gettext("no");
  const text = String(value);
  return WORDS[text]?.() ?? text.replaceAll("_", " ");
}

/**
 * The numbers of `why` as pairs for a list, in words.
 * @param {Values} why
 * @param {Kind} kind
 * @returns {[name: string, value: string][]}
 */
export function numbersOf(why, kind) {
  return Object.entries(why)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([name, value]) => [NAMES[name]?.() ?? name.replaceAll("_", " "), shown(value, KINDS[kind].units?.[name] ?? UNITS[name])]);
}
