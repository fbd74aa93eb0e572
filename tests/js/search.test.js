/** Finding an action by some words. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { search } from "../../static/js/model/search.js";

const ITEMS = [
  { title: "Publish a burst" },
  { title: "Pull the plug", words: "power restart crash" },
  { title: "Restart the node in order" },
  { title: "Run until: publish ends" },
  { title: "队列模式：lazy" },
];
const titles = (query) => search(ITEMS, query).map((each) => each.title);

test("without words everything is there, as it is", () => {
  assert.deepEqual(titles("  "), ITEMS.map((each) => each.title));
});

test("what begins with the word comes first", () => {
  assert.deepEqual(titles("publish"), ["Publish a burst", "Run until: publish ends"]);
});

test("other words for an action find it, after those named so", () => {
  assert.deepEqual(titles("RESTART"), ["Restart the node in order", "Pull the plug"]);
});

test("every word must be there", () => {
  assert.deepEqual(titles("plug power"), ["Pull the plug"]);
  assert.deepEqual(titles("plug burst"), []);
});

test("Chinese is found without spaces", () => {
  assert.deepEqual(titles("模式"), ["队列模式：lazy"]);
});
