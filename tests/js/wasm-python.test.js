/** Python in a worker starts from its snapshot, and where that cannot be used it starts as always. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import { gzipSync } from "node:zlib";

import { startPython } from "../../static/js/wasm/python.js";

/** Stands for Pyodide: it takes up a snapshot of these words only, and remembers how it was started. */
const PYODIDE = `
export const starts = [];
export async function loadPyodide({ _loadSnapshot }) {
  const memory = _loadSnapshot && new TextDecoder().decode(await _loadSnapshot);
  if (memory && memory !== "of this build") throw new Error("Snapshot build id mismatch");
  starts.push(memory ? "snapshot" : "plain");
  return { runPython() {}, unpackArchive() {} };
}
`;
let place = "";

before(async () => {
  place = `${await mkdtemp(join(tmpdir(), "waterline-"))}/`;
  await writeFile(`${place}pyodide.mjs`, PYODIDE);
  mock.method(console, "warn", () => {});
});
after(() => rm(place, { recursive: true }));

/** How Python was started where a host has this snapshot; without one it has none. */
async function startedWith(snapshot) {
  const steps = [];
  const read = async (address) => {
    if (!address.endsWith("snapshot.bin")) return new Response("a zip");
    if (snapshot === null) throw new Error("404");
    return new Response(snapshot);
  };
  await startPython(place, (step) => steps.push(step), read);
  const { starts } = await import(`${place}pyodide.mjs`);
  return { how: starts.at(-1), steps };
}

test("the snapshot is unpacked and taken up", async () => {
  assert.deepEqual(await startedWith(gzipSync("of this build")), { how: "snapshot", steps: [2, 3] });
});

for (const [name, snapshot] of [["missing", null], ["damaged", "no gzip"], ["cut short", gzipSync("of this build").subarray(0, 12)], ["of another build", gzipSync("of another")]]) {
  test(`Python starts as always where the snapshot is ${name}`, async () => {
    assert.deepEqual(await startedWith(snapshot), { how: "plain", steps: [2, 3] });
  });
}
