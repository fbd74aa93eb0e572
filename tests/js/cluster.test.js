/** The nodes of a cluster: what each has of a queue, what its strip shows, and what a failover did. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { depthOf, failoverOf, mirroredQueue, nodeOf, nodesOf, stripOf } from "../../static/js/model/cluster.js";
import { failoverText } from "../../static/js/view/panels/failover.js";
import { ringText } from "../../static/js/view/panels/ring.js";

const NO_DELTA = [null, 0, 0, null];

function queue(ready, pending, more = {}) {
  const extents = (start, count) => (count ? [[start, count, start, 10, 1, 0, 0]] : []);
  return {
    lanes: { q1: [], q2: [], q3: [], q4: extents(0, ready), ram_pending: extents(ready, pending) },
    counted: { delta: NO_DELTA },
    counters: { len: ready },
    own: { index: { entries: [], segments: [] } },
    mode: "default",
    ...more,
  };
}

function cluster(up = { n1: true, n2: true, n3: true }) {
  const figures = {};
  for (const [node, runs] of Object.entries(up)) {
    figures[`${node}_up`] = runs;
    figures[`${node}_memory_bytes`] = 50;
    figures[`${node}_limit_bytes`] = 100;
    figures[`${node}_alarm`] = false;
  }
  return {
    node: { cluster: { ...figures, between_bytes: 0, lost: 0 } },
    queues: {
      orders: queue(8, 4, { node: "n1", mirrors: ["n2", "n3"], synchronised: ["n2"] }),
      "orders@n2": queue(8, 4, { mirror_of: "orders", node: "n2", depth_delta: 0, held_copies: 3 }),
      "orders@n3": queue(5, 0, { mirror_of: "orders", node: "n3", depth_delta: 7 }),
    },
  };
}

const strip = (state, node, lost = 0) =>
  Object.fromEntries(
    stripOf(nodeOf(state, "orders", node), depthOf(state, "orders"), lost).map(({ place, count }) => [place, count]),
  );

test("the nodes, and who has what of a queue", () => {
  const state = cluster();
  assert.deepEqual(nodesOf(state), ["n1", "n2", "n3"]);
  assert.equal(mirroredQueue(state, "orders@n3"), "orders");
  assert.deepEqual(["n1", "n2", "n3"].map((node) => nodeOf(state, "orders", node).role), ["master", "mirror", "mirror"]);
  assert.equal(nodeOf(state, "orders", "n2").synchronised, true);
  assert.equal(nodeOf(state, "orders", "n3").lacks, 7);
  assert.equal(nodeOf(cluster({ n1: true, n2: false, n3: true }), "orders", "n2").role, "down");
});

test("strips are as long as the master's, with what a mirror lacks and what only channels sent it", () => {
  const state = cluster();
  assert.deepEqual(strip(state, "n1"), { q4: 8, unacked: 4 });
  assert.deepEqual(strip(state, "n2"), { held: 3, q4: 8, unacked: 4 });
  assert.deepEqual(strip(state, "n3"), { q4: 5, lacks: 7 });
  state.queues["orders@n3"].depth_delta = "unknown";
  assert.deepEqual(strip(state, "n3"), { q4: 5, lacks: 7 });
  assert.deepEqual(strip(state, "n1", 6), { q4: 8, unacked: 4, lost: 6 });
});

const lines = (...happened) => happened.map((t, number) => ({ t, number }));
const STOPPED = { kind: "NodeStopped", node: "n1", how: "kill" };
const PROMOTED = { kind: "QueuePromoted", queue: "orders", node: "n3", source: "orders@n3", why: { lost: 7 } };
const REFUSED = { kind: "MirrorLeft", queue: "orders", node: "n2", how: "refused" };

test("the last failover is told until a node starts", () => {
  const state = cluster();
  assert.equal(failoverOf(lines({ kind: "Published" }), state, "orders"), null);
  const found = failoverOf(lines(STOPPED, PROMOTED, { kind: "Published" }), state, "orders");
  assert.deepEqual(found, { what: "promoted", node: "n1", master: "n3", lost: 7 });
  assert.match(failoverText(found), /n1 is gone.*n3, is the master now.*7 messages are lost/);
  assert.equal(failoverOf(lines(STOPPED, PROMOTED, { kind: "NodeStarted", node: "n1" }), state, "orders"), null);
  assert.equal(failoverOf(lines(STOPPED, PROMOTED), state, "other")?.what, "down");
});

test("a queue that nobody may take over, or nobody could, waits for its node", () => {
  const state = cluster();
  delete state.queues.orders;
  const refused = failoverOf(lines(STOPPED, REFUSED), state, "orders");
  assert.equal(refused.what, "refused");
  assert.match(failoverText(refused), /ha-promote-on-failure \(when-synced\)/);
  assert.match(failoverText(failoverOf(lines(STOPPED), state, "orders")), /No mirror was there to take over/);
  assert.equal(depthOf(state, "orders"), null);
});

test("what goes around the ring is told with its way, back to the master", () => {
  const line = { t: { count: 4, instruction: "Publish" } };
  assert.equal(ringText(line, ["n1", "n2", "n3"]), "4 × Publish: n1 → n2 → n3 → n1");
  assert.equal(ringText(line, ["n1"]), "Nothing goes around the ring.");
});
