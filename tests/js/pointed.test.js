import assert from "node:assert/strict";
import { test } from "node:test";
import { pointed } from "../../static/js/exercises/pointed.js";

test("pointing fills the chosen row if it is empty, else the first empty one, else the chosen or the last", () => {
  assert.equal(pointed(["q3", "", ""], 2), 2);
  assert.equal(pointed(["q3", "", ""], -1), 1);
  assert.equal(pointed(["q3", "", ""], 0), 1, "its words were just written");
  assert.equal(pointed(["q3", "q4", "delta"], 0), 0);
  assert.equal(pointed(["q3", "q4", "delta"], -1), 2);
});
