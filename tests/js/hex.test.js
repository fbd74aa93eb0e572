import assert from "node:assert/strict";
import { test } from "node:test";
import { bitGroups, fitsUnder, hexRows, hexText } from "../../static/js/layout/hex.js";
import { indexScene } from "../../static/js/generations/v1/layout/index-map.js";
import { entryAt } from "../../static/js/layout/segments.js";
import { byteAt, storeScene } from "../../static/js/layout/store-map.js";
import { fieldName, fieldValue, whyNoBytes } from "../../static/js/model/byte-words.js";
import "../../static/js/generations/all.js";
import { entryOf, indexPlan } from "../../static/js/generations/v1/model/bytes.js";
import { recordAtByte, seqOfNumber, storePlan } from "../../static/js/model/bytes.js";
import { recordOf, recordOfNumber } from "../../static/js/model/messages.js";

const field = (name, offset, length, more = {}) => ({
  name,
  part: name,
  offset,
  length,
  shown: length,
  value: "",
  rule: "S60",
  depth: 0,
  bits: [],
  ...more,
});

const entry = {
  name: "0.idx",
  offset: 72,
  size: 36,
  hex: `c003${  "ab".repeat(16)  }${"00".repeat(16)  }4003`,
  fields: [
    field("kind and entry", 0, 2, { bits: [["publish", 15, 15, 1, ""], ["persistent", 14, 14, 1, ""], ["rel", 13, 0, 3, ""]] }),
    field("message id", 2, 16),
    field("expiry", 18, 8),
    field("body size", 26, 4),
    field("embedded length", 30, 4),
    field("deliver", 34, 2),
  ],
};

test("rows hold 16 bytes, and a field that goes on begins only once", () => {
  const rows = hexRows(entry);
  assert.deepEqual(
    rows.map((row) => [row.at, row.cells.reduce((sum, cell) => sum + cell.bytes.length, 0)]),
    [
      [72, 16],
      [88, 16],
      [104, 4],
    ],
  );
  const id = rows.flatMap((row) => row.cells).filter((cell) => cell.field === 1);
  assert.deepEqual(id.map((cell) => [cell.bytes.length, cell.first]), [[14, true], [2, false]]);
  assert.equal(rows.flatMap((row) => row.cells.flatMap((cell) => cell.bytes)).join(""), entry.hex);
});

test("a long body is cut, told, and what follows begins a row with its true offset", () => {
  const record = {
    name: "0.rdq",
    offset: 1000,
    size: 6001,
    hex: `${"41".repeat(512)  }ff`,
    fields: [field("body", 0, 6000, { part: "body", shown: 512 }), field("marker", 6000, 1)],
  };
  const rows = hexRows(record);
  assert.equal(rows.length, 4);
  assert.deepEqual(rows[2], { more: 6000 - 32, field: 0 });
  assert.equal(rows[3].at, 7000);
  assert.deepEqual(rows[3].cells[0].bytes, ["ff"]);
  assert.equal(hexRows(record, true).length, 34);
  assert.match(hexText(record), /00001b58 {2}ff {2}marker/);
});

test("bits are written highest first, long numbers are cut", () => {
  assert.deepEqual(bitGroups(entry.fields[0]).map((group) => group.digits), ["1", "1", "00000000000011"]);
  assert.match(bitGroups({ bits: [["seq_id", 61, 0, 5, ""]] })[0].digits, /^00…00000101$/);
  assert.ok(fitsUnder("expiry", 8));
  assert.ok(!fitsUnder("kind and entry", 2));
});

const row = (start, count, flags) => [start, count, start + 100, 5000, flags, 0, 0];
const state = () => ({
  node: { settings: { segment_entry_count: 8, msg_store_file_size_limit: 100_000 } },
  queues: {
    q: {
      lanes: { q4: [row(0, 4, 1 + 2 + 4 + 8 + 16), row(4, 2, 1 + 2 + 8), row(6, 2, 2 + 16)] },
      counted: { delta: [10, 2, 0, 12] },
      own: {
        index: {
          entries: [[0, 6, 3], [10, 2, 16]],
          segments: [[1, 200]],
          journal_bytes: 400,
          buffered_bytes: 40,
          dirty: 5,
        },
      },
    },
  },
  stores: {
    persistent: {
      rows: [[100, 3, 1, 0, 10_368, 5184, -1], [103, 1, 0, 0, 15_552, 5184, 1], [110, 2, 1, 0, 20_736, 5184, 1]],
      files: [[0, 31_104, 25_920, false, 20_736]],
      current: 0,
      buffered_bytes: 10_368,
    },
  },
});

