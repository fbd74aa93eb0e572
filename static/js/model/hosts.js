/**
 * Virtual hosts: the twin of engine/values/labels.py. What is in another one than the first has that host's name and a line
 * break before its own name; no broker's name contains a line break.
 *
 * A page shows one virtual host. What is the node's, such as its memory, counts all of them.
 */

import { learn } from "./columns.js";

/** @import { RunSnapshot, Transition, Values } from "./catalogue/types.js" */

export const FIRST_HOST = "/";
const BREAK = "\n";

/**
 * The virtual host in which something is.
 * @param {string} label
 */
export function hostOf(label) {
  const at = label.indexOf(BREAK);
  return at < 0 ? FIRST_HOST : label.slice(0, at);
}

/**
 * The name that something has in its virtual host.
 * @param {string} label
 */
export function bare(label) {
  return label.slice(label.lastIndexOf(BREAK) + 1);
}

/**
 * How a node calls what has a name in a virtual host.
 * @param {string} vhost
 * @param {string} name
 */
export function inHost(vhost, name) {
  return vhost === FIRST_HOST ? name : `${vhost}${BREAK}${name}`;
}

/** What names the virtual host of a transition, in this order. */
const WHERE = ["queue", "store", "actor", "exchange", "policy", "process"];
/** What is shown of a queue or an actor and is a name in its virtual host: as in engine/reading/message_places.py. */
const NAMED = ["queue", "exchange", "part_of", "mirror_of"];
/** Commands that are about the node; all others name something in a virtual host. */
const OF_NODE = new Set(
  "restart stop_app start_app ask_queues ctl kill_node stop_node start_node add_vhost delete_vhost".split(" "),
);
/** Settings that a queue has; the others are the node's. */
const OF_QUEUE = new Set(["target_ram_count", "queue_mode"]);

let chosen = FIRST_HOST;
let free = false;

/**
 * Show another virtual host from the next state on; with null the first that has a queue then.
 * @param {string | null} vhost
 */
export function showHost(vhost) {
  chosen = vhost ?? FIRST_HOST;
  free = vhost === null;
}

/**
 * Choose the virtual host of a state that is the first to be shown, where nobody has.
 * @param {RunSnapshot} state
 */
export function chooseHost({ queues, node }) {
  if (!free || !node.vhosts) return;
  const used = new Set(Object.keys(queues).map(hostOf));
  chosen = node.vhosts.find((each) => used.has(each)) ?? FIRST_HOST;
  free = false;
}

/** The virtual host that is shown. */
export function shownHost() {
  return chosen;
}

/**
 * The names of the virtual hosts, the oldest first.
 * @param {RunSnapshot} state
 * @returns {string[]}
 */
export function hostsOf({ node }) {
  return node.vhosts ?? [FIRST_HOST];
}

/**
 * What of a state is in the virtual host that is shown, with names as they are in it. Twin: engine/reading/message_places.py.
 * @param {RunSnapshot} state
 * @returns {RunSnapshot}
 */
export function stateHere(state) {
  learn(state.node.bodies);
  if (!several(state)) return state;
  const { node } = state;
  return {
    queues: tableHere(state.queues),
    stores: tableHere(state.stores),
    node: {
      ...node,
      clock: chosen === FIRST_HOST ? node.clock : {},
      actors: tableHere(node.actors),
      exchanges: tableHere(node.exchanges),
      policies: tableHere(node.policies),
      processes: processesHere(node.processes ?? {}),
      bindings: node.bindings
        .filter((each) => hostOf(each.queue) === chosen)
        .map((each) => ({ ...each, exchange: bare(each.exchange), queue: bare(each.queue) })),
    },
  };
}

/** @param {RunSnapshot} state */
function several(state) {
  return chosen !== FIRST_HOST || Boolean(state.node.vhosts);
}

/**
 * @template T
 * @param {Record<string, T>} table
 * @returns {Record<string, T>}
 */
function tableHere(table) {
  const here = Object.entries(table).filter(([name]) => hostOf(name) === chosen);
  return Object.fromEntries(here.map(([name, value]) => [bare(name), bared(value)]));
}

/**
 * @template T
 * @param {T} value
 * @returns {T}
 */
function bared(value) {
  if (!value || typeof value !== "object" || Array.isArray(value)) return value;
  const found = /** @type {Values} */ ({ ...value });
  for (const name of NAMED) if (typeof found[name] === "string") found[name] = bare(found[name]);
  return /** @type {T} */ (found);
}

/** @param {Record<string, Values>} processes */
function processesHere(processes) {
  /** @type {Record<string, Values>} */
  const here = {};
  for (const [id, value] of Object.entries(processes)) {
    const place = processOf(id);
    if (place.kind === "monitor" || hostOf(place.name) === chosen) here[`${place.kind}:${bare(place.name)}`] = value;
  }
  return here;
}

/** @param {string} id */
function processOf(id) {
  const at = id.indexOf(":");
  return { kind: id.slice(0, at), name: id.slice(at + 1) };
}

/**
 * A transition as the virtual host that is shown has it; something that stands for it where it happened in another one.
 * @param {Transition} t
 * @param {RunSnapshot} state the one before it
 * @returns {Transition}
 */
export function transitionHere(t, state) {
  if (!several(state)) return t;
  const vhost = hostOfTransition(t);
  if (vhost === null) return t;
  if (vhost !== chosen) return { kind: "HappenedElsewhere", rule: t.rule, vhost, what: t.kind };
  if (chosen === FIRST_HOST) return t;
  return /** @type {Transition} */ (Object.fromEntries(Object.entries(t).map(([name, value]) => [name, named(name, value)])));
}

/**
 * The virtual host of a transition, or null where it is the node's.
 * @param {Values} t
 * @returns {string | null}
 */
function hostOfTransition(t) {
  if (t.kind === "NodeChanged") return t.part === "clock" ? FIRST_HOST : null;
  const label = WHERE.map((name) => t[name]).find((each) => typeof each === "string");
  if (label === undefined) return null;
  if (t.kind !== "ProcessChanged") return hostOf(label);
  const { kind, name } = processOf(label);
  return kind === "monitor" ? null : hostOf(name);
}

/**
 * A field of a transition with its names as they are in their virtual host.
 * @param {string} field
 * @param {unknown} value
 */
function named(field, value) {
  if (field === "text") return value;
  if (field === "process" && typeof value === "string") {
    const { kind, name } = processOf(value);
    return `${kind}:${bare(name)}`;
  }
  if (typeof value === "string") return bare(value);
  if (field === "values") return bared(value);
  return field === "to" && Array.isArray(value) ? value.map(bare) : value;
}

/**
 * A command as it is given in the virtual host that is shown.
 * @param {Values} command
 * @returns {Values}
 */
export function commandHere(command) {
  const ofNode = OF_NODE.has(command.do) || (command.do === "set" && !OF_QUEUE.has(command.name));
  return chosen === FIRST_HOST || ofNode ? command : { ...command, vhost: chosen };
}
