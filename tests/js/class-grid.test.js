import assert from "node:assert/strict";
import { test } from "node:test";
import { need, sorted, sums, totals } from "../../static/js/classroom/grid.js";

const student = (name, cells, online = true) => ({ id: name, name, cells, online });
const CLASS = [
  student("quick", { a: ["done", 1, 2], b: ["done", 1, 3] }),
  student("stuck-long", { a: ["stuck", 1, 9] }),
  student("stuck-short", { a: ["stuck", 5, 4] }),
  student("trying", { a: ["done", 1, 1], b: ["working", 3, 1] }),
  student("absent", {}, false),
];
const names = (students) => students.map((each) => each.name);

test("who is stuck for longest comes first, who is done last", () => {
  assert.deepEqual(names(sorted(CLASS, "need")), ["stuck-long", "stuck-short", "trying", "absent", "quick"]);
  assert.ok(need(CLASS[1])[0] > need(CLASS[3])[0]);
});

test("by name and by progress", () => {
  assert.equal(names(sorted(CLASS, "name"))[0], "absent");
  assert.equal(names(sorted(CLASS, "progress"))[0], "quick");
  assert.deepEqual(names(sorted(CLASS, "nonsense")), names(sorted(CLASS, "need")));
});

test("sums count what is shown only", () => {
  assert.deepEqual(sums(CLASS, ["a"]), { a: { done: 2, working: 0, stuck: 2 } });
});

test("totals", () => {
  assert.deepEqual(totals(CLASS, ["a", "b"]), { online: 4, stuck: 2, share: 30 });
  assert.equal(totals([], ["a"]).share, null);
});
