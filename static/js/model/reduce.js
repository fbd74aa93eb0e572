/**
 * The fold of the page: state after = fold(state before, transitions), the twin of engine/fold.py.
 *
 * Handlers change the state they are given; a batch of rows is one call, so nothing is copied per transition.
 * A row is [kind, rule, ...fields], as in engine/transitions/.
 */
import { AMQP_HANDLERS } from "./reduce-amqp.js";
import { INDEX_HANDLERS, emptyIndex } from "./reduce-index.js";
import { STORE_HANDLERS } from "./reduce-store.js";
import { EXTENTS, insert, remove } from "./runs.js";

/** The state before anything happened. */
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
      actors: {},
      processes: {},
      exchanges: {},
      bindings: [],
      policies: {},
    },
  };
}

const PLACES = ["q1", "q2", "q3", "q4", "ram_pending", "disk_pending", "index_pending"];

/** A queue that holds nothing. */
function emptyQueue() {
  return {
    mode: "default",
    durable: true,
    lanes: Object.fromEntries(PLACES.map((place) => [place, []])),
    delta: [null, 0, 0, null],
    counters: {},
    reduced: null,
    index: emptyIndex(),
  };
}

function laneOf(queue, place) {
  queue.lanes[place] ??= [];
  return queue.lanes[place];
}

/** Messages change place: the whole of Shift and its kinds. */
function shift(state, [, , name, source, to, extents, delta]) {
  const queue = state.queues[name];
  if (source !== null && source !== "delta") {
    const rows = laneOf(queue, source);
    for (const extent of extents) remove(rows, extent[0], extent[1], EXTENTS);
  }
  if (to !== null && to !== "delta") {
    const rows = laneOf(queue, to);
    for (const extent of extents) insert(rows, extent, EXTENTS);
  }
  if (delta !== null) queue.delta = delta;
}

const SHIFTS = [
  "Published",
  "PublishedDelivered",
  "Discarded",
  "Fetched",
  "Dropped",
  "PutBack",
  "AlphasPushed",
  "PendingPaged",
  "BetasPushed",
  "DeltaRead",
  "LaneJoined",
  "Acked",
  "Requeued",
  "PendingPurged",
];

function nothing() {}

const QUEUE_HANDLERS = {
  ...Object.fromEntries(SHIFTS.map((kind) => [kind, shift])),
  DeltaChanged: (state, [, , name, delta]) => {
    state.queues[name].delta = delta;
  },
  CountersChanged: (state, [, , name, values]) => {
    Object.assign(state.queues[name].counters, values);
  },
  Reduced: (state, [, , name, why]) => {
    state.queues[name].reduced = why;
  },
  TargetChanged: (state, [, , name, target]) => {
    state.queues[name].counters.target_ram_count = target;
  },
  ModeChanged: (state, [, , name, mode]) => {
    state.queues[name].mode = mode;
  },
  QueueChanged: (state, [, , name, values]) => {
    const queue = state.queues[name];
    for (const [key, value] of Object.entries(values)) {
      if (value === null) delete queue[key];
      else queue[key] = value;
    }
  },
  ConfirmsDue: nothing,
  QueueStopped: (state, [, , name]) => {
    delete state.queues[name];
  },
  QueueStarted: (state, [, , name, mode, durable, delta, values]) => {
    const index = state.queues[name]?.index ?? emptyIndex();
    state.queues[name] = { ...emptyQueue(), mode, durable, delta, counters: { ...values }, index };
  },
};

const NODE_HANDLERS = {
  NodeChanged: (state, [, , part, values]) => {
    Object.assign((state.node[part] ??= {}), values);
  },
  ActorChanged: (state, [, , actor, values]) => {
    if (values === null) delete state.node.actors[actor];
    else Object.assign((state.node.actors[actor] ??= {}), values);
  },
  ProcessChanged: (state, [, , process, values]) => {
    if (values === null) delete state.node.processes?.[process];
    else Object.assign(((state.node.processes ??= {})[process] ??= {}), values);
  },
  ConfirmsSent: nothing,
  ConnectionBlocked: nothing,
  ConnectionUnblocked: nothing,
};

/** Index transitions come before QueueStarted: a queue is known from the first word of it. */
function withQueue(handler) {
  return (state, row) => {
    state.queues[row[2]] ??= emptyQueue();
    handler(state, row);
  };
}

function withQueues(handlers) {
  return Object.fromEntries(Object.entries(handlers).map(([kind, handler]) => [kind, withQueue(handler)]));
}

const { QueueStopped, ...QUEUE_CHANGES } = QUEUE_HANDLERS;

/** One handler for each kind of transition. */
export const HANDLERS = {
  QueueStopped,
  ...withQueues(QUEUE_CHANGES),
  ...withQueues(INDEX_HANDLERS),
  ...STORE_HANDLERS,
  ...NODE_HANDLERS,
  ...AMQP_HANDLERS,
};

/** Fold one transition. Raises when the kind is unknown: a picture with a gap would lie. */
export function reduceRow(state, row) {
  const handler = HANDLERS[row[0]];
  if (!handler) throw new TypeError(`unknown transition ${row[0]}`);
  handler(state, row);
}

/** Fold a batch of transitions, in order. */
export function reduce(state, rows) {
  for (const row of rows) reduceRow(state, row);
  return state;
}
