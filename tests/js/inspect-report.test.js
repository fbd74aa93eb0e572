/** The report on a broker's files: damage stands in it in the reader's language, and nothing of the engine's own English. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { report } from "../../static/js/view/inspect/report.js";
import { vhostsCard } from "../../static/js/view/inspect/vhosts.js";

globalThis.document = /** @type {any} */ ({
  createElement: () => ({ children: [], setAttribute() {}, addEventListener() {}, append(...more) { this.children.push(...more); } }),
});
const textOf = (element) => (typeof element === "object" ? element.children.map(textOf).join("") : String(element));

const data = {
  sentences: { wrong_marker: "偏移 %(at)s 处的记录以字节 %(found)s 结尾，而不是 %(wanted)s。broker 会跳过它。" },
  kinds: { "wrong marker": "结束标记不对" },
};
const found = {
  file: "0.rdq", offset: 7, kind: "wrong marker", words: "the record ends otherwise", hex: "",
  code: "wrong_marker", values: { at: 7, found: 0, wanted: 255 },
};

test("damage is told by code and kind, with its place", () => {
  const answer = { failure: null, unplayed: null, left_out: [], left_out_count: 0, source: "3.10", target: "", not_shown: 0, queues: [], stores: [], unowned: [], stop: null, upgrades: [], damage: [found], damage_more: 0, files: [], files_more: 0 };
  const text = textOf(report(answer, null, data, []));
  assert.ok(text.includes("0.rdq @ 7 结束标记不对: 偏移 7 处的记录以字节 0 结尾，而不是 255。broker 会跳过它。"), text);
  assert.ok(!text.includes("the record ends otherwise"));
});

test("several virtual hosts are told with what is in each", () => {
  const rows = [{ dir: "62A", name: "/", queues: 2, live: 25, damage: 0 }, { dir: "7B", name: null, queues: 1, live: 16, damage: 3 }];
  const text = textOf(vhostsCard(rows, () => {}));
  for (const words of ["2 virtual hosts", "/queues: 2, live records: 25, no damage", "7Bqueues: 1, live records: 16, damage: 3"]) assert.ok(text.includes(words), text);
});
