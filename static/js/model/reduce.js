/**
 * The fold of the page: state after = fold(state before, transitions), the twin of engine/folding.
 *
 * Handlers change the state they are given; a batch of rows is one call, so nothing is copied per transition.
 * A transition is an object with the names of its fields in engine/transitions.py, as `decode` makes it.
 */
import { learn } from "./columns.js";
import { decode } from "./catalogue/rows.js";
import { KINDS } from "./catalogue/kinds.js";
import { ofTransition } from "./generations.js";
import { FIRST_HOST, hostOf } from "./hosts.js";
import { begun, queueOf, rearrange, recount } from "./queue-state.js";
import { aboutPlace } from "./places.js";
import { EXTENTS, insert, remove } from "./stretches.js";

/** @import { BindingState, Handlers, Kind, RunSnapshot, Transition, TransitionOf, TransitionRow, Values } from "./catalogue/types.js" */

/**
 * The state before anything happened.
 * @returns {RunSnapshot}
 */
export function emptyState() {
  return {
    queues: {},
    stores: {},
    node: {
      settings: {},
      memory: {},
      disk: {},
      alarms: {},
      clock: {},
      work: {},
      app: {},
      cluster: {},
      bodies: {},
      actors: {},
      processes: {},
      exchanges: {},
      bindings: [],
      policies: {},
    },
  };
}

/**
 * Messages change place: the whole of Shift and its kinds.
 * @param {RunSnapshot} state
 * @param {TransitionOf<"Published">} t
 */
function shift(state, t) {
  const queue = queueOf(state, t.queue);
  if (t.source !== null && !aboutPlace(t.source).counted) {
    const rows = (queue.lanes[t.source] ??= []);
    for (const [start, count] of t.extents) remove(rows, start, count, EXTENTS);
  }
  if (t.to !== null && !aboutPlace(t.to).counted) {
    const rows = (queue.lanes[t.to] ??= []);
    for (const extent of t.extents) insert(rows, extent, EXTENTS);
  }
  if (t.record !== null) recount(queue, t.record);
}

/**
 * Every kind by which messages change place is folded alike.
 * @type {Handlers}
 */
const SHIFT_HANDLERS = Object.fromEntries(
  Object.keys(KINDS)
    .filter((kind) => KINDS[kind].fold === "shift")
    .map((kind) => [kind, shift]),
);

/** @type {Handlers} */
const QUEUE_HANDLERS = {
  CountersChanged: (state, t) => {
    Object.assign(queueOf(state, t.queue).counters, t.values);
  },
  TargetChanged: (state, t) => {
    queueOf(state, t.queue).counters.target_ram_count = t.target;
  },
  ModeChanged: (state, t) => {
    queueOf(state, t.queue).mode = t.mode;
  },
  QueueChanged: (state, t) => {
    const queue = queueOf(state, t.queue);
    const { backing_queue: before } = queue;
    for (const [key, value] of Object.entries(t.values)) {
      if (value === null) delete queue[key];
      else queue[key] = value;
    }
    if (queue.backing_queue !== before) rearrange(queue);
  },
  QueueStarted: (state, { queue, mode, durable, record, values }) => {
    state.queues[queue] = { ...begun(queueOf(state, queue)), mode, durable, counters: { ...values } };
    recount(state.queues[queue], record);
  },
};

/** @type {Handlers} */
const NODE_HANDLERS = {
  NodeChanged: (state, t) => {
    const parts = /** @type {Record<string, object>} */ (/** @type {unknown} */ (state.node));
    Object.assign((parts[t.part] ??= {}), t.values);
    if (t.part === "bodies") learn(state.node.bodies);
  },
  ActorChanged: (state, { actor, values }) => {
    if (values === null) delete state.node.actors[actor];
    else Object.assign((state.node.actors[actor] ??= {}), values);
  },
  ProcessChanged: (state, { process, values }) => {
    if (values === null) delete state.node.processes?.[process];
    else Object.assign(((state.node.processes ??= {})[process] ??= {}), values);
  },
};

/** @type {(keyof BindingState)[]} what makes a binding, besides its arguments */
const BINDING_FIELDS = ["exchange", "queue", "routing_key", "to"];

/**
 * Values compared whatever the order of their names.
 * @param {Values} one
 * @param {Values} other
 */
function same(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** @param {BindingState} t */
function bindingOf(t) {
  return { exchange: t.exchange, queue: t.queue, routing_key: t.routing_key, arguments: t.arguments, to: t.to };
}

/**
 * Exchanges, bindings and policies: the twin of engine/folding.py.
 * @type {Handlers}
 */
const AMQP_HANDLERS = {
  ExchangeDeclared: (state, { exchange, values }) => {
    state.node.exchanges[exchange] = values;
  },
  ExchangeDeleted: (state, { exchange }) => {
    delete state.node.exchanges[exchange];
  },
  QueueBound: (state, t) => {
    state.node.bindings = [...state.node.bindings, bindingOf(t)];
  },
  QueueUnbound: (state, t) => {
    const gone = bindingOf(t);
    const at = state.node.bindings.findIndex(
      (each) =>
        BINDING_FIELDS.every((field) => each[field] === gone[field]) && same(each.arguments, gone.arguments),
    );
    state.node.bindings = state.node.bindings.filter((_, index) => index !== at);
  },
  PolicySet: (state, { policy, values }) => {
    state.node.policies[policy] = values;
  },
  PolicyCleared: (state, { policy }) => {
    delete state.node.policies[policy];
  },
  VhostAdded: ({ node }, { vhost }) => {
    node.vhosts = [...(node.vhosts ?? [FIRST_HOST]), vhost];
  },
  VhostDeleted: ({ node, stores }, { vhost }) => {
    const left = (node.vhosts ?? []).filter((each) => each !== vhost);
    if (left.length > 1) node.vhosts = left;
    else delete node.vhosts;
    for (const table of [node.exchanges, node.policies, stores]) {
      for (const name of Object.keys(table)) if (hostOf(name) === vhost) delete table[name];
    }
    node.bindings = node.bindings.filter((each) => hostOf(each.queue) !== vhost);
  },
};

/**
 * One handler for each kind that changes what all queues have, or the node.
 * @type {Handlers}
 */
const COMMON = {
  QueueStopped: (state, t) => {
    delete state.queues[t.queue];
  },
  QueuePromoted: (state, t) => {
    state.queues[t.queue] = state.queues[t.source];
    delete state.queues[t.source];
  },
  ...SHIFT_HANDLERS,
  ...QUEUE_HANDLERS,
  ...NODE_HANDLERS,
  ...AMQP_HANDLERS,
};

/**
 * The handler of a kind of transition; undefined where it changes nothing.
 * @param {Kind} kind
 * @returns {Function | undefined}
 */
export function handlerOf(kind) {
  return COMMON[kind] ?? ofTransition("handlers", kind);
}

/**
 * Fold one transition. The first one that names a queue creates its state, even before the queue starts.
 * @param {RunSnapshot} state
 * @param {Transition} t
 */
export function fold(state, t) {
  handlerOf(t.kind)?.(state, t);
}

/**
 * Fold a batch of transitions as they come over the wire, in order.
 * @param {RunSnapshot} state
 * @param {TransitionRow[]} rows
 */
export function reduce(state, rows) {
  for (const row of rows) fold(state, decode(row));
  return state;
}
