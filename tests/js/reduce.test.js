import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS } from "../../static/js/model/catalogue/kinds.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { canonical, differences } from "../../static/js/model/canonical.js";
import { lengthOf } from "../../static/js/model/messages.js";
import { emptyState, handlerOf, reduce } from "../../static/js/model/reduce.js";
import { narrate } from "../../static/js/model/why.js";
import { extent, paged, published, started, stateOf } from "./feed.js";

test("every kind that changes the state has a handler, and no other kind has", () => {
  const changing = Object.keys(KINDS).filter((kind) => KINDS[kind].fold);
  assert.deepEqual(Object.keys(KINDS).filter((kind) => handlerOf(kind)), changing);
});

test("a kind that is not known is an error, not a gap", () => {
  assert.throws(() => reduce(emptyState(), [["Surprise", "Q0"]]), /unknown transition/);
});

test("publishing and paging move the messages through the lanes", () => {
  const state = stateOf(published(0, 40), paged(0, 40, 10));
  const queue = state.queues.orders;
  assert.deepEqual(
    ["q1", "q2", "delta", "q3", "q4"].map((lane) => lengthOf(queue, lane)),
    [0, 0, 24, 6, 10],
  );
  assert.equal(queue.counters.target_ram_count, 10);
  assert.equal(queue.own.reduced.q4_moved, 30);
});

test("bytes of entries that were recorded before change no entry (S77)", () => {
  const state = stateOf([
    ["EntriesRecorded", "S76", "orders", "publish", 0, 10, 0],
    ["EntriesRecorded", "S77", "orders", "publish", 4, 0, 360],
  ]);
  const { entries, dirty, buffered_bytes: buffered } = state.queues.orders.own.index;
  assert.deepEqual([entries, dirty, buffered], [[[0, 10, 1]], 10, 360]);
});

test("index entries: journal bits, then the file, then gone", () => {
  const state = stateOf([
    ["JournalOpened", "S70", "orders"],
    ["EntriesRecorded", "S74", "orders", "publish_deliver", 0, 10, 360],
    ["SegmentWritten", "S80", "orders", 0, 288],
    ["EntriesRecorded", "S75", "orders", "ack", 6, 4, 8],
  ]);
  assert.deepEqual(state.queues.orders.own.index, {
    entries: [
      [0, 6, 16],
      [6, 2, 20],
    ],
    segments: [[0, 288]],
    journal_bytes: 0,
    buffered_bytes: 368,
    dirty: 24,
  });
  reduce(state, [
    ["SegmentWritten", "S80", "orders", 0, 4],
    ["JournalFlushed", "S80", "orders", {}],
  ]);
  assert.deepEqual(state.queues.orders.own.index.entries, [
    [0, 6, 16],
    [6, 2, 24],
  ]);
  reduce(state, [["SegmentDeleted", "S80", "orders", 0, 292]]);
  assert.deepEqual(state.queues.orders.own.index.entries, []);
});

test("store files: written, garbage, combined, gone", () => {
  const state = stateOf([
    ["StoreWritten", "S143", "persistent", 0, 0, 5, 4, 100, 1],
    ["BufferWritten", "S21", "persistent", 0, 400],
    ["RefCountChanged", "S147", "persistent", 6, 2, 0],
  ]);
  assert.deepEqual(state.stores.persistent.files, [[0, 400, 200, false, 400]]);
  assert.deepEqual(
    state.stores.persistent.rows.map((row) => row[2]),
    [1, 0, 1],
  );
  reduce(state, [
    ["FileRolledOver", "S171", "persistent", 0, 1, {}],
    ["FilesCombined", "S183", "persistent", 1, 0, 200, 200, 50],
    ["FileUnlinked", "S186", "persistent", 1, 50],
  ]);
  assert.deepEqual(
    state.stores.persistent.files.map((file) => file.slice(0, 3)),
    [[0, 200, 200]],
  );
  assert.deepEqual(state.stores.persistent.orphans, []);
});

test("a start keeps the index that recovery found", () => {
  const state = emptyState();
  reduce(state, [["IndexRecovered", "S110", "orders", true, [[0, 3, 16]], [[0, 108]], 0, 0], started[1]]);
  assert.deepEqual(state.queues.orders.own.index.entries, [[0, 3, 16]]);
});

test("a million messages are as few rows as a thousand", () => {
  const state = stateOf(published(0, 1_000_000), paged(0, 1_000_000, 4096));
  assert.ok(JSON.stringify(state).length < 3000);
});

test("canonical texts are equal exactly when the states are", () => {
  const one = stateOf(published(0, 3));
  const other = JSON.parse(JSON.stringify(one));
  assert.equal(canonical(one), canonical(other));
  other.queues.orders.lanes.q4[0][1] = 4;
  assert.notEqual(canonical(one), canonical(other));
  assert.equal(differences(one, other).length, 1);
});

test("every kind can be told in words", () => {
  const any = {
    Reduced: [{}],
    QueueChanged: [{ exclusive: true }, {}],
    ExchangeDeclared: [{ type: "fanout" }],
    PolicySet: [{ pattern: "." }],
    ChannelClosed: [404, "NOT_FOUND"],
    ConnectionClosed: [200, "OK"],
    QueueBound: ["x", "", {}],
    QueueUnbound: ["x", "", {}],
    ConsumerCancelled: ["q", { cause: "deleted" }],
    Unroutable: [2, "", "key", true],
    NacksSent: [2, { cause: "overflow" }],
    Rejected: [2, {}],
    Committed: [3, { commits: 1 }],
    DeadLettered: ["expired", 2, "x", "key", ["q"], {}],
    NodeChanged: ["alarms", { memory: true }, {}],
    ActorChanged: ["p1", { state: "blocked" }, {}],
    CollectionTimed: [true, [3]],
    FilesFound: [true, [[0, 96, 1]], [], [], []],
  };
  for (const kind of Object.keys(KINDS).filter((each) => KINDS[each].shown !== "step")) {
    const rest =
      kind === "QueueStarted"
        ? ["orders", "default", true, null, {}]
        : ["orders", ...(any[kind] ?? ["q4", "q3", [extent(0, 1, 18)], 2, 3, {}])];
    const row = [kind, "Q1", ...(kind === "NodeChanged" || kind === "ActorChanged" ? any[kind] : rest)];
    const { text, glyph } = narrate(decode(row), 1);
    assert.ok(glyph && text && text !== kind, kind);
    assert.doesNotMatch(text, /%\(|undefined/, kind);
  }
});
