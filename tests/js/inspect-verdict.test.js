/** The first sentence of the answer about a broker's files, and the rehearsal of an upgrade in words. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fateWords, insteadWords } from "../../static/js/model/next-release-words.js";
import { gateWords, orderlyWords, outcomeWords, targetNotes, workWords } from "../../static/js/model/upgrade-words.js";
import { answerRows, verdictOf, worstFirst } from "../../static/js/model/verdict-words.js";

const queue = (name, live, back, more = {}) => ({ name, live, back, listed: null, unreadable: null, transient: 0, segments: [], journal: null, ...more });
const answer = (more) => ({ failure: null, unplayed: null, queues: [], stores: [{ size: 5 }], damage: [], damage_more: 0, stop: null, source: "4.3", target: "", ...more });

test("the first sentence says what comes back and what is lost; the rest how the node ended and what is damaged", () => {
  const damage = [{ file: "q/5.qs", offset: 64, kind: "missing", code: "x", values: {}, hex: "" }];
  const found = verdictOf(answer({ queues: [queue("a", 30, 30), queue("b", 3, 1, { transient: 4 })], damage, damage_more: 1, stop: { clean: false, compared: [] } }));
  assert.equal(found.tone, "bad");
  assert.equal(found.first, "A start brings back 31 of 33 persistent messages; 2 are lost. Queues: 2.");
  assert.deepEqual(found.rest, [
    "4 transient messages are dropped by every start.",
    "Written by RabbitMQ 4.3. Some files that an orderly stop leaves are missing, so a start treats it as a crash.",
    "Damage: 2, the first in q/5.qs @ 64.",
  ]);
});

test("what is whole, what is empty, what fails and what was not played are told apart", () => {
  const firsts = [
    answer({ queues: [queue("a", 5, 5)] }),
    answer({ queues: [queue("a", 0, 0)] }),
    answer({ queues: [queue("a", 5, null)], failure: { code: "x", values: {} } }),
    answer({ queues: [queue("a", 5, null)], unplayed: { code: "x", values: {} } }),
    answer({}),
    answer({ queues: [queue("a", 5, 0)], target: "4.3.6" }),
    answer({ queues: [queue("a", 5, 5, { unreadable: 2, listed: 5 })] }),
    answer({ stores: [{ size: 0 }] }),
  ].map((each) => verdictOf(each));
  assert.deepEqual(firsts.map(({ tone }) => tone), ["good", "none", "fails", "open", "open", "bad", "bad", "open"]);
  assert.match(firsts[0].first, /^A start brings back all 5 persistent messages/);
  assert.match(firsts[1].first, /none is both persistent and unacknowledged/);
  assert.match(firsts[5].first, /^RabbitMQ 4.3.6, started on a copy of these files, finds 0 of 5/);
  assert.match(firsts[7].first, /^These files hold nothing of any queue/);
  assert.match(firsts[6].rest[0], /lists 2 messages that their queues do not give/);
});

test("queues that lose something come first", () => {
  assert.deepEqual(worstFirst([queue("a", 5, 5), queue("b", 5, 4), queue("c", 5, 1)]).map(({ name }) => name), ["c", "b", "a"]);
});

test("what expired is not called lost, and a queue that does not start is", () => {
  const expired = verdictOf(answer({ queues: [queue("a", 5, 3, { expired: 2 })] }));
  assert.deepEqual([expired.tone, expired.first], ["open", "A start brings back 3 of 5 persistent messages; the others have expired. Queues: 1."]);
  const both = verdictOf(answer({ queues: [queue("a", 21, 8, { expired: 2 })] }));
  assert.deepEqual([both.tone, both.first], ["bad", "A start brings back 8 of 21 persistent messages; 11 are lost. Queues: 1."]);
  assert.match(both.rest[0], /^2 have expired by then/, "so that the numbers add up");
  const dead = verdictOf(answer({ queues: [queue("a", 5, 5), queue("b", 4, null, { ends: "dead" })] }));
  assert.deepEqual([dead.tone, dead.first], ["bad", "A start brings back 5 of 9 persistent messages; 4 are lost. Queues: 2."]);
});

const gate = { accepted: true, missing: [], enable_first: [], way: ["4.3"], listed: true };
const upgrade = { target: "4.3.6", is_back: false, policy: null, gate, failure: null, unplayed: null, queues: [], files: [], work: null, orderly: null };

test("the gate says what is only read, and that nothing leads back", () => {
  const long = { ...upgrade, gate: { ...gate, accepted: false, missing: ["stream_queue"], way: ["3.11", "3.12", "3.13", "4.0"] } };
  const words = gateWords(long);
  assert.match(words[0], /refuses to start.*stream_queue/);
  assert.match(words[1], /3.11 → 3.12 → 3.13 → 4.0/);
  assert.match(words[2], /only the requirements were read, in the sources of 3.11, 3.12, 3.13/);
  assert.deepEqual(gateWords({ ...upgrade, is_back: true }).length, 1);
  assert.match(gateWords({ ...upgrade, is_back: true })[0], /^There is no way back/);
});

test("a policy converts while the node runs: nothing is said of a gate, and the work is the conversion's", () => {
  const words = gateWords({ ...upgrade, target: "3.10.8-v2-policy", policy: 2 });
  assert.match(words[0], /^No restart: .* a policy asks for queue-version 2/);
  assert.ok(words.every((each) => !/feature flag/.test(each)));
  const work = { read: 5444, written: 5279, synced: 0, deleted: 2 };
  assert.match(workWords(work, true)[0], /^The conversion: .*files deleted: 2/);
  assert.match(workWords(work)[0], /^The start: /);
  assert.match(targetNotes("3.10", { ...upgrade, target: "3.10.8-v2-policy", policy: 2 }).at(-1), /not one while it runs/);
});

test("each way has notes of its own: a 4.0 that goes to 4.3 is told nothing of version 1's conversion", () => {
  assert.match(targetNotes("4.0", upgrade)[0], /^The files stay as they are/);
  assert.match(targetNotes("3.10", upgrade)[0], /^4.3 has no code for files of version 1/);
  assert.deepEqual(targetNotes("4.3", { ...upgrade, target: "4.0.5", is_back: true }), []);
});

test("a 4.0.5 on a directory of 4.3.6 refuses by no flag, as the real one did, and waits", () => {
  const { directories } = JSON.parse(readFileSync(new URL("../recordings/upgrades/4.0.5.json", import.meta.url), "utf8"));
  assert.match(directories["4.3.6"], /^waits for 180 s and more: .*metadata store members.*no file of a queue or store changed$/);
  const words = gateWords({ ...upgrade, target: "4.0.5", is_back: true });
  assert.match(words[1], /no feature flag stops 4.0.5.*waited for it three minutes and more, and touched no file of a queue/);
});

test("what an orderly stop does is told with its files, and whose terms are lost", () => {
  const stop = { found: false, files: [["idx", 1, 2048, 1, 2048]], work: { read: 0, written: 113, synced: 2, deleted: 0 }, saved: { a: true, b: true }, failure: null };
  const words = orderlyWords(stop, {});
  assert.match(words[1], /113.B written.*fsyncs: 2, files deleted: 0/);
  assert.match(words[2], /^\.idx: 1 file with 2.KiB before, 1 with 2.KiB afterwards$/);
  assert.match(words[3], /every message counts as delivered/);
  assert.match(orderlyWords({ ...stop, saved: { a: true, b: false } }, {}).at(-1), /^The terms of these queues were lost: b\..*W201/);
  assert.match(orderlyWords({ ...stop, found: true, files: [], work: null }, {})[0], /^The node had stopped in order/);
  assert.equal(orderlyWords({ ...stop, failure: { code: "x", values: {} } }, { x: "no" })[0], "The stop would fail: no");
  assert.match(verdictOf(answer({ queues: [queue("a", 30, null)], stopped: true })).first, /stopped in order, with 30 persistent messages/);
});

test("what comes back after a stop, a question mark where nobody knows; what a start does with files", () => {
  assert.deepEqual(outcomeWords({ after: 9, order: true, redelivered: 2 }), ["9", "the same", "2"]);
  assert.deepEqual(outcomeWords(null), ["?", "?", "?"]);
  assert.deepEqual(workWords(null), []);
  assert.match(workWords({ read: 2048, written: 10, synced: 3, deleted: 1 })[0], /2.KiB read, 10.B written; fsyncs: 3, files deleted: 1/);
});

test("what a later release refuses is told by where it stands, and what takes its place", () => {
  assert.match(fateWords("refused", "policy"), /import ends with an error/);
  assert.match(fateWords("refused", "queue"), /not declared/);
  assert.match(fateWords("refused", "configuration"), /does not start/);
  assert.equal(fateWords("taken", "policy"), "accepted");
  assert.match(fateWords("left_out", "policy"), /no classic queue any more/);
  assert.match(fateWords("joined", "policy"), /now applies to classic queues/);
  for (const code of ["mirrors", "mode", "version", "locator", "paging", "left_out", "joined"]) assert.ok(insteadWords(code));
});

test("the tag says all there only where nothing is dropped, by a start or by an upgrade", () => {
  const tone = (queues, upgrades = []) => verdictOf(answer({ queues, upgrades })).tone;
  assert.equal(tone([queue("a", 5, 5)]), "good");
  assert.equal(tone([queue("a", 5, 5, { transient: 4 })]), "dropped");
  assert.equal(tone([queue("a", 0, 0, { transient: 52 })]), "none");
  const played = (after, orderly) => ({ target: "4.3.6", queues: [{ name: "a", before: 21, after, order: true, redelivered: 0, orderly: { after: orderly } }] });
  assert.equal(tone([queue("a", 21, 21)], [played(0, 0)]), "upgrade");
  assert.equal(tone([queue("a", 21, 21)], [played(0, 21)]), "good", "after an orderly stop it finds all");
  assert.match(verdictOf(answer({ queues: [queue("a", 21, 21)], upgrades: [played(0, 0)] })).rest[0], /RabbitMQ 4\.3\.6 finds 0 of 21/);
});

test("the table on top has a row for each start, red where nothing comes back, and no green sign stands over it", () => {
  const queues = [queue("a", 5, 5)];
  const upgrades = [
    { ...upgrade, queues: [{ name: "a", before: 5, after: 0, order: false, redelivered: 0, orderly: { after: 5 } }], orderly: {} },
    { ...upgrade, target: "4.0.5", gate: { ...gate, accepted: false, way: ["3.11", "4.0"] } },
    { ...upgrade, target: "3.8", is_back: true },
  ];
  const given = answer({ queues, upgrades });
  assert.deepEqual(answerRows(given).map((row) => Object.values(row)), [
    ["RabbitMQ 4.3", "yes", "5 of 5", "nothing", "good"],
    ["RabbitMQ 4.3.6", "yes", "5 of 5", "Start the old release once and stop it in order.", "good"],
    ["RabbitMQ 4.0.5", "no, it refuses", "–", "Go by 3.11 → 4.0; enable all feature flags at each.", "bad"],
  ]);
  const none = upgrades.map((each) => ({ ...each, queues: each.queues.map((row) => ({ ...row, orderly: { after: 0 } })) }));
  assert.deepEqual(Object.values(answerRows(answer({ queues, upgrades: none }))[1]).slice(2), ["0 of 5", "Do not start it on these files.", "bad"]);
  assert.equal(verdictOf(answer({ queues, upgrades: none })).tone, "upgrade");
});
