import assert from "node:assert/strict";
import { test } from "node:test";

import { History, KEPT_LINES, complete } from "../../static/js/model/console.js";
import { fillLine, formWords, linesOf } from "../../static/js/model/stands-for.js";

const COMMANDS = { list_queues: ["name", "messages", "messages_ready"], list_policies: [], help: [] };

test("a command is completed as far as it is certain", () => {
  assert.deepEqual(complete("li", COMMANDS, []), { line: "list_", choices: ["list_policies", "list_queues"] });
  assert.deepEqual(complete("list_q", COMMANDS, []), { line: "list_queues ", choices: ["list_queues"] });
  assert.deepEqual(complete("rabbitmqctl list_q", COMMANDS, []).line, "rabbitmqctl list_queues ");
  assert.deepEqual(complete("-q list_q", COMMANDS, []).line, "-q list_queues ");
  assert.deepEqual(complete("nothing", COMMANDS, []), { line: "nothing", choices: [] });
  assert.deepEqual(complete("", COMMANDS, []).choices, []);
});

test("after the command come its columns and the queues", () => {
  assert.deepEqual(complete("list_queues name mess", COMMANDS, []).line, "list_queues name messages");
  assert.deepEqual(complete("purge_queue or", { purge_queue: [] }, ["orders"]).line, "purge_queue orders ");
  assert.deepEqual(complete("help list_p", COMMANDS, []).line, "help list_policies ");
});

test("history walks back and forth and comes back to the draft", () => {
  const history = new History();
  history.add("one");
  history.add("two");
  history.add("two");
  assert.equal(history.walk(-1, "draft"), "two");
  assert.equal(history.walk(-1, "two"), "one");
  assert.equal(history.walk(-1, "one"), "one");
  assert.equal(history.walk(1, "one"), "two");
  assert.equal(history.walk(1, "two"), "draft");
});

test("history keeps only so many lines", () => {
  const history = new History();
  for (let i = 0; i < KEPT_LINES + 5; i += 1) history.add(`line ${i}`);
  assert.equal(history.lines.length, KEPT_LINES);
  assert.equal(history.walk(-1, ""), `line ${KEPT_LINES + 4}`);
});

const STATE = {
  queues: { orders: {} },
  node: { settings: { vm_memory_high_watermark: 0.41999999, queue_mode: "lazy", disk_free_limit: { absolute: 5 } } },
};
const TABLE = {
  vm_memory_high_watermark: { command: "rabbitmqctl set_vm_memory_high_watermark {value}", line: "x = {value}", file: "rabbitmq.conf", runtime: true },
  queue_mode: { command: "set '{{\"queue-mode\":\"{value}\"}}' {queue}", line: null, file: "client", runtime: false },
  disk_free_limit: { command: null, line: "limit = {value}", file: "rabbitmq.conf", runtime: false },
  ratio: { command: null, line: "ratio = {value}", file: "rabbitmq.conf", runtime: false },
  "ratio.from_1": { command: null, line: "{{ratio, {value}}}", file: "advanced.config", runtime: false },
};

test("a control's lines carry the values now", () => {
  assert.deepEqual(linesOf(["vm_memory_high_watermark", "unknown"], TABLE, STATE, {}), [
    { where: "rabbitmqctl", text: "rabbitmqctl set_vm_memory_high_watermark 0.42", forgotten: true },
    { where: "rabbitmq.conf", text: "x = 0.42", forgotten: false },
  ]);
  assert.equal(linesOf(["queue_mode"], TABLE, STATE, {})[0].text, "set '{\"queue-mode\":\"lazy\"}' orders");
  assert.equal(linesOf(["disk_free_limit"], TABLE, STATE, {})[0].text, "limit = 5");
});

test("a form's fields become arguments and a definition", () => {
  const words = formWords({ name: "q", durable: "true", ttl: "500", mode: "lazy", max_length: undefined });
  assert.equal(words.arguments, '{"x-queue-mode":"lazy","x-message-ttl":500}');
  assert.equal(words.definition, '{"queue-mode":"lazy","message-ttl":500}');
  assert.equal(formWords({ name: "q" }).arguments, "{}");
});

test("a place without a value keeps its name", () => {
  assert.equal(fillLine("a {b} {{c}}", {}), "a <b> {c}");
});

test("rabbitmq.conf is not offered for a ratio that it refuses", () => {
  const line = (ratio) => linesOf(["ratio"], TABLE, { queues: {}, node: { settings: { ratio } } }, {})[0];
  assert.deepEqual(line(0.99), { where: "rabbitmq.conf", text: "ratio = 0.99", forgotten: false });
  assert.deepEqual(line(1.1), { where: "advanced.config", text: "{ratio, 1.1}", forgotten: false });
  assert.equal(line(1).where, "advanced.config");
});
