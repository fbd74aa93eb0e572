/**
 * Plays scenarios with the engine in WebAssembly, and compares their digests with those that it has natively:
 * node tests/wasm/digests.mjs dist/wasm [NAME...]. Prints a line for each as JSON; ends with 1 where one differs.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...names] = process.argv.slice(2);
const place = resolve(folder);
const began = performance.now();
const { loadPyodide } = await import(pathToFileURL(`${place}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${place}/` });
const bytes = (name) => new Uint8Array(readFileSync(`${place}/${name}`));
python.unpackArchive(bytes("msgspec.zip"), "zip", { extractDir: "/lib/python3.14/site-packages" });
python.unpackArchive(bytes("engine.zip"), "zip", { extractDir: "/waterline" });
python.globals.set("wanted", names.join(" "));
const played = python.runPython(`
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

files = sorted(Path("/waterline/scenarios").glob("*.json"))
json.dumps([play(path) for path in files if not wanted or path.stem in wanted.split()])
`);
const rows = JSON.parse(played);
for (const row of rows) console.log(JSON.stringify(row));
const different = rows.filter((row) => row.digest !== row.native);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.error(`${rows.length} scenarios, ${different.length} with another digest, ${seconds} s with the start`);
process.exit(rows.length && !different.length ? 0 : 1);
