/** Python with the engine in Node.js, as `make wasm` lays it down. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const HOMES = { "msgspec.zip": "/lib/python3.14/site-packages", "engine.zip": "/waterline", "desk.zip": "/waterline" };
const PLAY = `
import json, sys, time
from pathlib import Path
sys.path.insert(0, "/waterline")
from engine.replay import Player, on_ledger

def play(path):
    began = time.perf_counter()
    scenario = json.loads(path.read_text())
    node = on_ledger(scenario)
    for _piece in Player(node).play(scenario["until_us"]):
        pass
    took = round(time.perf_counter() - began, 3)
    return {"name": path.stem, "digest": node.log.digest, "native": scenario["digest"], "s": took}

def played(names):
    files = sorted(Path("/waterline/scenarios").glob("*.json"))
    return json.dumps([play(path) for path in files if not names or path.stem in names.split()])
played
`;
const DESK = `
from playground.desk.begin import begin
begin(Path("/waterline"))
from playground.desk import desk
desk.ask
`;

/** Start it from a folder: `play(names)` plays ready scenarios, all without a name; `ask(question)` asks the desk. */
export async function start(folder) {
  const place = resolve(folder);
  const { loadPyodide } = await import(pathToFileURL(`${place}/pyodide.mjs`).href);
  const python = await loadPyodide({ indexURL: `${place}/` });
  for (const [name, home] of Object.entries(HOMES)) python.unpackArchive(new Uint8Array(readFileSync(`${place}/${name}`)), "zip", { extractDir: home });
  const played = python.runPython(PLAY);
  let asked = null;
  return {
    play: (names) => JSON.parse(played(names.join(" "))),
    ask: (question) => JSON.parse((asked ??= python.runPython(DESK))(JSON.stringify(question))),
  };
}
