/**
 * The fold of the page: state after = fold(state before, transitions), the twin of engine/report/fold.
 *
 * Handlers change the state they are given; a batch of rows is one call, so nothing is copied per transition.
 * A transition is an object with the names of its fields in engine/transitions.py, as `decode` makes it.
 */
import { learn } from "./columns.js";
import { AMQP_HANDLERS } from "./reduce-amqp.js";
import { decode } from "./catalogue/rows.js";
import { KINDS } from "./catalogue/kinds.js";
import { ofTransition } from "./generations.js";
import { begun, queueOf, rearrange, recount } from "./queue-state.js";
import { aboutPlace } from "./places.js";
import { EXTENTS, insert, remove } from "./stretches.js";

/** @import { Handlers, Kind, State, Transition, TransitionOf, TransitionRow } from "./catalogue/types.js" */

/**
 * The state before anything happened.
 * @returns {State}
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
 * @param {State} state
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
  if (t.delta !== null) recount(queue, t.delta);
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
  QueueStarted: (state, { queue, mode, durable, delta, values }) => {
    state.queues[queue] = { ...begun(queueOf(state, queue)), mode, durable, counters: { ...values } };
    recount(state.queues[queue], delta);
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
 * @param {State} state
 * @param {Transition} t
 */
export function fold(state, t) {
  handlerOf(t.kind)?.(state, t);
}

/**
 * Fold a batch of transitions as they come over the wire, in order.
 * @param {State} state
 * @param {TransitionRow[]} rows
 */
export function reduce(state, rows) {
  for (const row of rows) fold(state, decode(row));
  return state;
}
