/** The sentences of transitions say of a body only what became of it. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { IN_RAM, INDEXED } from "../../static/js/model/catalogue/rows.js";
import { explain, narrate } from "../../static/js/model/why.js";
import { PERSISTENT, extent as run, feed, live, published as publishes } from "./feed.js";

const extent = (flags) => [5, 3, 5, 1000, flags, 0, 0];
const pushed = (...flags) => ({ kind: "AlphasPushed", rule: "Q46", queue: "orders", source: "q4", to: "q3", extents: flags.map(extent), why: {} });

test("a body of the store leaves RAM, an embedded one stays (Q14, Q46)", () => {
  assert.match(narrate(pushed(INDEXED)).text, /^3 contents leave RAM/);
  assert.match(narrate(pushed(INDEXED | IN_RAM)).text, /^3 messages move, their small bodies stay in RAM/);
});

test("not everything that is read from delta is a gamma (Q34)", () => {
  const read = { kind: "DeltaRead", rule: "Q34", queue: "orders", source: "delta", to: "q3", extents: [extent(INDEXED)], why: {} };
  assert.match(explain(read).reason, /bodies embedded in the index come back into RAM/);
});

test("q1 or q4 depends on q3 alone (Q21)", () => {
  const published = { kind: "Published", rule: "Q21", queue: "orders", source: null, to: "q4", extents: [extent(IN_RAM)], why: {} };
  assert.match(explain(published).reason, /because q3 is empty; nothing else matters/);
});

test("an index that stopped in order starts without reading a segment (S112)", () => {
  const started = (clean) => explain({ kind: "IndexRecovered", rule: clean ? "S112" : "S113", queue: "orders", clean, entries: [], segments: [] });
  assert.match(started(true).reason, /no segment is read/);
  assert.match(started(false).reason, /^Journal and segments are read/);
});

test("a conversion that never ends says what it waits for (V5)", () => {
  const stuck = { kind: "ConversionStuck", rule: "V5", queue: "orders", why: { left: 200, q2: 200, q3: 16_275, permitted: 16_275, surplus: 200, io_batch_size: 4096 } };
  assert.match(narrate(stuck).text, /never ends/);
  assert.match(explain(stuck).reason, /^200 messages are neither in q3 nor in delta\. .*: 200, fewer than a batch of 4.096, so none goes/);
});

test("a restart says what it lost and what came back, and why", () => {
  const session = live();
  feed(session, publishes(0, 6), 100_000);
  feed(session, publishes(6, 4, { flags: PERSISTENT }), 200_000);
  feed(session, [["Fetched", "Q26", "orders", "q4", "ram_pending", [run(6, 1, PERSISTENT)], null, {}]], 300_000);
  feed(
    session,
    [
      ["QueueStopped", "S234", "orders", "power"],
      ["IndexRecovered", "S113", "orders", false, [[6, 3, 16]], [], null, 0],
      ["QueueStarted", "Q62", "orders", "default", true, [6, 3, 0, 16], { len: 3 }],
    ],
    400_000,
  );
  const { t, messages, fate } = session.timeline.lines.at(-1);
  assert.deepEqual([fate.transient, fate.unsynced, fate.unacked, fate.acks], [6, 1, 1, 0]);
  const explained = explain(t, messages, null, fate);
  assert.equal(explained.title, "Restarted: 6 transient, 1 persistent, not safe on disk yet lost, 1 back");
  assert.match(explained.reason, /Delivered again: 1 unacknowledged\./);
  assert.equal(narrate(t, messages).text.startsWith("The queue started"), true);
});

test("when something is due: how long that is, a date where a real node's files say it, the clock where no moment is known", () => {
  const changed = (values) => ({ kind: "QueueChanged", rule: "P9", queue: "orders", values, why: {} });
  const say = (values, atUs) => narrate(changed(values), 0, null, atUs).text;
  assert.match(say({ ttl_at_us: 6_000_000 }, 1_000_000), /the next message expires in 5\u202fs$/);
  assert.match(say({ expires_at_us: 604_800_000_000 }, 0), /the queue itself expires in 7\u202fd$/);
  assert.match(say({ ttl_at_us: 1_796_476_884_870_000 }, 0), /the next message expires at 2026-12-05 .* UTC$/);
  assert.match(say({ ttl_at_us: 6_000_000 }, null), /the next message expires at 00:06\.000$/);
});

test("no sentence needs a legend: a letter that stands for something is explained where it stands", () => {
  const folders = ["static/js/model", "static/js/generations/v1/model", "static/js/generations/v2/model"];
  const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => /^(why-)?words.*\.js$|^why-/.test(name)).map((name) => `${folder}/${name}`));
  const texts = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(/gettext\(\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text));
  assert.ok(texts.length > 200);
  assert.deepEqual(texts.filter((text) => /[\u03b1-\u03b4]/.test(text)), []);
  assert.deepEqual(texts.filter((text) => /\bL\b/.test(text) && !text.includes("one load may bring (L)")), []);
});
