/** Places come from the table: the usual queue's, and those of another kind of queue. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { PLACES, USUAL } from "../../static/js/model/catalogue/places.js";
import { lettersOf, locate, pendingOf, placeOf, readyOf, spans } from "../../static/js/model/messages.js";
import { lanesOf, listedPlacesOf, pendingPlacesOf, placesOf } from "../../static/js/model/places.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";

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
