import assert from "node:assert/strict";
import { test } from "node:test";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { total } from "../../static/js/model/runs.js";
import { Session } from "../../static/js/model/session.js";
import { CONDITIONS, Until } from "../../static/js/model/until.js";
import { GAMMA, extent, paged, published, stateOf } from "./feed.js";

function live() {
  const session = new Session();
  session.snapshot({ next: 0, at_us: 0, state: stateOf(), digest: "", why: "join" });
  return session;
}

function feed(session, rows, us, play = true) {
  const at_us = rows.map(() => us);
  session.frame({ first: session.next, rows, at_us, now_us: us, digest: `${session.next}`, play, speed: 1 });
}

/** 40 messages at 1 s, paged at 2 s, 5 more at 3 s. */
function told() {
  const session = live();
  feed(session, published(0, 40), 1_000_000);
  feed(session, paged(0, 40, 10), 2_000_000);
  feed(session, published(40, 5, { to: "q1" }), 3_000_000);
  return { session, playhead: new Playhead(session) };
}

const lengths = (state) => ["q4", "q3", "q1"].map((lane) => total(state.queues.orders.lanes[lane]));

test("one transition back and on again, to the present", () => {
  const { session, playhead } = told();
  assert.equal(playhead.state, session.state);
  assert.ok(playhead.back());
  assert.ok(playhead.behind);
  assert.equal(playhead.nowUs, 2_000_000);
  assert.deepEqual(lengths(playhead.state), [10, 6, 0]);
  assert.ok(playhead.forward());
  assert.equal(playhead.behind, false);
  assert.equal(playhead.forward(), false);
});

test("the events of the dock, the beginning and the present", () => {
  const { session, playhead } = told();
  playhead.event(-1);
  assert.deepEqual(lengths(playhead.state), [10, 6, 0]);
  playhead.event(-1);
  assert.deepEqual(lengths(playhead.state), [10, 30, 0]);
  assert.equal(playhead.reasons().lines.at(-1).t.kind, "AlphasPushed");
  assert.equal(playhead.reasons().lastTarget("orders").t.target, 10);
  playhead.event(-1);
  assert.equal(playhead.reasons().lines.at(-1).t.kind, "TargetChanged");
  playhead.event(-1);
  assert.equal(playhead.position, 0);
  assert.equal(playhead.back(), false);
  playhead.event(1);
  playhead.event(1);
  playhead.event(1);
  playhead.event(1);
  assert.equal(playhead.behind, false);
  assert.equal(session.next, 7);
});

test("a moment between transitions shows what had happened by then", () => {
  const { playhead } = told();
  playhead.toTime(1_500_000);
  assert.equal(playhead.nowUs, 1_500_000);
  assert.deepEqual(lengths(playhead.state), [40, 0, 0]);
  playhead.toTime(9_000_000);
  assert.equal(playhead.behind, false);
});

test("the run goes on and the picture stays; another run brings back the present", () => {
  const { session, playhead } = told();
  playhead.home();
  feed(session, published(45, 5, { to: "q1" }), 4_000_000);
  assert.deepEqual(lengths(playhead.state), [0, 0, 0]);
  assert.deepEqual(lengths(session.state), [10, 6, 10]);
  session.snapshot({ next: 2, at_us: 5, state: stateOf(), digest: "x", why: "join" });
  assert.equal(playhead.behind, false);
});

test("conditions hold for the transition that is meant, and for no other", () => {
  const state = stateOf();
  const rows = {
    gamma: ["AlphasPushed", "Q46", "orders", "q4", "q3", [extent(0, 1, GAMMA & ~2)], null, {}],
    delta: paged(0, 40, 10).find(([kind]) => kind === "BetasPushed"),
    memory: ["NodeChanged", "M7", "alarms", { memory: true }, {}],
    disk: ["NodeChanged", "M10", "alarms", { disk: true }, {}],
    combined: ["FilesCombined", "S185", "persistent", 1, 0, 2000, 6000, 0],
    deleted: ["FileDeleted", "S184", "persistent", 0, 9000],
    read: ["DeltaRead", "Q34", "orders", "delta", "q3", [extent(16, 8, 22)], [24, 16, 16, 40], {}],
    empty: ["Fetched", "Q30", "orders", "q4", null, [extent(0, 1, 18)], null, {}],
    delivered: ["Fetched", "Q30", "orders", "q4", "ram_pending", [extent(5, 3, 18)], null, {}],
  };
  for (const [name, { met }] of Object.entries(CONDITIONS)) {
    const seq = 6;
    const there = name === "delivered" ? stateOf(published(0, 10)) : state;
    assert.equal(Boolean(met(decode(rows[name]), there, seq)), true, name);
    const others = Object.keys(rows).filter((other) => ![name, "read", "delivered"].includes(other));
    for (const other of others) assert.equal(Boolean(met(decode(rows[other]), there, seq)), false, `${name} by ${other}`);
  }
  const { met, now } = CONDITIONS.delivered;
  const queue = stateOf(published(0, 10));
  assert.equal(met(decode(rows.delivered), queue, 8), false);
  assert.equal(now(queue, 3), false, "not published by any count yet");
  queue.queues.orders.counters.next_seq_id = 10;
  assert.equal(now(queue, 3), false, "it waits in q4");
  queue.queues.orders.lanes = { ...queue.queues.orders.lanes, q4: [], ram_pending: [extent(3, 1, 18)] };
  assert.deepEqual([now(queue, 3), now(queue, 4)], [true, true]);
  assert.equal(CONDITIONS.empty.met(decode(rows.empty), stateOf(published(0, 2))), false);
  assert.equal(CONDITIONS.memory.met(decode(["NodeChanged", "M7", "alarms", { memory: false }, {}]), state), false);
});

function waiting(name) {
  const session = live();
  const sent = [];
  const ends = [];
  const until = new Until(
    session,
    (message) => sent.push(message.play),
    (end) => ends.push(end),
  );
  until.start(name);
  return { session, sent, ends, until };
}

test("run until delta: plays, pauses at the row, and tells the position after it", () => {
  const { session, sent, ends } = waiting("delta");
  feed(session, published(0, 40), 1_000_000);
  feed(session, paged(0, 40, 10), 2_000_000);
  assert.deepEqual(sent, [true, false]);
  feed(session, published(40, 1), 2_050_000);
  assert.deepEqual(ends, [], "the pause is still on its way");
  feed(session, [], 2_100_000, false);
  assert.deepEqual(ends, [{ name: "delta", how: "reached", position: 5 }]);
  feed(session, [], 2_200_000);
  assert.deepEqual(sent, [true, false], "it is over");
});

test("a wait ends at its bound, when the run is paused, and among transitions too fast to show", () => {
  const bound = waiting("memory");
  feed(bound.session, [], 61_000_000);
  assert.deepEqual(bound.sent, [true, false]);
  assert.deepEqual(bound.ends, []);
  feed(bound.session, [], 61_050_000, false);
  assert.equal(bound.ends[0].how, "bound");
  const paused = waiting("memory");
  feed(paused.session, [], 1, false);
  assert.deepEqual(paused.ends, []);
  feed(paused.session, [], 2, true);
  feed(paused.session, [], 3, false);
  assert.equal(paused.ends[0].how, "stopped");
  const fast = waiting("read");
  const message = { next: 900, at_us: 5, state: stateOf(), digest: "", why: "fast" };
  fast.session.snapshot({ ...message, skipped: { DeltaRead: 1 } });
  assert.deepEqual(fast.ends, []);
  feed(fast.session, [], 5, false);
  assert.deepEqual(fast.ends, [{ name: "read", how: "fast", position: null }]);
});
