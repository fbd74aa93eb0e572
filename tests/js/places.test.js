/** Places come from the table: the usual queue's, and those of another kind of queue. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { PLACES, USUAL } from "../../static/js/model/catalogue/places.js";
import { declaredQueues, lettersOf, locate, pendingOf, placeOf, readyOf, spans } from "../../static/js/model/messages.js";
import { lanesOf, listedPlacesOf, pendingPlacesOf, placesOf } from "../../static/js/model/places.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";
import { shownDeclared, shownQueue } from "../../static/js/model/shown.js";

test("the usual queue has its places from the tail to the head", () => {
  assert.equal(placesOf(null), PLACES[USUAL]);
  assert.deepEqual(lanesOf(null), ["q1", "q2", "delta", "q3", "q4"]);
  assert.deepEqual(pendingPlacesOf({}), ["ram_pending", "disk_pending", "index_pending"]);
  assert.ok(!listedPlacesOf({}).includes("delta"));
});

test("another kind of queue is folded and read by its own places", (t) => {
  PLACES.shelf = [
    { name: "shelf", content: "ram", unacked: false, counted: false },
    { name: "lent", content: "disk", unacked: true, counted: false },
  ];
  t.after(() => delete PLACES.shelf);
  const state = emptyState();
  reduce(state, [
    ["QueueStarted", "Q62", "books", "default", true, [null, 0, 0, null], { next_seq_id: 5 }],
    ["QueueChanged", "P17", "books", { backing_queue: "shelf" }, {}],
    ["Published", "Q20", "books", null, "shelf", [[0, 5, 0, 10, 2, 0, 0]], null, {}],
    ["Fetched", "Q31", "books", "shelf", "lent", [[0, 2, 0, 10, 2, 0, 0]], null, {}],
  ]);
  const queue = state.queues.books;
  assert.deepEqual(Object.keys(queue.lanes), ["shelf", "lent"]);
  assert.equal(readyOf(queue), 3);
  assert.equal(pendingOf(queue), 2);
  assert.deepEqual(lettersOf(queue), { alpha: 3, beta: 0, gamma: 0, delta: 0 });
  assert.equal(locate(queue, 3).place, "shelf");
  assert.deepEqual([0, 4, 9].map((seq) => placeOf(queue, seq)), ["unacked", "shelf", null]);
  assert.deepEqual(
    spans(queue).map(([start, count, where]) => [start, count, where]),
    [
      [0, 2, "unacked"],
      [2, 3, "alpha"],
    ],
  );
});

test("a queue with priorities adds up its parts, and that of the highest priority is shown for it", () => {
  const state = emptyState();
  const nothing = [null, 0, 0, null];
  reduce(state, [
    ["QueueStarted", "Q5", "tasks", "default", true, nothing, { len: 0, unacked: 0 }],
    ["QueueStarted", "Q5", "tasks:1", "default", true, nothing, { next_seq_id: 0 }],
    ["QueueStarted", "Q5", "tasks:0", "default", true, nothing, { next_seq_id: 0 }],
    ["QueueChanged", "P17", "tasks", { backing_queue: "priority_queue" }, {}],
    ["QueueChanged", "P20", "tasks:1", { part_of: "tasks", priority: 1 }, {}],
    ["QueueChanged", "P20", "tasks:0", { part_of: "tasks", priority: 0 }, {}],
    ["Published", "Q20", "tasks:0", null, "q4", [[0, 3, 0, 10, 2, 0, 0]], null, {}],
    ["CountersChanged", "P20", "tasks", { len: 3, unacked: 1 }, {}],
  ]);
  assert.deepEqual([readyOf(state.queues.tasks), pendingOf(state.queues.tasks)], [3, 1]);
  assert.equal(readyOf(state.queues["tasks:0"]), 3);
  assert.deepEqual(declaredQueues(state), ["tasks"]);
  assert.equal(shownQueue(state), "tasks:1");
  assert.equal(shownDeclared(state), "tasks");
});
