/** Python in a worker: Pyodide with the wheel of msgspec and our modules, as `make wasm` lays them down. */

/**
 * Pyodide, as far as it is used here.
 * @typedef {{ runPython: (code: string) => any, toPy: (value: unknown) => unknown, unpackArchive: (bytes: ArrayBuffer, format: string, options: { extractDir: string }) => void }} Python
 */

const PACKAGES = "/lib/python3.14/site-packages";
export const MODULES = "/waterline";

/**
 * Start it; `place` is where the files lie, with a slash at the end.
 * @param {string} place
 * @returns {Promise<Python>}
 */
export async function startPython(place) {
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: place });
  await unpack(python, place, "msgspec.zip", PACKAGES);
  await unpack(python, place, "engine.zip", MODULES);
  python.runPython(`import sys\nsys.path.insert(0, "${MODULES}")`);
  return python;
}

/**
 * Fetch an archive, and unpack it where Python finds it.
 * @param {Python} python
 * @param {string} place
 * @param {string} name
 */
export async function unpack(python, place, name, folder = MODULES) {
  const answer = await fetch(place + name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
  python.runPython("import importlib\nimportlib.invalidate_caches()");
}
