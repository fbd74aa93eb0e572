import assert from "node:assert/strict";
import { test } from "node:test";
import { messageAt, messageSpots, ownScene } from "../../static/js/generations/v2/layout/own-map.js";
import { bodyPlan, slotPlan } from "../../static/js/generations/v2/model/bytes.js";
import { ACKED, ERASED, HOLE, LIVE, WAITING, WRITTEN } from "../../static/js/generations/v2/model/file-rows.js";
import { emptyFiles } from "../../static/js/generations/v2/model/fold-files.js";
import { storeScene } from "../../static/js/layout/store-map.js";
import { HOME_STORE, INDEXED, IN_RAM, IN_STORE, PERSISTENT } from "../../static/js/model/catalogue/rows.js";
import { Unsynced } from "../../static/js/model/unsynced.js";
import "../../static/js/generations/all.js";

const SMALL = PERSISTENT | INDEXED | IN_STORE | IN_RAM;

/** A queue of 4.3 with segments of 8: 0 acknowledged on disk, 1 acknowledged in the buffer, 2 with a consumer, 3 in RAM, 4 to 9 in the tail. */
function queueOf(files = {}) {
  return {
    backing_queue: "classic_v2",
    mode: "default",
    durable: true,
    counters: { next_seq_id: 10 },
    counted: { tail: [4, 6, 0, 10] },
    lanes: { head: [[3, 1, 3, 100, SMALL, 0, 0]], ram_pending: [[2, 1, 2, 100, SMALL, 0, 0]], disk_pending: [] },
    own: {
      files: {
        ...emptyFiles(),
        segments: [
          [0, 64 + 8 * 32, 6],
          [1, 64, 2],
        ],
        bodies: [[0, 64 + 8 * 100]],
        buffered: [[8, 2]],
        acks: [[1, 1]],
        waiting: [[8, 2]],
        waiting_bytes: 184,
        slots: [
          [0, 2, ACKED],
          [2, 8, LIVE],
        ],
        places: [
          [0, 8, 64, 100, WRITTEN],
          [8, 2, 64, 100, WAITING],
        ],
        ...files,
      },
    },
  };
}

const stateOf = (queue) => ({
  queues: { orders: queue },
  stores: { persistent: { files: [], rows: [] }, transient: { files: [], rows: [] } },
  node: { settings: { segment_entry_count: 8, store_max_cache_size: 1000 }, actors: {}, cluster: {} },
});

const looks = (item) => item.cells.map(({ tone, waits }) => `${tone}${waits ? " waits" : ""}`);

test("each slot shows what became of it, and what waits is apart", () => {
  const scene = ownScene(queueOf(), 8, 600, 200);
  const [first, second] = scene.items;
  assert.deepEqual(looks(first), ["acked", "acked waits", "unacked", "alpha", "delta", "delta", "delta", "delta"]);
  assert.deepEqual(looks(second), ["delta waits", "delta waits"]);
  assert.deepEqual([scene.live, scene.dead, scene.holes, scene.unread], [8, 2, 0, 0]);
});

test("dead bodies stay in their file, bodies that wait lie behind its end", () => {
  const [first, second] = ownScene(queueOf(), 8, 600, 200).items;
  assert.deepEqual(first.blocks.map(({ tone }) => tone), ["garbage", "unacked", "alpha", "delta"]);
  assert.equal(first.blocks[0].x, first.bar.x + (64 * first.bar.w) / 864);
  assert.ok(first.blocks.every(({ waits }) => !waits));
  assert.deepEqual(second.blocks.map(({ tone, waits }) => [tone, waits]), [["delta", true]]);
  assert.deepEqual([second.disk, second.bar.written], [null, 0]);
});

test("what was acknowledged before its write leaves a hole, and no slot", () => {
  const files = { slots: [[0, 1, LIVE], [1, 1, ERASED], [2, 1, LIVE]], buffered: [], acks: [], segments: [[0, 160, 2]] };
  const places = [[0, 1, 64, 100, WRITTEN], [1, 1, 164, 100, HOLE], [2, 1, 264, 100, WRITTEN]];
  const scene = ownScene(queueOf({ ...files, places, bodies: [[0, 364]], waiting: [], waiting_bytes: 0 }), 8, 600, 200);
  assert.deepEqual(looks(scene.items[0])[1], "erased");
  assert.deepEqual(scene.items[0].blocks.map(({ tone }) => tone), ["delta", "hole", "unacked"]);
  assert.equal(scene.holes, 100);
});

test("of slots that a start leaves out only the number is known", () => {
  const scene = ownScene(queueOf({ slots: [], places: [], unread: [[0, 864]], buffered: [], acks: [], waiting: [] }), 8, 600, 200);
  assert.deepEqual(looks(scene.items[0]), Array(8).fill("unread"));
  assert.deepEqual(scene.items[0].blocks.map(({ tone }) => tone), ["unread"]);
  assert.equal(scene.unread, 8);
  assert.equal(scene.unreadBytes, 800);
});

