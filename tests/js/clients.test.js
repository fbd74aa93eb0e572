/** Publishers and consumers as things: found in the state, put in order, set by commands. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { clientsOf, freeName, lamps, moved, prefetchLimit, settingOf, slots } from "../../static/js/model/clients.js";

const state = {
  node: {
    actors: {
      burst: { role: "publisher", state: "running" },
      p1: { role: "publisher", state: "running", rate_per_s: 20, size_bytes: 100, persistent: true, confirm: true, published: 9 },
      p2: { role: "publisher", state: "stopped", rate_per_s: 1, size_bytes: 1, persistent: false, confirm: false },
      c1: { role: "consumer", state: "running", rate_per_s: 5, prefetch: 4, ack: "each", unacked: 2 },
      hand: { role: "hand", state: "running" },
    },
  },
};

test("the engine's own names are no clients, and the reader's order counts", () => {
  const names = (found) => found.map((each) => each.name);
  assert.deepEqual(names(clientsOf(state).publishers), ["p1", "p2"]);
  assert.deepEqual(names(clientsOf(state, ["p2", "p1"]).publishers), ["p2", "p1"]);
  assert.deepEqual(names(clientsOf(state).consumers), ["c1"]);
});

test("a client is set as it is, but for what changes", () => {
  const [p1, p2] = clientsOf(state).publishers;
  assert.deepEqual(settingOf(p1, { running: false }), {
    do: "set_publisher",
    name: "p1",
    rate_per_s: 20,
    size_bytes: 100,
    persistent: true,
    confirm: true,
    running: false,
  });
  assert.equal(settingOf(p2).running, false);
  const [c1] = clientsOf(state).consumers;
  assert.equal(settingOf(c1, { queue: "x" }).queue, "x");
  assert.equal(settingOf({ ...c1, tick_ms: 100 }, { rate_per_s: 9 }).tick_ms, 100);
});

test("a publisher in tx mode stays in it when something else of it is changed", () => {
  const tx = { node: { actors: { p1: { role: "publisher", state: "running", rate_per_s: 1, size_bytes: 1, tx: 7, tx_held: 3 } } } };
  assert.equal(settingOf(clientsOf(tx).publishers[0], { running: false }).tx, 7);
});

test("a free name is the first that nobody has", () => {
  assert.equal(freeName(state.node.actors, "p"), "p3");
  assert.equal(freeName({}, "c"), "c1");
});

test("one moves to where the other is", () => {
  assert.deepEqual(moved(["a", "b", "c"], "a", "c"), ["b", "c", "a"]);
  assert.deepEqual(moved(["a", "b", "c"], "c", "a"), ["c", "a", "b"]);
});

test("lamps and slots", () => {
  assert.equal(lamps({ confirm: false }), null);
  assert.deepEqual(lamps({ confirm: true, unconfirmed: 3, confirmed: 100 }), { waits: 3, lit: 7, most: 10 });
  assert.equal(slots({ ack: "auto", prefetch: 4 }), null);
  assert.deepEqual(slots({ ack: "each", prefetch: 4, unacked: 2 }), { taken: 2, shown: 4 });
  assert.deepEqual(slots({ ack: "each", prefetch: 100, unacked: 100 }), { taken: 10, shown: 10 });
});

test("what keeps a consumer below its rate is named: with prefetch 1 each message is waited for", () => {
  const consumer = (more) => ({ role: "consumer", ack: "each", rate_per_s: 400, prefetch: 1, ...more });
  assert.deepEqual(prefetchLimit(consumer(), 250), { most: 1, perS: 363 }); // a real 3.10.8 node: 369
  assert.deepEqual(prefetchLimit(consumer({ rate_per_s: 250 }), 250), { most: 1, perS: 235 }); // a real one: 224
  assert.deepEqual(prefetchLimit(consumer({ prefetch: 0, channel_prefetch: 1 }), 250), { most: 1, perS: 363 });
  for (const held of [{ prefetch: 20 }, { prefetch: 2 }, { prefetch: 0 }, { ack: "auto" }, { ack: "manual" }, { role: "publisher" }])
    assert.equal(prefetchLimit(consumer(held), 250), null);
  assert.equal(prefetchLimit(consumer(), 0), null); // where work takes no time
  assert.deepEqual(prefetchLimit(consumer({ prefetch: 2, rate_per_s: 9000 }), 250), { most: 2, perS: 4000 });
});
