import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Recording } from "../../static/js/net/recording.js";
import { Transport } from "../../static/js/net/transport.js";

const PARTS = [
  [
    { t: "snapshot", next: 3, at_us: 0, state: {}, why: "join", skipped: {}, digest: "d3" },
    { t: "frame", first: 3, at_us: [10, 20_000, 20_000], rows: [["A"], ["B"], ["C"]], digest: "d6" },
  ],
  [
    { t: "frame", first: 6, at_us: [90_000], rows: [["D"]], digest: "d7" },
    { t: "snapshot", next: 900, at_us: 100_000, state: { far: 1 }, why: "fast", skipped: { D: 893 }, digest: "d900" },
  ],
];

/** A transport on a recording whose clock stands until a test moves it. */
async function played() {
  mock.timers.enable({ apis: ["setTimeout"] });
  const clock = { ms: 0 };
  const unpacked = [];
  const unpack = async (at) => (unpacked.push(at), structuredClone(PARTS[at]));
  const records = async (at) => ({ "seq=7": { fields: [], name: `of ${at}` } });
  const moments = [{ number: 6, at_us: 20_000 }];
  const recording = new Recording({ parts: 2, ends_us: 100_000, moments }, { unpack, records }, () => clock.ms);
  const heard = { frames: [], snapshots: [], notices: [], status: [] };
  const transport = new Transport(
    recording.address,
    {
      welcome: () => {},
      snapshot: (message) => heard.snapshots.push(message),
      frame: (message) => heard.frames.push(message),
      notice: (message) => heard.notices.push(message),
      status: (name) => heard.status.push(name),
    },
    recording.Socket,
  );
  transport.connect();
  const settle = async () => {
    for (let at = 0; at < 50; at += 1) await Promise.resolve();
  };
  await settle();
  const pass = async (ms) => {
    for (let left = ms; left > 0; left -= 50) {
      clock.ms += 50;
      mock.timers.tick(50);
      await settle();
    }
  };
  const rows = () => heard.frames.flatMap((frame) => frame.rows.map(([name]) => name)).join("");
  return { recording, transport, heard, pass, settle, rows, unpacked };
}

test("a recording begins with its first snapshot and stands still", async (t) => {
  t.after(() => mock.timers.reset());
  const { heard, transport, pass, rows } = await played();
  assert.deepEqual(heard.snapshots.map(({ next }) => next), [3]);
  assert.equal(transport.live, true);
  await pass(200);
  assert.equal(rows(), "");
  assert.equal(heard.frames.at(-1).play, false);
});

test("time passes at the wished speed, up to the wished time", async (t) => {
  t.after(() => mock.timers.reset());
  const { heard, transport, pass, rows } = await played();
  transport.send({ t: "control", play: true, speed: 0.1 });
  await pass(150);
  assert.equal(rows(), "A");
  transport.send({ t: "control", play: true, speed: 1, until_us: 20_000 });
  await pass(150);
  assert.equal(rows(), "ABC");
  const last = heard.frames.at(-1);
  assert.deepEqual([last.play, last.now_us], [false, 20_000]);
  assert.equal(heard.frames.findLast((frame) => frame.rows.length).digest, "d6");
});

test("the end can be gone to at once, past what was too fast for rows", async (t) => {
  t.after(() => mock.timers.reset());
  const { heard, transport, settle, rows } = await played();
  transport.send({ t: "control", play: true, until_us: 100_000, at_once: true });
  await settle();
  assert.equal(rows(), "ABCD");
  assert.deepEqual(heard.snapshots.map(({ next }) => next), [3, 900]);
  assert.equal(heard.frames.at(-1).play, false);
  transport.send({ t: "control", play: true });
  await settle();
  assert.equal(heard.frames.at(-1).play, false, "nothing comes after the end");
});

test("a step is one transition, and its digest is not known inside a frame", async (t) => {
  t.after(() => mock.timers.reset());
  const { heard, transport, settle, rows } = await played();
  for (let times = 0; times < 2; times += 1) transport.send({ t: "step" });
  await settle();
  assert.equal(rows(), "AB");
  assert.equal(heard.frames.findLast((frame) => frame.rows.length).digest, "");
});

test("commands are refused in words", async (t) => {
  t.after(() => mock.timers.reset());
  const { transport } = await played();
  await assert.rejects(transport.command({ do: "publish" }), /recorded/);
});

test("bytes are there for the moments that were kept, and the others say where they are", async (t) => {
  t.after(() => mock.timers.reset());
  const { recording, transport, settle } = await played();
  assert.match((await recording.record({ seq: 7 })).waiting, /0\.02/);
  transport.send({ t: "control", play: true, until_us: 20_000, at_once: true });
  await settle();
  assert.equal((await recording.record({ seq: 7 })).name, "of 0");
  assert.equal((await recording.record({ seq: 7, at: 6 })).name, "of 0");
  assert.match((await recording.record({ seq: 8 })).waiting, /some messages/);
});

test("parts are unpacked when they are near, one ahead", async (t) => {
  t.after(() => mock.timers.reset());
  const { unpacked } = await played();
  assert.deepEqual(unpacked, [0, 1]);
});

test("what was before the first snapshot is the node's start, and nothing else", async () => {
  const begun = { stretches: [{ first: 0, us: 0, rows: [], at_us: [] }], through: 7 };
  const content = { unpack: async () => [], records: async () => ({}) };
  const recording = new Recording({ parts: 1, ends_us: 1, begun }, content);
  assert.deepEqual(await (await recording.past("#?from=0&to=7")).json(), begun);
  assert.equal((await recording.past("#?from=7&to=9")).ok, false);
  assert.equal((await new Recording({ parts: 1, ends_us: 1 }, content).past("#?from=0&to=7")).ok, false);
});
