/** The directory of a node: names as the broker makes them, files as the state has them. */
import "../../static/js/generations/all.js";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { awaitsFirstRecord, directoryOf, hashed } from "../../static/js/model/directory.js";
import { md5 } from "../../static/js/model/md5.js";

test("MD5 is MD5, for every length around a block's end", () => {
  for (let length = 0; length < 140; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256);
    assert.equal(Buffer.from(md5(bytes)).toString("hex"), createHash("md5").update(bytes).digest("hex"));
  }
});

test("directories have the names that a 3.10.8 node gives them", () => {
  assert.equal(hashed("/"), "628WB79CIFDYO9LJI6DKMI09L");
  assert.equal(hashed("queue/orders"), "F0LI8Q2L5NQQX8KRJAO1AHU7J");
});

test("files come and go with the state", () => {
  const index = { segments: [], journal_bytes: null };
  const state = { stores: { persistent: { files: [[0, 0, 0, false, 0]] } }, queues: { orders: { own: { index } } } };
  const names = () => directoryOf(state).map((line) => line.name);
  assert.deepEqual(names().slice(2), ["msg_store_persistent/", "0.rdq", "queues/"]);
  assert.equal(awaitsFirstRecord(directoryOf(state)), true, "what will come is said");
  Object.assign(index, { segments: [[3, 288]], journal_bytes: 40 });
  assert.deepEqual(names().slice(-2), ["journal.jif", "3.idx"]);
  assert.equal(awaitsFirstRecord(directoryOf(state)), false);
  assert.deepEqual(directoryOf(state).slice(-2).map((line) => line.bytes), [40, 288]);
});
