/**
 * Does ahead of time what a browser would do at each start: node tools/wasm_ahead.mjs DIST/wasm.
 * Modules in the archives become compiled ones, by the Python that will run them, and so do those of its own library that are
 * used. snapshot-*.bin is that Python's memory when it has imported all of them. What is not written in Python, msgspec's compiled
 * part, is kept behind it, and loaded at the same place before the memory is taken up.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { COMPILED, MODULES, PARTS, withLibrary } from "../static/js/wasm/python.js";

const PACKAGES = "/lib/python3.14/site-packages";
const HOMES = { "msgspec.zip": PACKAGES, "engine.zip": MODULES, "browser_app.zip": MODULES };
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
/** Imports all that Python, the engine and the app ever load, and tells which modules these are. */
const NEEDED = `
import sys
sys.path.insert(0, "${MODULES}")
${UNPACKING}
import _strptime, encodings.cp437, encodings.latin_1, gc, importlib.metadata, traceback
from pathlib import Path
import playground.hosting.solo, playground.inspecting.browser_inspect
from playground.browser_app import begin
begin(Path("${MODULES}"))
from playground.browser_app import browser_app
for path in sorted(Path("${MODULES}").rglob("*.pyc")):
    name = ".".join(path.relative_to("${MODULES}").with_suffix("").parts).removesuffix(".__init__")
    if not name.endswith("__main__"):
        importlib.import_module(name)
gc.collect()
" ".join(sorted(sys.modules))
`;
/** Lets Python look anew for what it has not imported: its library is in its place only later. */
const FORGET = `
import zipimport
zipimport._zip_directory_cache.clear()
sys.path_importer_cache.clear()
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

const library = python.FS.readFile(COMPILED);
const { default: create } = await import(pathToFileURL(`${place}pyodide.asm.mjs`).href);
const createPyodideModule = (settings) => withLibrary(create, settings, Promise.resolve(library));
const fresh = await loadPyodide({ indexURL: place, _makeSnapshot: true, createPyodideModule });
for (const folder of new Set(Object.values(HOMES))) copy(folder);
fresh.runPython(NEEDED);
fresh.runPython(FORGET);
clear(fresh._module);
const memory = fresh.makeMemorySnapshot();
const kept = Buffer.concat([new Uint8Array(new Uint32Array([memory.length]).buffer), memory, library]);
const share = Math.ceil(kept.length / PARTS);
for (let at = 0; at < PARTS; at += 1)
  writeFileSync(`${place}snapshot-${at}.bin`, gzipSync(kept.subarray(at * share, (at + 1) * share)));
fresh.runPython("import zipfile\nzipfile.ZipFile('/empty.zip', 'w').close()");
writeFileSync(`${place}empty.zip`, fresh.FS.readFile("/empty.zip"));

/** Give the fresh Python a folder of the first one: unpacking would leave traces in its memory. */
function copy(folder) {
  fresh.FS.mkdirTree(folder);
  for (const name of python.FS.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (/^\.\.?$/.test(name)) continue;
    if (python.FS.isDir(python.FS.stat(path).mode)) copy(path);
    else fresh.FS.writeFile(path, python.FS.readFile(path));
  }
}

/** Fill with zeros what is free in its memory, as these need no room in an archive. */
function clear(module) {
  const end = () => module.HEAPU32[module._emscripten_get_sbrk_ptr() >>> 2];
  const taken = [];
  for (let size = 65536; size >= 16; size /= 2) {
    for (let before = end(); ; before = end()) {
      const at = module._calloc(1, size - 8);
      if (end() !== before) {
        module._free(at);
        break;
      }
      taken.push(at);
    }
  }
  for (const at of taken) module._free(at);
}
