/**
 * The fold of the page: state after = fold(state before, transitions), the twin of engine/report/fold.
 *
 * Handlers change the state they are given; a batch of rows is one call, so nothing is copied per transition.
 * A transition is an object with the names of its fields in engine/transitions.py, as `decode` makes it.
 */
import { AMQP_HANDLERS } from "./reduce-amqp.js";
import { decode } from "./catalogue/rows.js";
import { KINDS } from "./catalogue/kinds.js";
import { INDEX_HANDLERS, emptyIndex } from "./reduce-index.js";
import { STORE_HANDLERS } from "./reduce-store.js";
import { aboutPlace, listedPlacesOf } from "./places.js";
import { EXTENTS, insert, remove } from "./stretches.js";

/** @import { Extent, Handlers, QueueState, State, Transition, TransitionOf, TransitionRow } from "./catalogue/types.js" */

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
      actors: {},
      processes: {},
      exchanges: {},
      bindings: [],
      policies: {},
    },
  };
}

/**
 * Every place of a queue that lists its messages, with what `lanes` has there.
 * @param {QueueState | null} queue
 * @param {Record<string, Extent[]>} [lanes]
 */
function lanesFor(queue, lanes = {}) {
  return Object.fromEntries(listedPlacesOf(queue).map((place) => [place, lanes[place] ?? []]));
}

/**
 * A queue that holds nothing.
 * @returns {QueueState}
 */
function emptyQueue() {
  return {
    mode: "default",
    durable: true,
    lanes: lanesFor(null),
    delta: [null, 0, 0, null],
    counters: {},
    reduced: null,
    index: emptyIndex(),
  };
}

/**
 * @param {QueueState} queue
 * @param {string} place
 */
function laneOf(queue, place) {
  queue.lanes[place] ??= [];
  return queue.lanes[place];
}

/**
 * Messages change place: the whole of Shift and its kinds.
 * @param {State} state
 * @param {TransitionOf<"Published">} t
 */
function shift(state, t) {
  const queue = state.queues[t.queue];
  if (t.source !== null && !aboutPlace(t.source).counted) {
    const rows = laneOf(queue, t.source);
    for (const [start, count] of t.extents) remove(rows, start, count, EXTENTS);
  }
  if (t.to !== null && !aboutPlace(t.to).counted) {
    const rows = laneOf(queue, t.to);
    for (const extent of t.extents) insert(rows, extent, EXTENTS);
  }
  if (t.delta !== null) queue.delta = t.delta;
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
  DeltaChanged: (state, t) => {
    state.queues[t.queue].delta = t.delta;
  },
  CountersChanged: (state, t) => {
    Object.assign(state.queues[t.queue].counters, t.values);
  },
  Reduced: (state, t) => {
    state.queues[t.queue].reduced = t.why;
  },
  TargetChanged: (state, t) => {
    state.queues[t.queue].counters.target_ram_count = t.target;
  },
  ModeChanged: (state, t) => {
    state.queues[t.queue].mode = t.mode;
  },
  QueueChanged: (state, t) => {
    const queue = state.queues[t.queue];
    for (const [key, value] of Object.entries(t.values)) {
      if (value === null) delete queue[key];
      else queue[key] = value;
    }
    if ("backing_queue" in t.values) queue.lanes = lanesFor(queue, queue.lanes);
  },
  QueueStarted: (state, { queue, mode, durable, delta, values }) => {
    const index = state.queues[queue]?.index ?? emptyIndex();
    state.queues[queue] = { ...emptyQueue(), mode, durable, delta, counters: { ...values }, index };
  },
};

/** @type {Handlers} */
const NODE_HANDLERS = {
  NodeChanged: (state, t) => {
    const parts = /** @type {Record<string, object>} */ (/** @type {unknown} */ (state.node));
    Object.assign((parts[t.part] ??= {}), t.values);
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
 * Index transitions come before QueueStarted: the first transition that names a queue creates its state.
 * @param {(state: State, t: never) => void} handler of a kind that names a queue
 * @returns {(state: State, t: { queue: string }) => void}
 */
function withQueue(handler) {
  const ofQueue = /** @type {(state: State, t: { queue: string }) => void} */ (handler);
  return (state, t) => {
    state.queues[t.queue] ??= emptyQueue();
    ofQueue(state, t);
  };
}

/** @param {Handlers} handlers */
function withQueues(handlers) {
  return Object.fromEntries(Object.entries(handlers).map(([kind, handler]) => [kind, withQueue(handler)]));
}

/**
 * One handler for each kind that changes the state; the others only report an event.
 * @type {Handlers}
 */
export const HANDLERS = {
  QueueStopped: (state, t) => {
    delete state.queues[t.queue];
  },
  QueuePromoted: (state, t) => {
    state.queues[t.queue] = state.queues[t.source];
    delete state.queues[t.source];
  },
  ...withQueues(SHIFT_HANDLERS),
  ...withQueues(QUEUE_HANDLERS),
  ...withQueues(INDEX_HANDLERS),
  ...STORE_HANDLERS,
  ...NODE_HANDLERS,
  ...AMQP_HANDLERS,
};

/**
 * Fold one transition. The first one that names a queue creates its state, even before the queue starts.
 * @param {State} state
 * @param {Transition} t
 */
export function fold(state, t) {
  const handler = /** @type {((state: State, t: Transition) => void) | undefined} */ (HANDLERS[t.kind]);
  handler?.(state, t);
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
