import assert from "node:assert/strict";
import { test } from "node:test";
import { Playhead } from "../../static/js/model/playhead.js";
import { total } from "../../static/js/model/stretches.js";
import { feed, live, paged, published, stateOf } from "./feed.js";

/** 40 messages at 1 s, paged at 2 s, 5 more at 3 s. */
function setUp() {
  const session = live();
  feed(session, published(0, 40), 1_000_000);
  feed(session, paged(0, 40, 10), 2_000_000);
  feed(session, published(40, 5, { to: "q1" }), 3_000_000);
  return { session, playhead: new Playhead(session) };
}

const lengths = (state) => ["q4", "q3", "q1"].map((lane) => total(state.queues.orders.lanes[lane]));

test("one transition back and on again, to the present", () => {
  const { session, playhead } = setUp();
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
  const { session, playhead } = setUp();
  playhead.event(-1);
  assert.deepEqual(lengths(playhead.state), [10, 6, 0]);
  playhead.event(-1);
  assert.deepEqual(lengths(playhead.state), [10, 30, 0]);
  assert.equal(playhead.reasons().lines.at(-1).t.kind, "AlphasPushed");
  assert.equal(playhead.lastTarget("orders").t.target, 10);
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
  const { playhead } = setUp();
  playhead.toTime(1_500_000);
  assert.equal(playhead.nowUs, 1_500_000);
  assert.deepEqual(lengths(playhead.state), [40, 0, 0]);
  playhead.toTime(9_000_000);
  assert.equal(playhead.behind, false);
});

test("the run goes on and the picture stays; another run brings back the present", () => {
  const { session, playhead } = setUp();
  playhead.home();
  feed(session, published(45, 5, { to: "q1" }), 4_000_000);
  assert.deepEqual(lengths(playhead.state), [0, 0, 0]);
  assert.deepEqual(lengths(session.state), [10, 6, 10]);
  session.snapshot({ next: 2, at_us: 5, state: stateOf(), digest: "x", why: "join" });
  assert.equal(playhead.behind, false);
});

test("a start that is looked at again says what became of the queue's messages, as it did when it came", () => {
  const { session, playhead } = setUp();
  const started = ["QueueStarted", "Q62", "orders", "default", true, [null, 0, 0, null], { len: 0 }];
  feed(session, [["QueueStopped", "S234", "orders", "power"], started], 4_000_000);
  const [restart] = playhead.reasons().lines.slice(-1);
  assert.equal(restart.t.kind, "QueueStarted");
  assert.equal(total(restart.fate.lost), 45);
  feed(session, published(0, 1), 5_000_000);
  assert.ok(playhead.toTime(4_000_000));
  const [again] = playhead.reasons().lines.slice(-1);
  assert.deepEqual(again.fate, restart.fate);
  assert.equal(again.messages, restart.messages);
});
