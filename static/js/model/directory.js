/** The directory of a node, computed from its state: which files there are now, with their sizes (S1-S7). Pure. */
import { STORE_FILE as F } from "./catalogue/rows.js";
import { generationOf } from "./generations.js";
import { md5 } from "./md5.js";

/** @import { QueueSnapshot, RunSnapshot } from "./catalogue/types.js" */

const VHOST = "/";
/** How deep a queue's directory is in the tree. */
const OF_QUEUE = 3;
/** @typedef {{ depth: number, name: string, bytes: number | null, of: string | null }} FileLine a line of the tree */

/** @type {Map<string, string>} */
const names = new Map();

/**
 * The broker's name for a directory: MD5 in base 36, upper case (S1).
 * @param {string} text
 */
export function hashed(text) {
  if (!names.has(text)) {
    const digits = [...md5(new TextEncoder().encode(text))].map((each) => each.toString(16).padStart(2, "0"));
    names.set(text, BigInt(`0x${digits.join("")}`).toString(36).toUpperCase());
  }
  return names.get(text);
}

/**
 * Lines of the tree from the top: {depth, name, bytes, of}; `bytes` null for a directory, `of` whose it is.
 * @param {RunSnapshot} state
 */
export function directoryOf(state) {
  /** @type {FileLine[]} */
  const lines = [
    { depth: 0, name: "msg_stores/vhosts/", bytes: null, of: null },
    { depth: 1, name: `${hashed(VHOST)}/`, bytes: null, of: `vhost ${VHOST}` },
  ];
  for (const side of Object.keys(state.stores)) {
    lines.push({ depth: 2, name: `msg_store_${side}/`, bytes: null, of: null });
    for (const file of state.stores[side].files)
      lines.push({ depth: 3, name: `${file[F.number]}.rdq`, bytes: file[F.disk_bytes], of: null });
  }
  lines.push({ depth: 2, name: "queues/", bytes: null, of: null });
  for (const [name, queue] of Object.entries(state.queues)) lines.push(...filesOf(name, queue));
  return lines;
}

/**
 * Whether no queue has a directory yet: nothing has been recorded in an index.
 * @param {FileLine[]} lines
 */
export function awaitsFirstRecord(lines) {
  return !lines.some((line) => line.depth === OF_QUEUE && line.of !== null);
}

/**
 * @param {string} name
 * @param {QueueSnapshot} queue
 * @returns {FileLine[]}
 */
function filesOf(name, queue) {
  const files = generationOf(queue).files(queue.own);
  if (!files.length) return [];
  const directory = { depth: OF_QUEUE, name: `${hashed(`queue${VHOST}${name}`)}/`, bytes: null, of: name };
  return [directory, ...files.map((file) => ({ ...file, depth: OF_QUEUE + 1, of: null }))];
}
