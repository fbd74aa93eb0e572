/** The page's side of a session that a worker plays: messages both ways, the log that is kept, a failure that is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserHost } from "../../static/js/net/browser.js";
import { Transport } from "../../static/js/net/transport.js";

class FakeWorker {
  sent = [];

  postMessage(message) {
    this.sent.push(message);
  }

  tell(data) {
    this.onmessage({ data });
  }
}

async function connected() {
  const worker = new FakeWorker();
  const heard = { snapshots: [], notices: [], logs: [] };
  const start = { scenario: { seed: 1 }, commands: [], until_us: 0 };
  const host = new BrowserHost("https://host/wasm/", start, (log) => heard.logs.push(log), () => worker);
  const transport = new Transport(
    host.address,
    {
      welcome: () => {},
      snapshot: (message) => heard.snapshots.push(message.next),
      frame: () => {},
      notice: (message) => heard.notices.push(message.message),
      status: () => {},
    },
    host.Socket,
  );
  transport.connect();
  await Promise.resolve();
  return { worker, host, heard, transport };
}

test("the worker begins with the run, and hears what the socket would", async () => {
  const { worker, heard } = await connected();
  assert.deepEqual(worker.sent[0], { begin: { place: "https://host/wasm/", scenario: { seed: 1 }, commands: [], until_us: 0 } });
  assert.equal(JSON.parse(worker.sent[1].text).t, "hello");
  worker.tell({ told: JSON.stringify({ t: "snapshot", next: 4, at_us: 0, state: {} }) });
  assert.deepEqual(heard.snapshots, [4]);
  assert.deepEqual(JSON.parse(worker.sent[2].text), { t: "ack", through: 4 });
});

test("commands are answered, and the log is kept", async () => {
  const { worker, heard, transport } = await connected();
  const asked = transport.command({ do: "purge" });
  const { id } = JSON.parse(worker.sent.at(-1).text);
  worker.tell({ kept: JSON.stringify({ commands: [[5, { do: "purge" }]], until_us: 5 }) });
  worker.tell({ told: JSON.stringify({ t: "accepted", id }) });
  await asked;
  assert.deepEqual(heard.logs, [{ commands: [[5, { do: "purge" }]], until_us: 5 }]);
});

test("an engine that cannot start says why", async () => {
  const { worker, heard } = await connected();
  worker.tell({ failed: "no room" });
  assert.deepEqual(heard.notices, ["no room"]);
});

test("a record is asked of the engine, and what is not there is said in words", async () => {
  const { worker, heard, host } = await connected();
  const asked = host.record({ seq: "7" });
  const { t, id, question } = JSON.parse(worker.sent.at(-1).text);
  assert.deepEqual({ t, question }, { t: "record", question: { seq: "7" } });
  worker.tell({ told: JSON.stringify({ t: "record", id, told: { fields: [], seq: 7 } }) });
  assert.deepEqual(await asked, { fields: [], seq: 7 });
  const missing = host.record({ file: "persistent:0", offset: "99" });
  worker.tell({ told: JSON.stringify({ t: "record", id: id + 1, told: { reason: "waiting", size: 40 } }) });
  assert.match((await missing).waiting, /1 MiB write buffer: the file ends at 40/);
  assert.match((await host.record({ seq: "7", at: 3 })).waiting, /moment that has passed/);
  assert.deepEqual(heard.notices, []);
});
