/** The way of the messages: who is joined to what, and the command that joins two things. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { bindProblem, joining, joinsOf, nextRate, partingsOf, pulledRate, routesOf } from "../../static/js/model/routes.js";

const state = {
  queues: { orders: { lanes: {} }, audit: { lanes: {} } },
  node: {
    exchanges: { logs: { type: "fanout" }, events: { type: "topic" } },
    bindings: [
      { exchange: "", queue: "orders", routing_key: "orders", arguments: {}, to: "queue" },
      { exchange: "logs", queue: "audit", routing_key: "", arguments: {}, to: "queue" },
    ],
    actors: {
      p1: { role: "publisher", state: "running", rate_per_s: 20, size_bytes: 100, persistent: true, confirm: false, routing_key: "orders" },
      p2: { role: "publisher", state: "stopped", rate_per_s: 5, size_bytes: 100, persistent: true, confirm: false, exchange: "gone" },
      c1: { role: "consumer", state: "running", rate_per_s: 5, prefetch: 4, ack: "each", queue: "orders" },
    },
  },
};

test("wires lead from publishers over exchanges and queues to consumers, and one to nothing is lost", () => {
  const { exchanges, wires } = routesOf(state);
  assert.deepEqual(exchanges, ["", "logs", "events"]);
  const ends = wires.map(({ from, to, lost }) => `${from} ${to}${lost ? " lost" : ""}`);
  assert.deepEqual(ends, [
    "publisher:p1 exchange:",
    "publisher:p2 exchange:gone lost",
    "exchange: queue:orders",
    "exchange:logs queue:audit",
    "queue:orders consumer:c1",
  ]);
});

test("who names no queue means the default one, whichever was declared first", () => {
  const actors = { p: { role: "publisher", state: "running" }, c: { role: "consumer", state: "running" } };
  const { wires } = routesOf({ queues: { audit: {}, orders: {} }, node: { actors } });
  const ends = wires.map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(ends, ["publisher:p exchange:", "exchange: queue:orders", "queue:orders consumer:c"]);
});

test("two things are joined by the commands of the forms, in either direction", () => {
  assert.deepEqual(joining(state, "exchange:logs", "queue:orders").command, { do: "bind", exchange: "logs", queue: "orders", routing_key: "" });
  assert.deepEqual(joining(state, "queue:orders", "exchange:logs"), joining(state, "exchange:logs", "queue:orders"));
  assert.equal(joining(state, "exchange:events", "queue:orders").command.routing_key, "orders");
  const moved = joining(state, "publisher:p1", "queue:audit").command;
  assert.deepEqual([moved.do, moved.exchange, moved.routing_key, moved.running], ["set_publisher", "", "audit", true]);
  assert.equal(joining(state, "publisher:p2", "exchange:events").command.running, false);
  assert.deepEqual([joining(state, "queue:audit", "consumer:c1").command.do, joining(state, "queue:audit", "consumer:c1").command.queue], ["set_consumer", "audit"]);
});

test("what cannot be joined says why", () => {
  assert.match(joining(state, "exchange:", "queue:audit").problem, /default exchange/);
  assert.match(joining(state, "exchange:logs", "queue:audit").problem, /already/);
  assert.match(joining(state, "publisher:p1", "consumer:c1").problem, /cannot be joined/);
});

test("a menu offers what is not joined yet, and takes bindings away", () => {
  assert.deepEqual(joinsOf(state, "exchange:logs").map(({ id }) => id), ["publisher:p1", "publisher:p2", "queue:orders"]);
  assert.deepEqual(partingsOf(state, "exchange:logs").map(({ command }) => command), [
    { do: "unbind", exchange: "logs", queue: "audit", routing_key: "" },
  ]);
  assert.deepEqual(partingsOf(state, "exchange:"), []);
});

test("a bind to what is not there names the field", () => {
  assert.equal(bindProblem(state, { exchange: "ghosts", queue: "orders" }).field, "exchange");
  assert.equal(bindProblem(state, { exchange: "amq.topic", queue: "ghosts" }).field, "queue");
  assert.equal(bindProblem(state, { exchange: "amq.topic", queue: "audit" }), null);
});

test("a rate goes in steps of 1, 2, 5 by keys, and doubles with each 60 pixels", () => {
  assert.deepEqual([nextRate(10, 1, 1000), nextRate(10, -1, 1000), nextRate(1, -1, 1000), nextRate(900, 1, 1000)], [20, 5, 1, 1000]);
  assert.deepEqual([pulledRate(10, 60, 1000), pulledRate(10, -120, 1000), pulledRate(10, 6000, 1000), pulledRate(1, -600, 1000)], [20, 3, 1000, 1]);
});