test("below what a start found, a gap between bodies is unread, and no hole", () => {
  const files = { slots: [[0, 1, LIVE], [2, 2, LIVE]], buffered: [[3, 1]], acks: [], segments: [[0, 160, 3]], unread: [[0, 364]] };
  const places = [[0, 1, 64, 100, WRITTEN], [2, 1, 264, 100, WRITTEN], [3, 1, 464, 100, WAITING]];
  const scene = ownScene(queueOf({ ...files, places, bodies: [[0, 364]], waiting: [[3, 1]], waiting_bytes: 92 }), 8, 600, 200);
  assert.deepEqual(scene.items[0].blocks.map(({ tone }) => tone), ["delta", "unread", "unacked", "hole", "alpha"]);
  assert.deepEqual([scene.unread, scene.unreadBytes, scene.holes], [0, 100, 100]);
});

test("a cell and a block give their message back, and the message both of them", () => {
  const queue = queueOf();
  const scene = ownScene(queue, 8, 600, 200);
  for (const seq of [0, 3, 7, 9]) {
    const spots = messageSpots(scene, queue, seq);
    assert.equal(spots.length, 2);
    for (const { x, y, w, h } of spots) assert.equal(messageAt(scene, queue, x + w / 2, y + h / 2), seq);
  }
  assert.deepEqual(messageSpots(scene, queue, 30), []);
});

test("segments that do not fit are folded, but for the one that is open", () => {
  const segments = Array.from({ length: 30 }, (_, at) => [at, 64 + 8 * 32, 8]);
  const queue = queueOf({ segments, slots: [[0, 240, LIVE]], places: [], bodies: [], buffered: [], acks: [] });
  const scene = ownScene(queue, 8, 320, 100, 12);
  assert.ok(scene.items.filter(({ folded }) => folded).length === 2);
  assert.ok(scene.items.some(({ number }) => number === 12));
  assert.ok(scene.items.every(({ x, w }) => x + w <= 320));
});

test("where the bytes of a message are, or why there are none", () => {
  const queue = queueOf({
    slots: [[0, 1, ACKED], [1, 1, ACKED], [2, 5, LIVE], [7, 1, ERASED], [8, 2, LIVE]],
    places: [[0, 7, 64, 100, WRITTEN], [7, 1, 764, 100, HOLE], [8, 2, 64, 100, WAITING]],
  });
  const state = stateOf(queue);
  assert.equal(slotPlan(state, queue, 0).why, "zeroed");
  assert.deepEqual(slotPlan(state, queue, 1).question, { queue: "orders", seq: 1 }); // its ack waits: the slot is live
  assert.equal(slotPlan(state, queue, 7).why, "erased");
  assert.equal(slotPlan(state, queue, 8).why, "buffered");
  assert.deepEqual(slotPlan(state, queue, 5).question, { queue: "orders", seq: 5 });
  assert.deepEqual(bodyPlan(state, queue, 5, null).question, { file: "bodies:0", offset: 564, queue: "orders" });
  assert.deepEqual(bodyPlan(state, queue, 0, null).question.offset, 64); // dead, but there
  assert.deepEqual([7, 8].map((seq) => bodyPlan(state, queue, seq, null).why), ["hole", "waiting"]);
  assert.match(bodyPlan(state, queue, 8, null).text, /184.B of 1.?000.B/);
});

test("a body in RAM alone, one in the shared store, and one that only its slot places", () => {
  const queue = queueOf({ slots: [], places: [] });
  queue.lanes.head = [[3, 1, 3, 100, IN_RAM, 0, 0]];
  queue.lanes.ram_pending = [[2, 1, 2, 9000, SMALL | HOME_STORE, 0, 0]];
  const state = stateOf(queue);
  assert.equal(slotPlan(state, queue, 3).why, "ram");
  assert.equal(bodyPlan(state, queue, 3, null).why, "ram");
  assert.equal(bodyPlan(state, queue, 2, null), null);
  const slot = { msg_id: null, fields: [], body: { file: "bodies:0", offset: 464 } };
  assert.equal(bodyPlan(state, queue, 4, slot).question.offset, 464);
});

test("the store of 4.x: files wait fifteen seconds, then the ends of compacted ones are to be cut", () => {
  const unsynced = new Unsynced();
  const file = (number) => [number, 1000, 300, false, 1000];
  const state = stateOf(queueOf());
  state.stores.persistent = { files: [file(0), file(1)], rows: [], current: 1, buffered_bytes: 0 };
  const scene = () => storeScene(state, null, "persistent", 400, 100, () => [], unsynced.collections.persistent);
  unsynced.observe({ kind: "CollectionTimed", store: "persistent", fired: false, files: [0] }, 1_000_000);
  assert.equal(unsynced.collections.persistent.sinceUs, 1_000_000);
  assert.deepEqual(scene().files.map(({ waits }) => waits), [true, false]);
  unsynced.observe({ kind: "CollectionTimed", store: "persistent", fired: true, files: [0] }, 16_000_000);
  unsynced.observe({ kind: "FileCompacted", store: "persistent", file: 0, why: {} }, 16_000_000);
  assert.deepEqual(scene().files.map(({ waits, toCut }) => [waits, toCut]), [[false, true], [false, false]]);
  unsynced.observe({ kind: "FileCut", store: "persistent", file: 0, size_bytes: 300 }, 16_000_000);
  assert.deepEqual(scene().files.map(({ toCut }) => toCut), [false, false]);
});
