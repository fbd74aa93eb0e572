import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { History, copyState, weightOf } from "../../static/js/model/history.js";
import { fold, reduce } from "../../static/js/model/reduce.js";
import { Session } from "../../static/js/model/session.js";
import { GAMMA, extent, paged, published, stateOf } from "./feed.js";

const plain = (value) => JSON.parse(JSON.stringify(value));

/** Rows of every kind of holder: lanes, index, files of a store, node, actors, a restart in the middle. */
function story() {
  const rows = [];
  for (let at = 0; at < 20; at += 1) {
    const start = at * 40;
    rows.push(
      ["ActorChanged", "M1", "burst", { state: "running", published: start }],
      ...published(start, 40),
      ["StoreWritten", "S160", "transient", 0, start * 100, start, 40, 100, 1],
      ["BufferWritten", "S161", "transient", 0, 4000],
      ["RefCountChanged", "S165", "transient", start, 5, 0],
      ...paged(start, 40, 8),
      ["JournalFlushed", "S80", "orders"],
      ["SegmentWritten", "S80", "orders", at, 288],
      ["NodeChanged", "M7", "memory", { process_memory: 1000 + at }, {}],
    );
    if (at % 7 === 6) rows.push(["QueueStopped", "S234", "orders", "power"]);
    if (at % 7 === 6)
      rows.push(["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], { len: 0 }]);
  }
  return rows;
}

function historyOf(rows, options) {
  const history = new History(options);
  const state = stateOf();
  history.snapshot(100, 0, state);
  rows.forEach((row, at) => {
    const t = decode(row);
    fold(state, t);
    history.add(t, (at + 1) * 1000, state);
  });
  return { history, state };
}

test("the state at every number is the fold from the start", () => {
  const rows = story();
  const { history, state } = historyOf(rows, { every: 7 });
  const from = stateOf();
  for (let at = 0; at <= rows.length; at += 1) {
    assert.deepEqual(plain(history.stateAt(100 + at)), plain(from), `after ${at} rows`);
    if (at < rows.length) reduce(from, [rows[at]]);
  }
  assert.deepEqual(plain(history.stateAt(history.end)), plain(state));
  assert.equal(history.stateAt(99), null);
  assert.equal(history.stateAt(history.end + 1), null);
});

test("what is done with a state that was given out does not reach the next one", () => {
  const { history } = historyOf(story(), { every: 7 });
  const first = plain(history.stateAt(150));
  reduce(history.stateAt(150), published(90_000, 9));
  const given = history.stateAt(150);
  given.stores.transient.files[0][4] += 5;
  given.node.actors.burst.state = "gone";
  assert.deepEqual(plain(history.stateAt(150)), first);
});

test("rows are bounded: the oldest go, what is left stays exact", () => {
  const rows = story();
  const { history } = historyOf(rows, { every: 10, maxRows: 60 });
  assert.ok(history.rowCount <= 60 + 10);
  assert.ok(history.start > 100);
  const from = reduce(stateOf(), rows.slice(0, history.start - 100));
  assert.deepEqual(plain(history.stateAt(history.start)), plain(from));
  assert.equal(history.timeOf(history.start), (history.start - 100) * 1000);
});

test("copies are bounded by what they hold, and thin out when the state is heavy", () => {
  const history = new History({ every: 10, maxWeight: 3000 });
  const state = stateOf();
  history.snapshot(0, 0, state);
  for (let at = 0; at < 3000; at += 1) {
    const t = decode(["Published", "Q21", "orders", null, "q4", [extent(2 * at, 1, GAMMA, at)], null, {}]);
    fold(state, t);
    history.add(t, at, state);
  }
  const points = history.stretches.flatMap((stretch) => stretch.points);
  assert.ok(weightOf(state) > 3000);
  assert.ok(history.weight <= 3000 || points.length === 1);
  assert.equal(
    history.weight,
    points.reduce((sum, point) => sum + point.weight, 0),
  );
  assert.deepEqual(plain(history.stateAt(history.end)), plain(state));
});

test("where transitions were too fast there are only the two ends", () => {
  const { history, state } = historyOf(story().slice(0, 20));
  const later = reduce(copyState(state), published(5000, 3));
  history.snapshot(500, 90_000, later);
  assert.equal(history.has(120), true);
  assert.equal(history.has(121), false);
  assert.deepEqual(history.gapsAt(120), { before: 0, after: 380 });
  assert.deepEqual(history.gapsAt(500), { before: 380, after: 0 });
  assert.equal(history.neighbour(500, -1), 120);
  assert.equal(history.neighbour(120, 1), 500);
  assert.equal(history.neighbour(100, -1), null);
  assert.equal(history.positionAt(60_000), 120);
  assert.equal(history.positionAt(5_500), 105);
  assert.deepEqual(plain(history.stateAt(500)), plain(later));
});

test("moments between fast stretches thin out before anything else goes", () => {
  const history = new History({ maxWeight: 60 });
  for (let at = 0; at < 200; at += 1) history.snapshot(at * 1000, at * 50_000, stateOf());
  assert.ok(history.weight <= 60);
  assert.equal(history.end, 199_000);
  const gaps = history.stretches.slice(1).map((stretch) => history.gapsAt(stretch.first).before);
  assert.equal(
    gaps.reduce((sum, gap) => sum + gap, 0),
    199_000 - history.start,
  );
});

test("a session keeps its history, and forgets it when the run is another one", () => {
  const session = new Session();
  const snapshot = (next, digest) =>
    session.snapshot({ next, at_us: next, state: stateOf(), digest, why: "lag", skipped: {} });
  snapshot(0, "a");
  session.frame({ first: 0, rows: published(0, 3), at_us: [5], now_us: 9, digest: "b", play: true, speed: 1 });
  assert.deepEqual(plain(session.history.stateAt(1)), plain(session.state));
  const { epoch } = session.history;
  snapshot(1, "b");
  assert.equal(session.history.epoch, epoch);
  assert.equal(session.history.start, 0);
  snapshot(1, "c");
  assert.equal(session.history.start, 1);
  snapshot(0, "a");
  assert.equal(session.history.end, 0);
  assert.equal(session.history.rowCount, 0);
});
