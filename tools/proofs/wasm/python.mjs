/** Python with the engine in Node.js, as `make wasm` lays it down, started by the lines that start it in a browser. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { contents, startPython, unpack } from "../../../static/js/wasm/python.js";

const PLAY = readFileSync(new URL("play.py", import.meta.url), "utf-8");
const APP = `
from pathlib import Path
from playground.browser_app import begin
begin(Path("/waterline"))
from playground.browser_app import browser_app
browser_app.ask
`;

const read = async (path) => new Response(await readFile(path));

/** Start it from a folder: `play(names)` plays ready scenarios, all without a name; `ask(question)` asks the app. */
export async function start(folder) {
  const place = `${resolve(folder)}/`;
  const python = await startPython(place, () => {}, read);
  for (const name of ["scenarios.zip", "browser_app.zip"]) unpack(python, await contents(place + name, read));
  const played = python.runPython(PLAY);
  let asked = null;
  return {
    play: (names) => JSON.parse(played(names.join(" "))),
    ask: (question) => JSON.parse((asked ??= python.runPython(APP))(JSON.stringify(question))),
  };
}
