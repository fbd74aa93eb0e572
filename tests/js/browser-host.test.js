/** The page's side of a session that a worker plays: messages both ways, the log that is kept, questions to the app, a failure that is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BrowserHost } from "../../static/js/net/browser.js";
import { BrowserApp } from "../../static/js/net/browser-app.js";
import { Transport } from "../../static/js/net/transport.js";

class FakeWorker {
  sent = [];
  hearers = [];

  addEventListener(name, hearer) {
    if (name === "message") this.hearers.push(hearer);
  }

  postMessage(message) {
    this.sent.push(message);
  }

  emit(data) {
    for (const hearer of this.hearers) hearer({ data });
  }
}

async function connected() {
  const worker = new FakeWorker();
  const heard = { snapshots: [], notices: [], logs: [], statuses: [] };
  const start = { scenario: { seed: 1 }, commands: [], until_us: 0 };
  const host = new BrowserHost("https://host/wasm/", start, (log) => heard.logs.push(log), () => worker);
  const transport = new Transport(
    host.address,
    {
      welcome: () => {},
      snapshot: (message) => heard.snapshots.push(message.next),
      frame: () => {},
      notice: (message) => heard.notices.push(message.message),
      status: (name) => heard.statuses.push(name),
    },
    host.Socket,
  );
  transport.connect();
  await Promise.resolve();
  return { worker, host, heard, transport };
}

test("the worker begins with the run, and hears what the socket would", async () => {
  const { worker, heard } = await connected();
  assert.deepEqual(worker.sent[0], { begin: { run: 1, place: "https://host/wasm/", lang: undefined, scenario: { seed: 1 }, commands: [], until_us: 0 } });
  assert.equal(JSON.parse(worker.sent[1].text).t, "hello");
  worker.emit({ run: 1, message: JSON.stringify({ t: "snapshot", next: 4, at_us: 0, state: {} }) });
  assert.deepEqual(heard.snapshots, [4]);
  assert.deepEqual(JSON.parse(worker.sent[2].text), { t: "ack", through: 4 });
});

test("commands are answered, and the log is kept", async () => {
  const { worker, heard, transport } = await connected();
  const asked = transport.command({ do: "purge" });
  const { id } = JSON.parse(worker.sent.at(-1).text);
  worker.emit({ run: 1, kept: JSON.stringify({ commands: [[5, { do: "purge" }]], until_us: 5 }) });
  worker.emit({ run: 1, message: JSON.stringify({ t: "accepted", id }) });
  await asked;
  assert.deepEqual(heard.logs, [{ commands: [[5, { do: "purge" }]], until_us: 5 }]);
});

test("an engine that cannot start says why", async () => {
  const { worker, heard } = await connected();
  worker.emit({ run: 1, failed: "no room" });
  assert.deepEqual(heard.notices, ["no room"]);
});

test("a record is asked of the engine, and what is not there is said in words", async () => {
  const { worker, heard, host } = await connected();
  const asked = host.record({ seq: "7" });
  const { t, id, question } = JSON.parse(worker.sent.at(-1).text);
  assert.deepEqual({ t, question }, { t: "record", question: { seq: "7" } });
  worker.emit({ run: 1, message: JSON.stringify({ t: "record", id, record: { fields: [], seq: 7 } }) });
  assert.deepEqual(await asked, { fields: [], seq: 7 });
  const missing = host.record({ file: "persistent:0", offset: "99" });
  worker.emit({ run: 1, message: JSON.stringify({ t: "record", id: id + 1, record: { reason: "waiting", size: 40 } }) });
  assert.match((await missing).waiting, /1 MiB write buffer: the file ends at 40/);
  assert.match((await host.record({ seq: "7", at: 3 })).waiting, /bytes of a past moment/);
  assert.deepEqual(heard.notices, []);
});

const SCENARIO = { seed: 1, commands: [{ at_us: 3, do: "publish" }], until_us: 4 };

function edition() {
  const worker = new FakeWorker();
  const app = new BrowserApp("https://host/wasm/", "zh-hans", "play/index.html", () => worker);
  const start = { scenario: SCENARIO, commands: [], until_us: 0 };
  const host = new BrowserHost(app.place, start, () => {}, () => app.worker, app, (packed) => `https://host/#x=${packed}`);
  return { worker, host };
}

/** The question that was put last, as the app reads it. */
function lastAsked(worker) {
  const { id, app, question, args } = worker.sent.at(-1);
  return { id, app, question, ...JSON.parse(args[0]) };
}

test("a link carries the run with what was done in it", async () => {
  const { worker, host } = edition();
  assert.equal(worker.sent[0].begin.lang, "zh-hans");
  worker.emit({ run: 1, kept: JSON.stringify({ commands: [[5, { do: "purge" }]], until_us: 6 }) });
  const shared = host.share();
  const { id, q, scenario, app } = lastAsked(worker);
  assert.deepEqual([q, app, scenario.until_us], ["share", "pages", 6]);
  assert.deepEqual(scenario.commands, [{ at_us: 3, do: "publish" }, { at_us: 5, do: "purge" }]);
  worker.emit({ id, answer: { packed: "1abc" } });
  assert.equal((await shared).url, "https://host/#x=1abc");
  const long = host.share();
  worker.emit({ id: lastAsked(worker).id, answer: { packed: null } });
  await assert.rejects(long, /too long/);
});

