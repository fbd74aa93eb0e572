/** Python in a worker: Pyodide with the wheel of msgspec and our modules, as `make wasm` lays them down. */

/**
 * Pyodide, as far as it is used here.
 * @typedef {{ runPython: <T>(code: string) => T, toPy: (value: unknown) => unknown, unpackArchive: (bytes: ArrayBuffer, format: string, options: { extractDir: string }) => void }} Python
 * @typedef {(options: Record<string, unknown>) => Promise<Python>} Load
 * @typedef {(address: string) => Promise<Response>} Read fetches a file; rejects where there is none
 */

export const MODULES = "/waterline";
const ARCHIVES = { "msgspec.zip": "/lib/python3.14/site-packages", "engine.zip": MODULES };

/**
 * Start it; `place` is where the files lie, with a slash at the end. All of them are requested at once. `step` is called with how far it
 * is: 2 when all is loaded that can be loaded before, 3 when Python runs.
 * @param {string} place
 * @param {(step: number) => void} [step]
 * @param {Read} [read]
 * @returns {Promise<Python>}
 */
export async function startPython(place, step = () => {}, read = fetched) {
  const archives = Object.entries(ARCHIVES).map(([name, folder]) => ({ folder, data: contents(place + name, read) }));
  const memory = snapshot(place, read);
  memory.then(() => step(2), () => step(2));
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await begun(loadPyodide, place, memory);
  step(3);
  for (const { folder, data } of archives) unpack(python, await data, folder);
  python.runPython(`import sys\nsys.path.insert(0, "${MODULES}")`);
  return python;
}

/**
 * Python as it stood when `make wasm` had started it; where a browser cannot take that up, or there is none, it starts as always.
 * @param {Load} loadPyodide
 * @param {string} place
 * @param {Promise<ArrayBuffer>} memory
 */
async function begun(loadPyodide, place, memory) {
  try {
    return await loadPyodide({ indexURL: place, _loadSnapshot: memory });
  } catch (error) {
    console.warn("Python starts without its snapshot.", error);
    return loadPyodide({ indexURL: place });
  }
}

/**
 * @param {string} place
 * @param {Read} read
 */
async function snapshot(place, read) {
  const { body } = await read(`${place}snapshot.bin`);
  if (!body) throw new Error("snapshot.bin is empty");
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
