/** The nodes of a cluster, and what each of them has of a queue. */
import { lanesOf } from "./places.js";
import { lengthOf, pendingOf, readyOf } from "./messages.js";

/** Names of the cluster's nodes; none where there is only one. */
export function nodesOf(state) {
  return Object.keys(state.node.cluster ?? {})
    .filter((key) => key.endsWith("_up"))
    .map((key) => key.slice(0, -"_up".length))
    .sort();
}

/** The queue that a shown one belongs to: itself, or the one that it mirrors. */
export function mirroredQueue(state, shown) {
  return state.queues[shown]?.mirror_of ?? shown;
}

/**
 * What one node has of a queue: its role there (master, mirror, none or down), what it would bring back, and how full
 * its memory is. `label` is the name of its member among the state's queues.
 */
export function nodeOf(state, name, node) {
  const { cluster } = state.node;
  const master = state.queues[name];
  const mirror = state.queues[`${name}@${node}`];
  const up = cluster[`${node}_up`];
  const found = {
    node,
    up,
    memory: cluster[`${node}_memory_bytes`],
    limit: cluster[`${node}_limit_bytes`],
    alarm: cluster[`${node}_alarm`],
    role: "none",
    label: null,
    lanes: [],
    ready: 0,
    unacked: 0,
  };
  if (!up) return { ...found, role: "down" };
  const label = mirror ? `${name}@${node}` : master?.node === node ? name : null;
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

/** How many messages a master has, ready and unacknowledged; null without a living master. */
export function depthOf(state, name) {
  const queue = state.queues[name];
  return queue ? readyOf(queue) + pendingOf(queue) : null;
}
