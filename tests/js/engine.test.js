/** What the page asks of the engine: the view goes to the present, and a story may hold time back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Playhead } from "../../static/js/model/playhead.js";
import { Session } from "../../static/js/model/session.js";
import { Engine } from "../../static/js/net/engine.js";

function engineWith(sent) {
  const playhead = new Playhead(new Session());
  const engine = new Engine({ address: "ws://nowhere" }, playhead, { status: () => {} });
  Object.assign(engine.transport, { socket: { readyState: 1, send: (text) => sent.push(JSON.parse(text)), close: () => {} } });
  let returns = 0;
  playhead.now = () => (returns += 1);
  return { engine, returned: () => returns };
}

test("commands, undo and console lines bring the view back to the present; the pace does not", () => {
  const sent = [];
  const { engine, returned } = engineWith(sent);
  for (const answer of [engine.command({ do: "purge" }), engine.undo(), engine.runLine("rabbitmqctl status")]) answer.catch(() => {});
  assert.equal(returned(), 3);
  assert.equal(engine.control({ play: true, speed: 4 }), true);
  assert.equal(engine.step(), true);
  assert.equal(returned(), 3);
  assert.deepEqual(sent.map(({ t }) => t), ["command", "undo", "ask", "control", "step"]);
  assert.deepEqual(sent[3], { t: "control", play: true, speed: 4 });
  engine.transport.closed(engine.transport.socket, { code: 4004 });
});

test("what must not be sent now is not sent, and what is mended is sent so", () => {
  const sent = [];
  const { engine } = engineWith(sent);
  engine.mend = (message) => (message.play ? null : { ...message, until_us: 5 });
  assert.equal(engine.control({ play: true }), false);
  assert.equal(engine.control({ speed: 2 }), true);
  assert.deepEqual(sent, [{ t: "control", speed: 2, until_us: 5 }]);
});
