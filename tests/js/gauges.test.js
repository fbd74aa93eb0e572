/** Labels of a thermometer: beside their lines, never over each other, never beyond the tube. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { labelPlaces } from "../../static/js/view/stage/gauges.js";

test("labels never collide, wherever the lines are", () => {
  for (let one = 0; one <= 100; one += 5)
    for (let other = one; other <= 100; other += 5) {
      const [first, second] = labelPlaces([one, other], 4, 100);
      assert.ok(second - first >= 25, `${one} and ${other}`);
      assert.ok(second <= 100);
    }
  assert.deepEqual(labelPlaces([10, 60], 4, 100), [10, 60]);
  assert.deepEqual(labelPlaces([98, 100], 4, 100), [75, 100]);
});
