/** What is asked for on the picture is refused kindly where nothing can be changed, and nothing is sent then. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { CommandSender } from "../../static/js/view/base/command-sender.js";

function sending({ behind = false, live = true, owner = true, held = false, refusal = "" } = {}) {
  globalThis.document = { body: { classList: { contains: () => held } } };
  const sent = [];
  const flashed = [];
  const engine = { live, command: (command) => Promise.resolve(sent.push(command)) };
  const sender = new CommandSender({ behind }, engine, { flash: (text) => flashed.push(text) }, () => refusal);
  sender.welcome({ owner });
  return { sender, sent, flashed };
}

test("an owner at the present may, and is told what was done", async () => {
  const { sender, sent, flashed } = sending();
  assert.equal(await sender.send({ do: "bind" }, "bound"), true);
  assert.deepEqual([sent, flashed], [[{ do: "bind" }], ["bound"]]);
});

test("a watcher, a moment of the past, a held run, an engine that is away and a recorded run are refused in words", async () => {
  const cases = [
    [{ owner: false }, /somebody else/],
    [{ behind: true }, /moment of the past/],
    [{ held: true }, /waits for your answer/],
    [{ held: true, owner: false }, /waits for your answer/], // an exercise: the run is nobody's until the answer
    [{ live: false }, /not connected/],
    [{ refusal: "recorded" }, /recorded/],
  ];
  for (const [how, words] of cases) {
    const { sender, sent, flashed } = sending(how);
    assert.equal(await sender.send({ do: "bind" }), false);
    assert.deepEqual(sent, []);
    assert.match(flashed[0], words);
  }
});

test("what the engine has against a command is said", async () => {
  const { sender, flashed } = sending();
  sender.engine.command = () => Promise.reject(new Error("There is no queue."));
  assert.equal(await sender.send({ do: "purge" }), false);
  assert.deepEqual(flashed, ["There is no queue."]);
});
