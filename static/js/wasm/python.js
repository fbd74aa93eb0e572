/** Python in a worker: Pyodide with the wheel of msgspec and our modules, as `make wasm` lays them down. */

/** @import { Values } from "../model/catalogue/types.js" of Pyodide: its module and settings, of which it promises nothing; package-lock.json pins it */

/**
 * Pyodide, as far as it is used here.
 * @typedef {{ runPython: <T>(code: string) => T, toPy: (value: unknown) => unknown, unpackArchive: (bytes: ArrayBuffer, format: string, options: { extractDir: string }) => void, FS: { writeFile: (path: string, data: Uint8Array) => void } }} Python
 * @typedef {(options: Record<string, unknown>) => Promise<Python>} Load
 * @typedef {(address: string) => Promise<Response>} Read fetches a file; rejects where there is none
 * @typedef {{ library: Uint8Array, memory: Uint8Array }} Snapshot the compiled part of msgspec, and the memory of a Python that has loaded it
 */

export const MODULES = "/waterline";
const PACKAGES = "/lib/python3.14/site-packages";
const ARCHIVES = { "msgspec.zip": PACKAGES, "engine.zip": MODULES };
/** So many functions have room before those of msgspec: browsers differ in how many there are. */
const FUNCTIONS = 16384;
/** In so many files a snapshot lies. */
export const PARTS = 3;
/** The compiled part of msgspec, as Python names it. */
export const COMPILED = `${PACKAGES}/msgspec/_core.cpython-314-wasm32-emscripten.so`;

/**
 * Start it; `place` is where the files lie, with a slash at the end. All of them are requested at once. `step` is called with how far it
 * is: 2 when all is loaded that can be loaded before, 3 when Python runs.
 * @param {string} place
 * @param {(step: number) => void} [step]
 * @param {Read} [read]
 * @returns {Promise<Python>}
 */
export async function startPython(place, step = () => {}, read = fetched) {
  const kept = snapshot(place, read);
  kept.then(() => step(2), () => step(2));
  const [{ loadPyodide }, { default: create }] = await Promise.all([import(`${place}pyodide.mjs`), import(`${place}pyodide.asm.mjs`)]);
  try {
    const python = await resumed(loadPyodide, create, place, kept);
    step(3);
    rest(python, place, read);
    return python;
  } catch (error) {
    console.warn("Python starts without its snapshot.", error);
  }
  const archives = Object.entries(ARCHIVES).map(([name, folder]) => ({ folder, data: contents(place + name, read) }));
  /** @type {Python} */
  const python = await loadPyodide({ indexURL: place });
  step(3);
  for (const { folder, data } of archives) unpack(python, await data, folder);
  python.runPython(`import sys\nsys.path.insert(0, "${MODULES}")`);
  return python;
}

/**
 * Python as `make wasm` left it, with every module of ours; it fails where Pyodide is not the one that made the snapshot.
 * @param {Load} loadPyodide
 * @param {(settings: Values) => Promise<Values>} create
 * @param {string} place
 * @param {Promise<Snapshot>} kept
 */
function resumed(loadPyodide, create, place, kept) {
  /** @param {Values} settings */
  const createPyodideModule = async (settings) => {
    const library = kept.then((found) => found.library);
    library.catch(() => {}); // nobody waits for it before the module is compiled
    const module = await withLibrary(create, settings, library);
    const { memory } = await kept;
    const needed = memory.length - (memory.length % 65536);
    if (module.HEAP8.length < needed) module._emscripten_resize_heap(needed);
    const { restoreSnapshot } = module.API;
    // How Python calls functions of unknown signature is this browser's own, and was not that of Node.js.
    const at = (module.__PyRuntime + module.HEAP32[module.__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4;
    const trampoline = module.HEAP32[at];
    module.API.restoreSnapshot = () => {
      const found = restoreSnapshot(memory);
      module.HEAP32[at] = trampoline;
      return found;
    };
    return module;
  };
  return loadPyodide({ indexURL: place, stdLibURL: `${place}empty.zip`, createPyodideModule, _loadSnapshot: new Uint8Array(0) });
}

/**
 * Pyodide's module with the compiled part of msgspec, which lies before all that Python ever allocates: so it is at the same place
 * when a snapshot is made and when it is taken up.
 * @param {(settings: Values) => Promise<Values>} create
 * @param {Values} settings
 * @param {Promise<Uint8Array>} library
 * @returns {Promise<Values>}
 */
export function withLibrary(create, settings, library) {
  return new Promise((done, fail) => {
    settings.preRun.push((/** @type {Values} */ module) => {
      module.addRunDependency(COMPILED);
      load(module, library).then(() => module.removeRunDependency(COMPILED)).catch(fail);
    });
    create(settings).then(done, fail);
  });
}

/**
 * @param {Values} module
 * @param {Promise<Uint8Array>} library
 */
async function load(module, library) {
  module.wasmTable.grow(FUNCTIONS - module.wasmTable.length);
  const options = { loadAsync: true, nodelete: true, allowUndefined: true };
  const found = module.newDSO(COMPILED, undefined, "loading");
  found.global = false;
  found.exports = await module.loadWebAssemblyModule(await library, options, COMPILED, {}, 0);
}

/**
 * The rest of Python's own library, for what imports of it late; nothing that runs a session does.
 * @param {Python} python
 * @param {string} place
 * @param {Read} read
 */
async function rest(python, place, read) {
  try {
    python.FS.writeFile("/lib/python314.zip", new Uint8Array(await contents(`${place}python_stdlib.zip`, read)));
    python.runPython("import importlib\nimportlib.invalidate_caches()");
  } catch (error) {
    console.warn("Python goes without the rest of its library.", error);
  }
}

/**
 * What `make wasm` kept: the length of the memory, the memory, the library. It lies in parts, as browsers keep no large file.
 * @param {string} place
 * @param {Read} read
 * @returns {Promise<Snapshot>}
 */
async function snapshot(place, read) {
  const parts = await Promise.all(Array.from({ length: PARTS }, (_, at) => unpacked(`${place}snapshot-${at}.bin`, read)));
  const data = await new Blob(parts).arrayBuffer();
  const [length] = new Uint32Array(data, 0, 1);
  return { memory: new Uint8Array(data, 4, length), library: new Uint8Array(data, 4 + length) };
}

/**
 * @param {string} address of a file that is gzipped
 * @param {Read} read
 */
async function unpacked(address, read) {
  const { body } = await read(address);
  if (!body) throw new Error(`${address} is empty`);
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** @type {Read} */
async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}

/**
 * The bytes of a file; a failure is reported to the caller that waits for them, however late that is.
 * @param {string} address
 * @param {Read} [read]
 */
export function contents(address, read = fetched) {
  const data = read(address).then((answer) => answer.arrayBuffer());
  data.catch(() => {});
  return data;
}

/**
 * Unpack an archive where Python finds it.
 * @param {Python} python
 * @param {ArrayBuffer} data
 */
export function unpack(python, data, folder = MODULES) {
  python.unpackArchive(data, "zip", { extractDir: folder });
  python.runPython("import importlib\nimportlib.invalidate_caches()");
}
