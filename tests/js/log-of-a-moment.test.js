/** What happened, seen from a moment of the past: what had happened by then, and apart from it what came later. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Playhead } from "../../static/js/model/playhead.js";
import { feed, live, paged, published } from "./feed.js";

/** 10 messages at 1 s, 20 more a moment later, which is one line of the log; paged at 2 s. */
function setUp() {
  const session = live();
  feed(session, published(0, 10), 1_000_000);
  feed(session, published(10, 20), 1_400_000);
  feed(session, paged(0, 30, 10), 2_000_000);
  return { session, playhead: new Playhead(session) };
}

const told = (lines) => lines.map(({ t, messages, times }) => [t.kind, messages, times]);

test("at the present nothing is later", () => {
  const { session, playhead } = setUp();
  assert.deepEqual(playhead.log(), { lines: session.timeline.lines, later: [] });
  assert.deepEqual(told(playhead.log().lines).at(0), ["Published", 30, 2]);
});

test("a line that went on afterwards has counted what had come by the moment, and no later one is among them", () => {
  const { playhead } = setUp();
  playhead.toTime(1_200_000);
  const { lines, later } = playhead.log();
  assert.deepEqual(told(lines), [["Published", 10, 1]]);
  assert.equal(lines[0].atUs, 1_000_000);
  assert.ok(later.length >= 2);
  assert.ok(later.every(({ first, t }) => first >= playhead.position && t.kind !== "Published"));
});

test("a moment between: whole lines stay as they are, and every line stands on one side", () => {
  const { session, playhead } = setUp();
  playhead.toTime(1_500_000);
  assert.deepEqual(told(playhead.log().lines), [["Published", 30, 2]]);
  for (let position = 0; position < session.next; position += 1) {
    if (!playhead.go(position)) continue;
    const { lines, later } = playhead.log();
    assert.ok(lines.every(({ number }) => number < position), `lines at ${position}`);
    assert.ok(later.every(({ number }) => number >= position), `later at ${position}`);
    assert.equal(new Set([...lines, ...later].map(({ first }) => first)).size, session.timeline.lines.length, `all lines at ${position}`);
  }
});
