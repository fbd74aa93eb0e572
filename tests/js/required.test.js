/** What cannot be missing: where it is, the error says what. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "../../static/js/model/text.js";
import { dataOf, required } from "../../static/js/view/base/dom.js";

test("a value that is there comes back, also an empty one", () => {
  for (const value of [0, "", false, 7]) assert.equal(required(value, "a value"), value);
});

test("a value that is missing is named", () => {
  for (const value of [null, undefined]) assert.throws(() => required(value, "the lane of delta"), /^Error: the lane of delta is missing$/);
});

test("an attribute that a template lacks is named", () => {
  const element = /** @type {any} */ ({ dataset: { seq: "12" } });
  assert.equal(dataOf(element, "seq"), "12");
  assert.throws(() => dataOf(element, "places"), /data-places is missing/);
});

test("what went wrong is said whatever was thrown", () => {
  assert.equal(messageOf(new TypeError("no room")), "no room");
  assert.equal(messageOf("offline"), "offline");
});
