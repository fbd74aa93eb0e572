/**
 * The engine in a Web Worker: Pyodide runs `playground.hosting.solo`, which speaks the socket's messages.
 * In: {begin: {place, scenario, commands, until_us}}, then texts. Out: {told} for the page, {kept} to be remembered, {failed}.
 */
const PYTHON = "/lib/python3.14/site-packages";
const LONGEST_MS = 60_000;

const START = `
import json, sys
sys.path.insert(0, "/waterline")
from playground.hosting.solo import Solo

def begin(text, send, keep):
    wanted = json.loads(text)
    commands = [tuple(each) for each in wanted["commands"]]
    return Solo(wanted["scenario"], commands, wanted["until_us"], send, keep)
begin
`;

let solo = null;
let timer = 0;
const early = [];

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
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: place });
  for (const [name, folder] of [["msgspec.zip", PYTHON], ["engine.zip", "/waterline"]]) {
    const answer = await fetch(place + name);
    python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
  }
  const start = python.runPython(START);
  solo = start(JSON.stringify(wanted), (told) => postMessage({ told }), (kept) => postMessage({ kept }));
  postMessage({ ready: true });
  for (const text of early.splice(0)) solo.receive(text);
  work();
}

addEventListener("message", ({ data }) => {
  if (data.begin) {
    begin(data.begin).catch((error) => postMessage({ failed: String(error.message ?? error).slice(-500) }));
    return;
  }
  if (!solo) {
    early.push(data.text);
    return;
  }
  solo.receive(data.text);
  work();
});