test("a record of a bytes of a past moment is asked of the app, and what it refuses is told", async () => {
  const { worker, host } = edition();
  const record = host.record({ seq: 7, at: 3 });
  const { id, q, number, seq, lang, at } = lastAsked(worker);
  assert.deepEqual({ q, number, seq, lang, at }, { q: "record", number: 3, seq: 7, lang: "zh-hans", at: "play/index.html" });
  worker.emit({ id, answer: { fields: [], seq: 7 } });
  assert.deepEqual(await record, { fields: [], seq: 7 });
  const refused = host.record({ seq: 8, at: 3 });
  worker.emit({ id: lastAsked(worker).id, answer: { error: "There is no such file now." } });
  assert.deepEqual(await refused, { error: "There is no such file now." });
  const broken = host.record({ seq: 9, at: 3 });
  worker.emit({ id: lastAsked(worker).id, error: "no room" });
  assert.deepEqual(await broken, { error: "no room" });
});

test("another run begins in the same worker: the page connects again, and what the one before still says is passed over", async () => {
  const { worker, host, heard, transport } = await connected();
  worker.emit({ run: 1, message: JSON.stringify({ t: "snapshot", next: 4, at_us: 0, state: {} }) });
  const before = host.socket;
  host.begin({ scenario: { seed: 2 }, commands: [], until_us: 7 });
  assert.equal(before.readyState, 3);
  assert.equal(heard.statuses.at(-1), "lost");
  const { run, scenario, until_us: until } = worker.sent.at(-1).begin;
  assert.deepEqual([run, scenario, until], [2, { seed: 2 }, 7]);
  worker.emit({ run: 1, kept: JSON.stringify({ commands: [[1, { do: "purge" }]], until_us: 3 }) });
  worker.emit({ run: 1, message: JSON.stringify({ t: "snapshot", next: 5, at_us: 0, state: {} }) });
  assert.deepEqual(host.log, { commands: [], until_us: 7 });
  assert.deepEqual(heard.snapshots, [4]);
  transport.connect();
  await Promise.resolve();
  assert.equal(JSON.parse(worker.sent.at(-1).text).t, "hello");
  worker.emit({ run: 2, message: JSON.stringify({ t: "snapshot", next: 6, at_us: 0, state: {} }) });
  assert.deepEqual(heard.snapshots, [4, 6]);
});

const OPENING = {
  messages: [
    { t: "snapshot", next: 3, at_us: 0, state: {}, why: "join", digest: "d3" },
    { t: "frame", first: 3, at_us: [10, 20, 90], rows: [["A"], ["B"], ["C"]], digest: "d6" },
  ],
  ends_us: 100,
};

/** A page on a run whose beginning was recorded, while the engine loads. */
async function opening(until) {
  const worker = new FakeWorker();
  const heard = { frames: [], snapshots: 0, statuses: [] };
  const start = { scenario: { seed: 1, until_us: 500 }, commands: [], until_us: until, opening: OPENING };
  const host = new BrowserHost("https://host/wasm/", start, () => {}, () => worker);
  const listeners = {
    welcome: ({ lasts_us: us }) => (heard.lasts = us),
    snapshot: () => (heard.snapshots += 1),
    frame: (message) => heard.frames.push(message),
    notice: () => {},
    status: (name) => heard.statuses.push(name),
  };
  const transport = new Transport(host.address, listeners, host.Socket);
  transport.connect();
  const settle = async () => {
    for (let at = 0; at < 50; at += 1) await Promise.resolve();
  };
  await settle();
  const said = () => worker.sent.filter(({ text }) => text).map(({ text }) => JSON.parse(text));
  return { worker, host, heard, transport, settle, said, rows: () => heard.frames.flatMap(({ rows }) => rows.map(([name]) => name)).join("") };
}

test("until the engine has loaded the page plays what was recorded, and commands wait with a reason", async () => {
  const { worker, host, heard, transport, settle, rows } = await opening(0);
  assert.deepEqual(worker.sent, [{ prepare: "https://host/wasm/" }]);
  assert.deepEqual([heard.snapshots, heard.lasts, heard.statuses.at(-1)], [1, 500, "opening"]);
  transport.send({ t: "step" });
  await settle();
  assert.equal(rows(), "A");
  assert.match(host.refusal(), /still being loaded/);
  await assert.rejects(transport.command({ do: "purge" }), /still being loaded/);
});

test("the engine goes on where the recorded beginning is, and does what was asked of time", async () => {
  const { worker, host, heard, transport, settle, said, rows } = await opening(20);
  assert.equal(rows(), "AB");
  transport.send({ t: "control", play: true, speed: 10, until_us: 400, at_once: true });
  await settle();
  assert.equal(rows(), "ABC");
  const record = host.record({ seq: "7" });
  worker.emit({ prepared: true });
  worker.emit({ prepared: true });
  const begun = worker.sent.filter(({ begin }) => begin);
  assert.deepEqual(begun.map(({ begin }) => [begin.run, begin.until_us, begin.opening]), [[1, 100, undefined]]);
  await settle();
  const [hello, control, question] = said();
  assert.deepEqual(hello, { t: "hello", have: 6, life: null });
  assert.deepEqual(control, { t: "control", play: true, until_us: 400, at_once: true, speed: 10 });
  assert.equal(heard.statuses.at(-1), "live");
  assert.equal(host.refusal(), "");
  worker.emit({ run: 1, message: JSON.stringify({ t: "record", id: question.id, record: { fields: [] } }) });
  assert.deepEqual(await record, { fields: [] });
  worker.emit({ run: 1, message: JSON.stringify({ t: "frame", first: 6, at_us: [], rows: [], now_us: 100 }) });
  assert.deepEqual([heard.snapshots, rows()], [1, "ABC"], "nothing comes twice");
});
