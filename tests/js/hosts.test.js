/** A page shows one virtual host: what is in another one has something in its place, and names stand as they are in theirs. */
import assert from "node:assert/strict";
import test from "node:test";

import "../../static/js/generations/all.js";
import { chooseHost, commandHere, showHost, shownHost, stateHere, transitionHere } from "../../static/js/model/hosts.js";
import { Session } from "../../static/js/model/session.js";
import { emptyState } from "../../static/js/model/reduce.js";
import { addressOf } from "../../static/js/view/panels/vhosts.js";

const PUBLISHED = (queue) => ["Published", "Q30", queue, null, "q4", [[0, 1, 0, 10, 0]], null];
const MANY = [
  ["VhostAdded", "S1", "prod"],
  PUBLISHED("orders"),
  PUBLISHED("prod\norders"),
  ["ActorChanged", "P11", "prod\nc1", { role: "consumer", queue: "prod\norders" }, {}],
  ["DeadLettered", "P8", "prod\norders", "maxlen", 1, "prod\n", "dead", ["prod\ndead"], {}],
  ["ProcessChanged", "P6", "queue:prod\norders", { state: "busy" }, {}],
  ["ProcessChanged", "P6", "monitor:vm_memory", { state: "busy" }, {}],
  ["NodeChanged", "M7", "memory", { process_memory: 7 }, {}],
  ["NodeChanged", "P5", "clock", { rate_timer_at_us: 7 }, {}],
];

function shown(vhost) {
  showHost(vhost);
  const session = new Session();
  const seen = [];
  session.watch((t) => seen.push(t));
  session.frame({ first: 0, at_us: MANY.map(() => 0), rows: MANY, now_us: 0 });
  showHost("/");
  return { session, seen };
}

test("the state has the queues, actors and processes of the host that is shown, and the whole node's memory", () => {
  for (const [vhost, actors, processes, clock] of [
    ["/", [], ["monitor:vm_memory"], { rate_timer_at_us: 7 }],
    ["prod", ["c1"], ["monitor:vm_memory", "queue:orders"], {}],
    ["gone", [], ["monitor:vm_memory"], {}],
  ]) {
    const { state } = shown(vhost).session;
    assert.deepEqual(Object.keys(state.queues), vhost === "gone" ? [] : ["orders"]);
    assert.deepEqual(Object.keys(state.node.actors), actors);
    assert.deepEqual(Object.keys(state.node.processes).sort(), processes);
    assert.deepEqual(state.node.clock, clock);
    assert.deepEqual(state.node.memory, { process_memory: 7 });
    assert.deepEqual(state.node.vhosts, ["/", "prod"]);
  }
});

test("numbers have no gaps, and what happened in another host is said to be there", () => {
  const { session, seen } = shown("prod");
  assert.equal(session.next, MANY.length);
  assert.deepEqual(seen[1], { kind: "HappenedElsewhere", rule: "Q30", vhost: "/", what: "Published" });
  assert.deepEqual(seen[4].to, ["dead"]);
  assert.equal(seen[4].exchange, "");
  assert.equal(seen[3].values.queue, "orders");
});

test("a run with one virtual host is as it was, object for object", () => {
  const state = emptyState();
  const t = { kind: "Published", rule: "Q30", queue: "orders" };
  assert.equal(stateHere(state), state);
  assert.equal(transitionHere(t, state), t);
});

test("commands go to the host that is shown, those of the node to the node", () => {
  assert.deepEqual(commandHere({ do: "purge", queue: "orders" }), { do: "purge", queue: "orders" });
  showHost("prod");
  assert.deepEqual(commandHere({ do: "purge", queue: "orders" }), { do: "purge", queue: "orders", vhost: "prod" });
  assert.deepEqual(commandHere({ do: "restart", kind: "kill" }), { do: "restart", kind: "kill" });
  assert.deepEqual(commandHere({ do: "set", name: "ram_bytes", value: 1 }), { do: "set", name: "ram_bytes", value: 1 });
  showHost("/");
});

test("where nobody chose, the first host with a queue is shown", () => {
  showHost(null);
  const state = { ...emptyState(), queues: { "prod\norders": { lanes: {} } } };
  state.node.vhosts = ["/", "empty", "prod"];
  const session = new Session();
  chooseHost(state);
  assert.equal(shownHost(), "prod");
  assert.equal(session.next, 0);
  showHost("/");
});

test("the address keeps the choice", () => {
  assert.equal(addressOf("http://a/s/1/?x=1", "prod/eu"), "http://a/s/1/?x=1&vhost=prod%2Feu");
  assert.equal(addressOf("http://a/s/1/?vhost=prod", "/"), "http://a/s/1/?vhost=%2F");
});
