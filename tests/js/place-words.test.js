/** What a lane is called follows from the table of places, for any queue. */
import assert from "node:assert/strict";
import test from "node:test";
import { PLACES } from "../../static/js/model/catalogue/places.js";
import { laneLabel, laneMeaning, lanesOf, stageLanesOf } from "../../static/js/model/places.js";

test("each lane of the usual queue says what lies in it, and which end it is", () => {
  assert.deepEqual(stageLanesOf(null).map((name) => laneMeaning(name, lanesOf(null))), [
    "α, newest",
    "β γ",
    "δ, one record for all",
    "β γ",
    "α, next to deliver",
    "with consumers",
  ]);
});

test("a screen reader hears the lane, how many messages, and where they wait", () => {
  assert.deepEqual(stageLanesOf(null).map((name) => laneLabel(name, name === "q2" ? 1 : 12, lanesOf(null))), [
    "q1, 12 messages, newest of the queue",
    "q2, 1 message",
    "delta, 12 messages on disk",
    "q3, 12 messages",
    "q4, 12 messages, oldest next to deliver",
    "unacknowledged, 12 messages",
  ]);
});

test("a lane of another kind of queue needs its row in the table, and no other words", () => {
  PLACES.other = [{ ...PLACES.variable_queue[0], name: "only" }];
  try {
    assert.equal(laneMeaning("only", ["only"]), "α, newest");
    assert.equal(laneLabel("only", 2, ["new", "only"]), "only, 2 messages, oldest next to deliver");
  } finally {
    delete PLACES.other;
  }
});
