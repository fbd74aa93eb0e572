/** Why the engine does not take something, and what is wrong with a file: by code, in the language of the page. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { codedWords, collectorWords, startWords } from "../../static/js/model/inspect-words.js";

test("the engine's codes have the page's sentences, the page's own codes its own, an unknown one is shown", () => {
  const sentences = { not_text: "%(place)s must be text." };
  assert.equal(codedWords({ code: "not_text", values: { place: "topology.queues[0].name" } }, sentences), "topology.queues[0].name must be text.");
  assert.match(codedWords({ code: "far_apart", values: {} }, sentences), /^A record's seq_id is millions/);
  assert.equal(codedWords({ code: "unexpected", values: { why: "KeyError: 5" } }, sentences), "KeyError: 5");
  assert.equal(codedWords({ code: "of_a_later_version", values: {} }, sentences), "of_a_later_version");
});

test("what a file is refused for stands inside the sentence of its damage, in the same language", () => {
  const sentences = { stray_byte: "段文件以偏移 %(at)s 处的单个字节结尾。", recovery_crashes: "%(why)sbroker 的恢复会在此崩溃。", zeros: "%(count)s" };
  const why = { code: "stray_byte", values: { at: 5 } };
  assert.equal(codedWords({ code: "recovery_crashes", values: { why } }, sentences), "段文件以偏移 5 处的单个字节结尾。broker 的恢复会在此崩溃。");
  assert.equal(codedWords({ code: "zeros", values: { count: 0 } }, sentences), "0");
});

test("a process that crashes at its start is said so, with the line of the log that people look for", () => {
  const queue = { name: "small", live: 40, back: 0, listed: 0, unreadable: 0, transient: 0, no_content: 0, delivered: 0, redelivered: 0, version: 2, journal: null, segments: [] };
  assert.ok(!startWords(queue).some((text) => text.includes("crash")));
  const [first, second] = startWords({ ...queue, crashes: 1 });
  assert.match(first, /crashes once at the start/);
  assert.match(second, /dropped … persistent messages … after unclean shutdown/);
  assert.equal(startWords({ ...queue, crashes: 1, version: 1 }).filter((text) => text.includes("unclean")).length, 0);
});

test("garbage that waits for the collector is told apart from what it leaves alone", () => {
  assert.deepEqual(collectorWords(null), []);
  const [due, rest] = collectorWords({ files: 2, bytes: 3000, kept: 500 });
  assert.match(due, /^2 files are more than half garbage and wait for the collector/);
  assert.match(rest, /at most half garbage: 500\sB/);
  assert.deepEqual(collectorWords({ files: 0, bytes: 0, kept: 0 }).length, 1);
});
