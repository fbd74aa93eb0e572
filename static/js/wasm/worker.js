/**
 * The engine in a Web Worker: Pyodide runs a session (`playground.hosting.solo`), which speaks the socket's messages, and reads
 * what somebody gave to be inspected (`playground.inspecting.desk`).
 * In: {begin: {place, scenario, commands, until_us}}, then {text}; without a scenario it is the start on the files that were read.
 * {id, place, ask, args} asks the desk. Out: {told} for the page, {kept} to be remembered, {failed}; {id, answer} or {id, error}.
 */
import { startPython } from "./python.js";

const LONGEST_MS = 60_000;

const SESSION = `
import json
from playground.hosting.solo import Solo

def begin(text, send, keep):
    wanted = json.loads(text)
    commands = [tuple(each) for each in wanted["commands"]]
    return Solo(wanted["scenario"], commands, wanted["until_us"], send, keep)
begin
`;
const DESK = `
from playground.inspecting.desk import Desk
Desk()
`;

/** @type {Promise<any>?} */
let python = null;
/** What a reader gave; made with the first question. */
let desk = null;
let solo = null;
let timer = 0;
const early = [];

function started(place) {
  python ??= startPython(place);
  return python;
}

/** Let the session work until it wants to wait. */
function work() {
  clearTimeout(timer);
  for (let turns = 0; turns < 20 && solo.wait_s() <= 0; turns += 1) solo.turn();
  const waitMs = solo.wait_s() * 1000;
  if (waitMs < LONGEST_MS) timer = setTimeout(turn, waitMs);
}

function turn() {
  solo.turn();
  work();
}

async function begin({ place, ...wanted }) {
  const running = await started(place);
  const [send, keep] = [(told) => postMessage({ told }), (kept) => postMessage({ kept })];
  solo = wanted.scenario ? running.runPython(SESSION)(JSON.stringify(wanted), send, keep) : desk.begin(wanted.until_us, send, keep);
  postMessage({ ready: true });
  for (const text of early.splice(0)) solo.receive(text);
  work();
}

/** Put a question to the desk; what is no text goes there as Python's own bytes and dicts. */
async function ask({ id, place, ask: name, args }) {
  const running = await started(place);
  desk ??= running.runPython(DESK);
  postMessage({ id, answer: name ? JSON.parse(desk[name](...args.map((each) => running.toPy(each)))) : desk.version });
}

function words(error) {
  return String(error.message ?? error).slice(-500);
}

addEventListener("message", ({ data }) => {
  if (data.ask !== undefined) ask(data).catch((error) => postMessage({ id: data.id, error: words(error) }));
  else if (data.begin) begin(data.begin).catch((error) => postMessage({ failed: words(error) }));
  else if (!solo) early.push(data.text);
  else {
    solo.receive(data.text);
    work();
  }
});