test("a byte of a store file leads to its message, and the message back to it", () => {
  const now = state();
  for (const [seq, offset] of [[0, 10_368], [2, 0]]) {
    assert.equal(recordOf(now, now.queues.q, seq).offset, offset);
    const found = recordAtByte(now, "persistent", 0, offset + 17);
    assert.equal(found.offset, offset);
    assert.equal(seqOfNumber(now.queues.q, found.msgNo), seq);
  }
  assert.equal(recordAtByte(now, "persistent", 0, 16_000).refs, 0);
  assert.equal(recordAtByte(now, "persistent", 0, 99_000), null);
  assert.equal(seqOfNumber(now.queues.q, 110), null, "delta keeps no numbers");
  assert.equal(recordOfNumber(now, "persistent", 111).offset, 25_920);
});

test("the plan has the question, or the reason why there is nothing to read", () => {
  const now = state();
  const { q } = now.queues;
  assert.deepEqual(indexPlan(now, q, 2).question, { queue: "q", seq: 2 });
  assert.equal(indexPlan(now, q, 6).why, "ram");
  assert.equal(indexPlan(now, q, 900).why, "gone");
  assert.deepEqual(storePlan(now, q, 1, null).question, { file: "persistent:0", offset: 5184 });
  assert.equal(storePlan(now, q, 4, null).why, "embedded");
  assert.equal(storePlan(now, q, 6, null).why, "ram");
  assert.equal(storePlan(now, q, 10, null).why, "unknown");
  const indexRecord = { embedded: 0, msg_id: `${"00".repeat(8)  }000000000000006e`, fields: [{ value: "publish, persistent, entry 2" }] };
  assert.equal(storePlan(now, q, 10, indexRecord).why, "buffer");
  now.stores.persistent.files[0][4] = 31_104;
  assert.deepEqual(storePlan(now, q, 10, indexRecord).question, { file: "persistent:0", offset: 20_736 });
  q.own.index.journal_bytes = 0;
  assert.equal(indexPlan(now, q, 2).why, "journal");
  for (const why of ["gone", "ram", "embedded", "buffer", "journal", "unknown", "garbage"])
    assert.ok(whyNoBytes("index", { why }).length > 20);
});

test("cells and blocks are found at the point where they are drawn", () => {
  const now = state();
  const index = indexScene(now, now.queues.q, 400, 120);
  for (const seq of [0, 5, 10]) {
    const { segment, relative } = entryOf(now, seq);
    const item = index.items.find((each) => each.number === segment);
    const x = item.mapX + (relative + 0.5) * item.grid.cw - 1;
    assert.equal(entryAt(index, x, item.y + 4), seq);
  }
  assert.equal(entryAt(index, 2, 2), null);
  const store = storeScene(now, now.queues.q, "persistent", 500, 120);
  const [file] = store.files;
  const at = byteAt(store, file.x + (6000 / store.scale) * file.w, file.y + 2);
  assert.equal(recordAtByte(now, "persistent", at.file, at.at).offset, 5184);
  assert.equal(byteAt(store, file.x + file.used + 3, file.y + 2), null);
});

test("values the engine tells in English are told in the reader's words", () => {
  assert.equal(fieldValue({ value: "publish, persistent, entry 1707" }), "publish, persistent, entry 1\u202f707");
  assert.equal(fieldValue({ value: "6436 = 16 of the id + 6420 of the term" }), "6\u202f436 = 16 of the id + 6\u202f420 of the term");
  assert.equal(fieldValue({ value: 'binary "q"' }), 'binary "q"');
  assert.equal(fieldName("marker"), "ok");
});
