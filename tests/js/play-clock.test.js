/** The clock of a run that is played elsewhere: it goes on between two messages, and never back while time passes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayClock } from "../../static/js/model/play-clock.js";
import { Session } from "../../static/js/model/session.js";
import { following } from "../../static/js/net/transport.js";
import { stateOf } from "./feed.js";

const S = 1_000_000;

for (const speed of [0.1, 1, 100])
  test(`at ${speed} times the clock goes on evenly, and waits where it was told to`, () => {
    const clock = new PlayClock();
    clock.set(2 * S, 500, 2 * S + 3 * S * speed, speed);
    const shown = [500, 1500, 2500, 3500, 9500].map((ms) => clock.at(ms));
    assert.deepEqual(shown, [0, 1, 2, 3, 3].map((s) => 2 * S + s * S * speed));
    assert.equal(clock.runs, false);
  });

test("a clock that was told nothing stands", () => {
  const clock = new PlayClock();
  clock.set(5, 0);
  assert.deepEqual([clock.at(10_000), clock.runs], [5, false]);
});

test("a clock that is ahead of a run that became slower waits for it, and goes on with it", () => {
  const clock = new PlayClock();
  clock.set(0, 0, 6 * S);
  assert.equal(clock.at(2000), 2 * S);
  clock.follow(S, 2000, 7 * S);
  assert.deepEqual([2000, 2500, 3000, 3500].map((ms) => clock.at(ms)), [2 * S, 2 * S, 2 * S, 2.5 * S]);
});

test("a clock that is behind its run is with it at the next message", () => {
  const clock = new PlayClock();
  clock.set(0, 0, S);
  clock.follow(4 * S, 2000, 5 * S);
  assert.equal(clock.at(2000), 4 * S);
});

const NEW = { next: 0, at_us: 0, state: stateOf(), digest: "", why: "join", skipped: null };
const heard = (us, more = {}) => ({ first: 0, rows: [], at_us: [], now_us: us, digest: "", play: true, speed: 1, ...more });

function playing(to = 6 * S) {
  const session = new Session();
  session.snapshot(NEW, 0);
  session.frame(heard(0, { to_us: to }), 0);
  return session;
}

test("what is shown goes on; what is known of the run does not", () => {
  const session = playing();
  session.pass(300);
  assert.deepEqual([session.nowUs, session.knownUs], [300_000, 0]);
});

test("all listeners are told twice a second that time passes, those of the time each step", () => {
  const session = playing();
  const heardOf = [];
  let steps = 0;
  session.listen(({ kind, rows }) => heardOf.push([kind, rows]));
  session.watchTime(() => (steps += 1));
  for (let ms = 100; ms <= 1000; ms += 100) session.pass(ms);
  assert.deepEqual(heardOf, [["passed", 0], ["passed", 0]]);
  assert.equal(steps, 10);
});

test("no later moment is shown than the one at which the run stops", () => {
  const session = playing(S);
  session.pass(5000);
  assert.equal(session.nowUs, S);
});

test("whoever pauses sees no moment go back: the clock waits for the answer", () => {
  const session = playing();
  session.hold(1000);
  session.pass(1080);
  assert.equal(session.nowUs, S);
  session.frame(heard(1_050_000, { play: false }), 1100);
  session.pass(2000);
  assert.deepEqual([session.nowUs, session.play], [1_050_000, false]);
});

test("a pause that somebody else made shows the moment of the run, whatever was shown", () => {
  const session = playing();
  session.pass(1000);
  session.frame(heard(990_000, { play: false }), 1010);
  assert.equal(session.nowUs, 990_000);
});

test("another speed begins where the run is: waiting for it would take long", () => {
  const session = playing();
  session.pass(1000);
  session.frame(heard(900_000, { speed: 0.1, to_us: 2 * S }), 1000);
  session.pass(2000);
  assert.equal(session.nowUs, S);
});

test("a run that was taken back shows its own moment; one whose rows were too many goes on", () => {
  const session = playing();
  session.pass(2000);
  session.snapshot({ ...NEW, next: 900, at_us: 1_500_000, why: "fast", skipped: {}, to_us: 6 * S }, 2000);
  assert.equal(session.nowUs, 2 * S);
  session.pass(3000);
  assert.equal(session.nowUs, 2_500_000);
  session.snapshot({ ...NEW, next: 3, at_us: 400_000 }, 3000);
  assert.equal(session.nowUs, 400_000);
});

test("a session that follows lets its time pass by itself, until its link is lost", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let ms = 0;
  const wait = (steps) => {
    for (let at = 0; at < steps; at += 1) {
      ms += 80;
      t.mock.timers.tick(80);
    }
  };
  const session = new Session();
  const statuses = [];
  const listeners = following(session, { status: (name) => statuses.push(name) }, () => ms);
  listeners.snapshot(NEW);
  listeners.frame(heard(0, { to_us: 6 * S }));
  wait(10);
  assert.equal(session.nowUs, 800_000);
  listeners.sent({ t: "ack", through: 0 });
  wait(1);
  assert.equal(session.nowUs, 880_000);
  listeners.status("lost", 500);
  wait(5);
  assert.equal(session.nowUs, 880_000);
  assert.deepEqual(statuses, ["lost"]);
  listeners.frame(heard(700_000, { to_us: 6 * S }));
  listeners.sent({ t: "control", play: false });
  wait(5);
  assert.equal(session.nowUs, 880_000);
});
