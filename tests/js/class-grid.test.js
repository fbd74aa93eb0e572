import assert from "node:assert/strict";
import { test } from "node:test";
import { need, sorted, sums, totals } from "../../static/js/classroom/grid.js";

const student = (name, cells, online = true) => ({ id: name, name, cells, online });
const CLASS = [
  student("quick", { a: ["first", 1, 2], b: ["later", 2, 3] }),
  student("help-long", { a: ["help", 1, 9] }),
  student("help-short", { a: ["help", 5, 4] }),
  student("trying", { a: ["first", 1, 1], b: ["wrong", 3, 1] }),
  student("absent", {}, false),
];
const names = (students) => students.map((each) => each.name);

test("who needs help for longest comes first, who is done last", () => {
  assert.deepEqual(names(sorted(CLASS, "need")), ["help-long", "help-short", "trying", "absent", "quick"]);
  assert.ok(need(CLASS[1])[0] > need(CLASS[3])[0]);
});

test("by name and by progress", () => {
  assert.equal(names(sorted(CLASS, "name"))[0], "absent");
  assert.equal(names(sorted(CLASS, "progress"))[0], "quick");
  assert.deepEqual(names(sorted(CLASS, "nonsense")), names(sorted(CLASS, "need")));
});

test("sums count what is shown only", () => {
  assert.deepEqual(sums(CLASS, ["a"]), { a: { first: 2, later: 0, working: 0, wrong: 0, help: 2 } });
});

test("totals", () => {
  assert.deepEqual(totals(CLASS, ["a", "b"]), { online: 4, help: 2, share: 30 });
  assert.equal(totals([], ["a"]).share, null);
});
