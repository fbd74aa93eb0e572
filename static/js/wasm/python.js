/** Python in a worker: Pyodide with the wheel of msgspec and our modules, as `make wasm` lays them down. */
const PACKAGES = "/lib/python3.14/site-packages";
export const MODULES = "/waterline";

/** Start it; `place` is where the files lie, with a slash at the end. */
export async function startPython(place) {
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: place });
  await unpack(python, place, "msgspec.zip", PACKAGES);
  await unpack(python, place, "engine.zip", MODULES);
  python.runPython(`import sys\nsys.path.insert(0, "${MODULES}")`);
  return python;
}

/** Fetch an archive, and unpack it where Python finds it. */
export async function unpack(python, place, name, folder = MODULES) {
  const answer = await fetch(place + name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
  python.runPython("import importlib\nimportlib.invalidate_caches()");
}
