/** One choice of a message for the whole page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Selection } from "../../static/js/model/selection.js";

test("who listens is told what changed, and finds it there", () => {
  const selection = new Selection();
  const changes = [];
  selection.listen((what) => changes.push([what, selection[what]]));
  selection.choose(7);
  selection.point(3);
  selection.focus(5);
  selection.choose(null);
  assert.deepEqual(changes, [["chosen", 7], ["pointed", 3], ["focused", 5], ["chosen", null]]);
});

test("the pointer over the same message says nothing new; a choice of the same one is a choice", () => {
  const selection = new Selection();
  const changes = [];
  selection.listen((what) => changes.push(what));
  selection.point(3);
  selection.point(3);
  selection.choose(3);
  selection.choose(3);
  assert.deepEqual(changes, ["pointed", "chosen", "chosen"]);
});
