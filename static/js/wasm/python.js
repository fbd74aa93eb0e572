/** Python in a worker: Pyodide with the wheel of msgspec and our modules, as `make wasm` lays them down. */
const PACKAGES = "/lib/python3.14/site-packages";
const MODULES = "/waterline";

/** Start it; `place` is where the files lie, with a slash at the end. */
export async function startPython(place) {
  const { loadPyodide } = await import(`${place}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: place });
  for (const [name, folder] of [["msgspec.zip", PACKAGES], ["engine.zip", MODULES]]) {
    const answer = await fetch(place + name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    python.unpackArchive(await answer.arrayBuffer(), "zip", { extractDir: folder });
  }
  python.runPython(`import sys\nsys.path.insert(0, "${MODULES}")`);
  return python;
}
