import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Transport } from "../../static/js/net/transport.js";

class FakeSocket {
  static all = [];

  constructor(url) {
    Object.assign(this, { url, sent: [], readyState: 0 });
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  close() {
    this.readyState = 3;
  }

  break(code = 1006) {
    this.readyState = 3;
    this.onclose({ code });
  }
}

function connected() {
  FakeSocket.all = [];
  const heard = { frames: [], snapshots: [], status: [], notices: [] };
  const transport = new Transport(
    "ws://here",
    {
      welcome: () => {},
      snapshot: (message) => heard.snapshots.push(message),
      frame: (message) => heard.frames.push(message),
      notice: (message) => heard.notices.push(message),
      status: (...status) => heard.status.push(status),
    },
    FakeSocket,
  );
  transport.connect();
  FakeSocket.all[0].open();
  return { transport, heard, socket: () => FakeSocket.all.at(-1) };
}

const snapshot = (next) => ({ t: "snapshot", next, at_us: 0, state: {} });
const frame = (first, count) => ({
  t: "frame",
  first,
  rows: Array(count).fill(["Acked"]),
  at_us: Array(count).fill(0),
});

test("says hello, and acknowledges what it took", () => {
  const { heard, socket } = connected();
  assert.deepEqual(socket().sent[0], { t: "hello", have: null, life: null });
  socket().receive(snapshot(5));
  socket().receive(frame(5, 3));
  assert.deepEqual(socket().sent.slice(1), [
    { t: "ack", through: 5 },
    { t: "ack", through: 8 },
  ]);
  assert.equal(heard.frames.length, 1);
});

test("acknowledges no frame of which it is told that another one stands for it", () => {
  const { socket } = connected();
  socket().receive(snapshot(5));
  socket().receive({ ...frame(5, 3), ack: false });
  socket().receive(frame(8, 1));
  assert.deepEqual(socket().sent.slice(1), [
    { t: "ack", through: 5 },
    { t: "ack", through: 9 },
  ]);
});

test("a gap is never shown: a snapshot is asked for", () => {
  const { heard, socket } = connected();
  socket().receive(snapshot(5));
  socket().receive(frame(7, 1));
  assert.equal(heard.frames.length, 0);
  assert.deepEqual(socket().sent.at(-1), { t: "hello", have: null, life: null });
});

test("rows that are known already are cut off", () => {
  const { heard, socket } = connected();
  socket().receive(snapshot(5));
  socket().receive(frame(3, 4));
  assert.equal(heard.frames[0].first, 5);
  assert.equal(heard.frames[0].rows.length, 2);
});

test("comes back by itself, later each time, and goes on where it was", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { transport, heard, socket } = connected();
  socket().receive({ t: "welcome", life: "abc" });
  socket().receive(snapshot(5));
  socket().break();
  assert.deepEqual(heard.status.at(-1), ["lost", 500]);
  mock.timers.tick(500);
  socket().break();
  assert.deepEqual(heard.status.at(-1), ["lost", 1000]);
  mock.timers.tick(1000);
  socket().open();
  assert.deepEqual(socket().sent[0], { t: "hello", have: 5, life: "abc" });
  transport.close();
  mock.timers.reset();
});

test("a session that fails or is full is tried again, later each time although the socket opens", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { transport, heard, socket } = connected();
  for (const [code, retryMs] of [
    [4012, 500],
    [4013, 1000],
    [4014, 2000],
  ]) {
    socket().break(code);
    assert.deepEqual(heard.status.at(-1), ["lost", retryMs]);
    mock.timers.tick(retryMs);
    socket().open();
  }
  socket().receive({ t: "welcome", life: "abc" });
  socket().break(4012);
  assert.deepEqual(heard.status.at(-1), ["lost", 500]);
  transport.close();
  mock.timers.reset();
});

test("a server that had no place has one only when it welcomes, not when a socket opens", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { transport, heard, socket } = connected();
  socket().break(4013);
  mock.timers.tick(500);
  socket().open();
  assert.deepEqual(heard.status.at(-1), ["connecting", 0]);
  socket().receive({ t: "welcome", life: "abc" });
  assert.deepEqual(heard.status.at(-1), ["live", 0]);
  transport.close();
  mock.timers.reset();
});

test("follows a session to another process, at once only the first time", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { transport, heard, socket } = connected();
  socket().receive({ t: "welcome", life: "abc" });
  socket().receive(snapshot(5));
  const move = (node) => {
    socket().receive({ t: "moved", websocket: `/ws/session/x/?key=k&node=${node}` });
    socket().break(4015);
  };
  move("app2");
  assert.equal(socket().url, "ws://here/ws/session/x/?key=k&node=app2");
  socket().open();
  assert.deepEqual(socket().sent[0], { t: "hello", have: 5, life: "abc" });
  move("app1");
  assert.deepEqual(heard.status.at(-1), ["lost", 500], "two that send it to each other are not asked without end");
  mock.timers.tick(500);
  assert.equal(socket().url, "ws://here/ws/session/x/?key=k&node=app1");
  socket().open();
  socket().receive({ t: "welcome", life: "def" });
  move("app2");
  assert.equal(socket().url, "ws://here/ws/session/x/?key=k&node=app2");
  assert.equal(socket().readyState, 0, "after a welcome it is at once again");
  transport.close();
  mock.timers.reset();
});

test("stops trying when the session is gone", () => {
  const { heard, socket } = connected();
  socket().break(4004);
  assert.deepEqual(heard.status.at(-1), ["ended", 0]);
});

test("commands are answered: accepted, refused with the reason, or not at all", async () => {
  const { transport, socket } = connected();
  const good = transport.command({ do: "purge" });
  const bad = transport.command({ do: "publish" });
  socket().receive({ t: "accepted", id: 1 });
  socket().receive({ t: "refused", id: 2, message: "count is missing" });
  await good;
  await assert.rejects(bad, /count is missing/);
  const cut = transport.command({ do: "purge" });
  socket().break(4004);
  await assert.rejects(cut, /offline/);
  await assert.rejects(transport.command({ do: "purge" }), /offline/);
});
