/** Samples as columns for plots, and processes as chains of credit. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { columns, creditChains, plotsOf, thinned } from "../../static/js/model/instruments.js";

const sample = (s, values = {}) => ({ us: s * 1e6, sinceUs: s * 1e6, untilUs: s * 1e6, q1: 0, q2: 0, delta: 0, q3: 0, q4: 0, pending: 0, target: null, arrived: 0, left: 0, ...values });
const plot = (id) => plotsOf(null).find((each) => each.id === id);

test("a column for the time and one for each series", () => {
  const found = columns([sample(0), sample(1, { q4: 7, target: 3 })], plot("lengths"), 3e6);
  assert.deepEqual(found[0], [0, 1, 3]);
  assert.equal(found.length, 1 + plot("lengths").series.length);
  const at = (key) => 1 + plot("lengths").series.findIndex((series) => series.key === key);
  assert.deepEqual(found[at("q4")], [0, 7, 7]);
  assert.deepEqual(found[at("target")], [null, 3, 3]);
});

test("a running total becomes a rate over half a second", () => {
  const samples = [0, 0.25, 0.5, 0.75, 1].map((s) => sample(s, { arrived: 40 * s }));
  const [, arrived] = columns(samples, plot("rates"), 1e6);
  assert.equal(arrived[0], 0);
  assert.deepEqual(arrived.slice(2), [40, 40, 40, 40]);
});

test("a long run is thinned for the table, the last sample stays", () => {
  const samples = Array.from({ length: 500 }, (_, at) => sample(at));
  const picked = thinned(samples, 24);
  assert.ok(picked.length <= 25);
  assert.equal(picked.at(-1), samples.at(-1));
});

test("credit goes from reader to store, and the starved link is named", () => {
  const processes = {
    "reader:p1": { kind: "reader", state: "flow", blocked_by: ["channel:p1"], credit: { "channel:p1": [0, 400, 200] } },
    "channel:p1": { kind: "channel", credit: { "queue:orders": [12, 400, 200] }, mailbox: 388 },
    "queue:orders": { kind: "queue", credit: { "store:persistent": [4000, 4000, 800] } },
    "store:persistent": { kind: "store", credit: {} },
  };
  const [chain] = creditChains(processes);
  assert.equal(chain.name, "p1");
  assert.deepEqual(chain.links.map((link) => link.to), ["channel:p1", "queue:orders", "store:persistent"]);
  assert.deepEqual(chain.links.map((link) => link.starved), [true, false, false]);
  assert.equal(chain.links[0].mailbox, 388);
  assert.deepEqual(creditChains({}), []);
});
