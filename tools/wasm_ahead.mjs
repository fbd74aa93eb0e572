/**
 * Does ahead of time what a browser would do at each start: node tools/wasm_ahead.mjs DIST/wasm.
 * Modules in the archives become compiled ones, by the Python that will run them, and so do those of its own library that are
 * used. snapshot.bin is that Python's memory just after it started. It has nothing of msgspec: what is not written in Python
 * cannot be taken up from a memory.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const HOMES = { "msgspec.zip": "/lib/python3.14/site-packages", "engine.zip": "/waterline", "browser_app.zip": "/waterline" };
const LIBRARY = "python_stdlib.zip";
/** With these Python unpacks archives. */
const UNPACKING = "import shutil, zipfile";
const COMPILE = `
${UNPACKING}
from importlib._bootstrap_external import _code_to_hash_pyc

def compiled(name, names):
    """Compile the modules of an archive; only those of these names, if there are any."""
    chosen = {f"{each.replace('.', '/')}{end}" for each in names.split() for end in (".py", "/__init__.py")}
    with zipfile.ZipFile(name) as given, zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for row in given.infolist():
            data, at = given.read(row), row.filename
            if at.endswith(".py") and (not chosen or at in chosen):
                data, at = bytes(_code_to_hash_pyc(compile(data, at, "exec", dont_inherit=True), bytes(8), False)), f"{at}c"
            out.writestr(zipfile.ZipInfo(at, row.date_time), data, zipfile.ZIP_DEFLATED)
compiled
`;
/** Tells which modules Python, the engine and the app load. */
const NEEDED = `
import sys
sys.path.insert(0, "/waterline")
import playground.hosting.solo, playground.inspecting.browser_inspect
from pathlib import Path
from playground.browser_app.begin import begin
begin(Path("/waterline"))
from playground.browser_app import browser_app
" ".join(sorted(sys.modules))
`;

const place = `${resolve(process.argv[2])}/`;
const { loadPyodide } = await import(pathToFileURL(`${place}pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: place });
const compiler = python.runPython(COMPILE);

/** Compile an archive's modules, in its place. */
function compile(name, names = "") {
  python.FS.writeFile(`/${name}`, readFileSync(place + name));
  compiler(`/${name}`, names);
  const data = python.FS.readFile("/compiled.zip");
  writeFileSync(place + name, data);
  return data;
}

for (const [name, folder] of Object.entries(HOMES)) python.unpackArchive(compile(name), "zip", { extractDir: folder });
compile(LIBRARY, python.runPython(NEEDED));

const fresh = await loadPyodide({ indexURL: place, _makeSnapshot: true });
fresh.runPython(UNPACKING);
writeFileSync(`${place}snapshot.bin`, gzipSync(fresh.makeMemorySnapshot(), { level: 9 }));
