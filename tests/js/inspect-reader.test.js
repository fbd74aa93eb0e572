/** The reader in this browser: files that are too much are refused unread, and an engine that is gone says so. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { OwnReader, Unreadable } from "../../static/js/net/inspector.js";
import { WorkerBroken } from "../../static/js/net/questions.js";

/** A worker that answers each question as `answers` has it. */
class FakeWorker extends EventTarget {
  /** @param {Record<string, object>} answers */
  constructor(answers) {
    super();
    this.answers = answers;
    this.asked = [];
  }

  postMessage({ id, question, args }) {
    this.asked.push([question, ...args]);
    queueMicrotask(() => this.dispatchEvent(Object.assign(new Event("message"), { data: { id, ...this.answers[question] } })));
  }
}

const reading = (worker, size) => {
  const file = { size, read: false, arrayBuffer: async () => ((file.read = true), new ArrayBuffer(1)) };
  return { file, answer: new OwnReader(/** @type {any} */ (worker), "/wasm/").directory([["0.idx", /** @type {any} */ (file)]], {}, () => {}) };
};

test("files that are too much are refused by their sizes, and none is read", async () => {
  const worker = new FakeWorker({ needed: { answer: { unreadable: "too_many_bytes", values: { most: 256 } } } });
  const { file, answer } = reading(worker, 2 ** 40);
  await assert.rejects(answer, (error) => error instanceof Unreadable && error.code === "too_many_bytes");
  assert.deepEqual(worker.asked, [["needed", '["0.idx"]', "[1099511627776]"]]);
  assert.equal(file.read, false);
});

test("what the engine does not survive is another error than what it says itself", async () => {
  const needed = { answer: [0] };
  const gone = reading(new FakeWorker({ needed, directory: { error: "memory access out of bounds", broken: true } }), 1);
  await assert.rejects(gone.answer, (error) => error instanceof WorkerBroken && error.message === "memory access out of bounds");
  const said = reading(new FakeWorker({ needed, directory: { error: "ValueError", broken: false } }), 1);
  await assert.rejects(said.answer, (error) => !(error instanceof WorkerBroken));
});
