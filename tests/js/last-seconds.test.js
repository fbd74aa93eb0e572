import assert from "node:assert/strict";
import { test } from "node:test";
import { LastSeconds } from "../../static/js/view/time/last-seconds.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { feed, live, paged, published } from "./feed.js";

/** A run of ten seconds, and a clock that a test moves. */
function setUp() {
  const session = live();
  feed(session, published(0, 40), 1_000_000, false);
  feed(session, paged(0, 40, 10), 8_000_000, false);
  feed(session, published(40, 5, { to: "q1" }), 10_000_000, false);
  const playhead = new Playhead(session);
  let now = 0;
  let next = null;
  const player = new LastSeconds(playhead, (act) => (next = act), () => now);
  const turn = (ms) => {
    now += ms;
    const act = next;
    next = null;
    act?.();
  };
  return { playhead, player, turn, pending: () => next !== null };
}

test("the last three seconds are played once, then the present stands", () => {
  const { playhead, player, turn, pending } = setUp();
  player.play();
  assert.equal(playhead.nowUs, 7_000_000);
  assert.equal(playhead.state.queues.orders.lanes.q3.length, 0);
  turn(1500);
  assert.equal(playhead.nowUs, 8_500_000);
  assert.ok(playhead.state.queues.orders.lanes.q3.length);
  turn(2000);
  assert.equal(playhead.behind, false);
  assert.equal(pending(), false);
});

test("a moment of the past stands where it was, and who looks elsewhere is left alone", () => {
  const { playhead, player, turn, pending } = setUp();
  playhead.toTime(8_200_000);
  const { position } = playhead;
  player.play();
  turn(4000);
  assert.deepEqual([playhead.position, playhead.nowUs, playhead.behind], [position, 8_200_000, true]);
  player.play();
  turn(100);
  playhead.home();
  turn(100);
  assert.equal(playhead.position, 0);
  assert.equal(pending(), false);
});
