import assert from "node:assert/strict";
import { test } from "node:test";
import { Life } from "../../static/js/model/life.js";
import { missing, takePast } from "../../static/js/model/past.js";
import { Playhead } from "../../static/js/model/playhead.js";
import { emptyState, reduce } from "../../static/js/model/reduce.js";
import { Session } from "../../static/js/model/session.js";
import { Past } from "../../static/js/net/past.js";
import { feed, paged, published, started } from "./feed.js";

const ROWS = [...started, ...published(0, 40), ...paged(0, 40, 10), ...published(40, 5, { to: "q1" })];
const AT_US = ROWS.map((_, at) => at * 100_000);

/** A page that came after so many rows. */
function late(number) {
  const session = new Session();
  const state = reduce(emptyState(), ROWS.slice(0, number));
  session.snapshot({ next: number, at_us: AT_US[number - 1], state, digest: "", why: "join" });
  return session;
}

/** What the host tells of rows. */
function pastOf(from, to) {
  const state = from ? reduce(emptyState(), ROWS.slice(0, from)) : undefined;
  const us = from ? AT_US[from - 1] : 0;
  return { stretches: [{ first: from, us, state, rows: ROWS.slice(from, to), at_us: AT_US.slice(from, to) }], through: to };
}

/** A host that answers for a while; the questions are kept. */
function host(...statuses) {
  const requested = [];
  const request = async (address) => {
    const query = new URLSearchParams(address.split("?")[1]);
    requested.push([Number(query.get("from")), Number(query.get("to"))]);
    const status = statuses.shift() ?? 200;
    return { ok: status === 200, status, json: async () => pastOf(...requested[requested.length - 1]) };
  };
  return { request, requested };
}

const settled = () =>
  new Promise((then) => {
    setTimeout(then, 0);
  });

test("a page that came late can be scrubbed from the beginning", async () => {
  const session = late(ROWS.length - 1);
  const playhead = new Playhead(session);
  const { request, requested } = host();
  const past = new Past("/past", playhead, request);
  past.came();
  await settled();
  assert.deepEqual(requested, [[0, ROWS.length - 1]]);
  assert.equal(session.history.start, 0);
  playhead.home();
  assert.deepEqual(playhead.state, emptyState());
  for (let at = 1; at < ROWS.length; at += 1) {
    playhead.forward();
    assert.deepEqual(playhead.state.queues, reduce(emptyState(), ROWS.slice(0, at)).queues, `position ${at}`);
  }
  assert.equal(playhead.behind, false);
});

test("the time line, the events, the first steps and a message's life begin where the run began", () => {
  const session = late(ROWS.length - 1);
  assert.deepEqual(session.timeline.events, []);
  takePast(session, pastOf(0, ROWS.length - 1));
  assert.deepEqual(session.timeline.events.map(({ type }) => type), ["start", "paging", "beta", "delta"]);
  assert.ok(session.seen.has("AlphasPushed"));
  assert.equal(session.timeline.samples[0].us, 0);
  assert.ok(session.timeline.lines.some((line) => line.t.kind === "Published"));
  const life = Life.of(session.history, { queue: "orders", seq: 12, msgNo: 12, flags: null }, 8);
  assert.equal(life.events[0].what, "published");
  feed(session, published(45, 2, { to: "q1" }), 9_000_000);
  assert.equal(session.history.stretches.length, 1, "what was told and what is watched are one");
});

test("what is kept stays, what touches is one, and what lies between is requested for the moment that is shown", () => {
  const session = late(9);
  takePast(session, pastOf(0, 3));
  const { history } = session;
  assert.deepEqual(history.stretches.map(({ first, rows }) => [first, rows.length]), [[0, 3], [9, 0]]);
  assert.deepEqual(missing(history, 3), { from: 3, to: 9 });
  assert.deepEqual(missing(history, 9), { from: 3, to: 9 });
  assert.equal(missing(history, 1), null);
  takePast(session, pastOf(2, 6));
  takePast(session, pastOf(5, ROWS.length));
  assert.deepEqual(history.stretches.map(({ first }) => first), [0]);
  assert.equal(history.end, ROWS.length);
  assert.equal(history.rowCount, ROWS.length);
  assert.deepEqual(history.stateAt(7).queues, reduce(emptyState(), ROWS.slice(0, 7)).queues);
});

test("a host without the rows gets no second request for them, and whoever waits goes on", async () => {
  const session = late(6);
  const { request, requested } = host(404);
  const playhead = new Playhead(session);
  const past = new Past("/past", playhead, request);
  let ready = 0;
  past.ready(() => (ready += 1));
  past.came();
  assert.equal(ready, 0);
  await settled();
  assert.equal(ready, 1);
  past.came();
  await settled();
  assert.equal(requested.length, 1);
  past.ready(() => (ready += 1));
  assert.equal(ready, 2);
});

test("what is told of another run is not taken", async () => {
  const session = late(6);
  const playhead = new Playhead(session);
  const { request, requested } = host();
  const past = new Past("/past", playhead, request);
  past.came();
  session.snapshot({ next: 4, at_us: 1, state: reduce(emptyState(), ROWS.slice(0, 4)), digest: "x", why: "join" });
  await settled();
  await settled();
  assert.deepEqual(requested, [[0, 6], [0, 4]]);
  assert.equal(session.history.end, 4);
});
