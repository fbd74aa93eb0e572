/** Python with the engine in Node.js, as `make wasm` lays it down. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const HOMES = { "msgspec.zip": "/lib/python3.14/site-packages", "engine.zip": "/waterline", "desk.zip": "/waterline" };
const PLAY = readFileSync(new URL("play.py", import.meta.url), "utf-8");
const DESK = `
from pathlib import Path
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
  python.runPython('import sys\nsys.path.insert(0, "/waterline")');
  const played = python.runPython(PLAY);
  let asked = null;
  return {
    play: (names) => JSON.parse(played(names.join(" "))),
    ask: (question) => JSON.parse((asked ??= python.runPython(DESK))(JSON.stringify(question))),
  };
}
