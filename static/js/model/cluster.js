/** The nodes of a cluster, and what each of them has of a queue. */
import { lanesOf, memberOf } from "./places.js";
import { lengthOf, pendingOf, readyOf } from "./messages.js";

/**
 * How a failover ended: `what` is promoted, refused or down, `node` the one that is gone, `lost` how many messages.
 * @typedef {{ what: string, node: string | null, master: string | null, lost: number }} Failover
 */

/**
 * What one node has of a queue. `lacks` is how many messages its mirror has less than the master, or "unknown"; `held`
 * counts copies that the master has not reported yet.
 * @typedef {Values & { node: string, role: string, label: string | null, lanes: { place: string, count: number }[], ready: number, unacked: number, held?: number, lacks?: number | "unknown" }} Member
 */

/**
 * @import { RunSnapshot, Values } from "./catalogue/types.js"
 * @import { Line } from "./timeline.js"
 */

/**
 * Names of the cluster's nodes; none where there is only one.
 * @param {RunSnapshot} state
 */
export function nodesOf(state) {
  return Object.keys(state.node.cluster ?? {})
    .filter((key) => key.endsWith("_up"))
    .map((key) => key.slice(0, -"_up".length))
    .sort();
}

/**
 * The queue that a shown one belongs to: itself, or the one that it mirrors.
 * @param {RunSnapshot} state
 * @param {string} shown
 */
export function mirroredQueue(state, shown) {
  return state.queues[shown]?.mirror_of ?? shown;
}

/**
 * What one node has of a queue: its role there (master, mirror, none or down), what it would bring back, and how full
 * its memory is. `label` is the name of its member among the state's queues.
 * @param {RunSnapshot} state
 * @param {string} name
 * @param {string} node
 * @returns {Member}
 */
export function nodeOf(state, name, node) {
  const { cluster } = state.node;
  const master = state.queues[name];
  const mirror = state.queues[memberOf(name, node)];
  const up = cluster[`${node}_up`];
  /** @type {Member} */
  const found = {
    node,
    up,
    memory: cluster[`${node}_memory_bytes`],
    limit: cluster[`${node}_limit_bytes`],
    alarm: cluster[`${node}_alarm`],
    diskAlarm: Boolean(cluster[`${node}_disk_alarm`]),
    role: "none",
    label: null,
    lanes: [],
    ready: 0,
    unacked: 0,
  };
  if (!up) return { ...found, role: "down" };
  const label = mirror ? memberOf(name, node) : master?.node === node ? name : null;
  if (label === null) return found;
  const queue = state.queues[label];
  return {
    ...found,
    label,
    role: mirror ? "mirror" : "master",
    synchronised: !mirror || mirror.depth_delta === 0,
    lacks: mirror ? mirror.depth_delta : 0,
    held: mirror?.held_copies ?? 0,
    frozen: Boolean(mirror?.frozen),
    syncing: Boolean(queue.syncing),
    lanes: lanesOf(queue).map((place) => ({ place, count: lengthOf(queue, place) })),
    ready: readyOf(queue),
    unacked: pendingOf(queue),
  };
}

/**
 * How many messages a master has, ready and unacknowledged; null without a living master.
 * @param {RunSnapshot} state
 * @param {string} name
 */
export function depthOf(state, name) {
  const queue = state.queues[name];
  return queue ? readyOf(queue) + pendingOf(queue) : null;
}

/**
 * What the strip of a node shows, from the tail to the head: the places of its member, what the channels sent it that
 * the master has not reported yet, what it lacks, and what the last failover lost. Together as long as the master's.
 * @param {Member} member
 * @param {number} depth
 * @param {number} lost
 */
export function stripOf({ role, lanes, unacked, held, lacks }, depth, lost) {
  const has = lanes.reduce((sum, { count }) => sum + count, 0) + unacked;
  const missing = lacks === "unknown" ? Math.max(0, depth - has) : (lacks ?? 0);
  return [
    { place: "held", count: held ?? 0 },
    ...lanes,
    { place: "unacked", count: unacked },
    { place: "lacks", count: role === "mirror" ? missing : 0 },
    { place: "lost", count: role === "master" ? lost : 0 },
  ].filter(({ count }) => count > 0);
}

const ENDS_FAILOVER = new Set(["NodeStarted", "SyncStarted"]);

/**
 * The last failover of a queue among the lines of the narrative, until a node starts or its mirrors are filled: `what`
 * is promoted, refused (no mirror may be promoted) or down, `node` the one that is gone, `lost` how many messages.
 * @param {Line[]} lines
 * @param {RunSnapshot} state
 * @param {string} queue
 */
export function failoverOf(lines, state, queue) {
  /** @type {Failover | null} */
  let found = null;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const { t } = lines[at];
    if (ENDS_FAILOVER.has(t.kind)) return found;
    if (t.kind === "QueuePromoted" && t.queue === queue && !found)
      found = { what: "promoted", node: null, master: t.node ?? null, lost: Number(t.why?.lost ?? 0) };
    if (t.kind === "MirrorLeft" && t.queue === queue && t.how === "refused" && !found)
      found = { what: "refused", node: null, master: null, lost: 0 };
    if (t.kind === "NodeStopped" && found) return { ...found, node: t.node ?? null };
    if (t.kind === "NodeStopped" && !state.queues[queue])
      return { what: "down", node: t.node ?? null, master: null, lost: 0 };
  }
  return found;
}
