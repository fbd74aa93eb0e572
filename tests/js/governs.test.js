import assert from "node:assert/strict";
import { test } from "node:test";
import { KINDS } from "../../static/js/model/catalogue/kinds.js";
import { decode } from "../../static/js/model/catalogue/rows.js";
import { governs, settingOf } from "../../static/js/model/governs.js";
import { momentOf } from "../../static/js/model/timeline.js";
import { paged, published, stateOf } from "./feed.js";

test("every kind that a setting governs names it with its value, and says what larger means", () => {
  const state = stateOf(published(0, 20));
  const governing = Object.keys(KINDS)
    .map((kind) => [kind, governs({ kind, rule: "Q1", queue: "orders", values: {} }, momentOf(state))]).filter(([, found]) => found);
  assert.ok(governing.length >= 20);
  for (const [kind, { name, larger }] of governing) assert.ok(larger?.length > 20, `${kind}: ${name}`);
});

test("a reduction, a roll into delta and an alarm have different settings", () => {
  const rows = paged(0, 40, 10);
  const state = stateOf(published(0, 40), rows);
  const of = (kind) => governs(decode(rows.find((row) => row[0] === kind)), momentOf(state));
  assert.equal(of("AlphasPushed").value, 0.5);
  assert.equal(of("BetasPushed").name, "msg_store_io_batch_size");
  assert.equal(settingOf(decode(["NodeChanged", "M10", "alarms", { disk: true }])), "disk_free_limit");
  assert.equal(settingOf(decode(["NodeChanged", "M7", "memory", { limit: 1 }])), null);
  assert.equal(settingOf(decode(["LaneJoined", "Q29", "orders"])), null);
});

test("a prefetch is told where the consumers agree", () => {
  const t = decode(["Fetched", "Q30", "orders", "q4", "ram_pending", [], null, {}]);
  const with_ = (...all) => {
    const state = stateOf();
    all.forEach((prefetch, at) => (state.node.actors[`c${at}`] = { role: "consumer", prefetch }));
    return governs(t, momentOf(state)).value;
  };
  assert.equal(with_(4, 4), 4);
  assert.equal(with_(4, 9), undefined);
  assert.equal(with_(), undefined);
});

test("where a message goes is not asked of its size: only a lazy queue names what governs it (Q20, Q21)", () => {
  const publish = (to, why) => decode(["Published", "Q21", "orders", null, to, [], null, why]);
  assert.equal(settingOf(publish("q4", { q3_len: 0 })), null);
  assert.equal(settingOf(publish("delta", { mode: "lazy" })), "queue_mode");
});

test("a setting is explained by the files of the queue's own version: 4.x has no journal, combines nothing, embeds nothing", () => {
  const moment = momentOf(stateOf());
  const larger = (kind, rule) => governs({ kind, rule, queue: "orders", values: {} }, moment).larger;
  assert.match(larger("FileRolledOver", "S139"), /worth combining/);
  for (const kind of Object.keys(KINDS)) {
    const found = governs({ kind, rule: "W142", queue: "orders", values: {} }, moment);
    if (found && ["msg_store_file_size_limit", "queue_index_embed_msgs_below", "segment_entry_count", "write_buffer_bytes"].includes(found.name))
      assert.doesNotMatch(found.larger, /combin|inside the index|journal|delta|fsync/, kind);
  }
});
