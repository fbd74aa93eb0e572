/**
 * Asks the desk questions with the engine in WebAssembly: node tests/wasm/desk.mjs dist/wasm '[{"q": …}, …]'.
 * Prints the answers as one line of JSON.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, questions] = process.argv.slice(2);
const place = resolve(folder);
const { loadPyodide } = await import(pathToFileURL(`${place}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${place}/` });
const homes = { "msgspec.zip": "/lib/python3.14/site-packages", "engine.zip": "/waterline", "desk.zip": "/waterline" };
for (const [name, home] of Object.entries(homes)) python.unpackArchive(new Uint8Array(readFileSync(`${place}/${name}`)), "zip", { extractDir: home });

const QUESTIONS = `
import json, sys
from pathlib import Path
sys.path.insert(0, "/waterline")
from playground.desk.begin import begin
begin(Path("/waterline"))
from playground.desk import desk
json.dumps([json.loads(desk.ask(json.dumps(each))) for each in json.loads(questions)])
`;
python.globals.set("questions", questions);
try {
  console.log(python.runPython(QUESTIONS));
} catch (error) {
  console.error(String(error.message).slice(-3000));
  process.exit(1);
}
