/** Python in a worker starts from its snapshot, and where that cannot be used it starts as always. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import { gzipSync } from "node:zlib";

import { PARTS, startPython } from "../../static/js/wasm/python.js";

/** Stands for Pyodide: it takes up the memory of this build only, and remembers how it was started. */
const PYODIDE = `
export const starts = [];
export async function loadPyodide({ createPyodideModule }) {
  const module = await createPyodideModule?.({ preRun: [] });
  module?.API.restoreSnapshot();
  starts.push(module ? "snapshot" : "plain");
  return { runPython() {}, unpackArchive() {}, FS: { writeFile() {} } };
}
`;
const MODULE = `
export default async function create({ preRun }) {
  await new Promise((done) => setTimeout(done, 20));
  const memory = new Int32Array(4);
  const module = {
    HEAP8: { length: 65536 }, HEAP32: memory, __PyRuntime: 0, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET: 4,
    wasmTable: { length: 10, grow() {} }, newDSO: () => ({}), removeRunDependency() {},
    loadWebAssemblyModule: async () => ({}),
    API: {
      restoreSnapshot(kept) {
        if (new TextDecoder().decode(kept) !== "of this build") throw new Error("Snapshot build id mismatch");
      },
    },
  };
  await new Promise((done) => {
    module.addRunDependency = () => {};
    module.removeRunDependency = done;
    for (const hook of preRun) hook(module);
  });
  return module;
}
`;
/** A snapshot in parts, as tools/wasm_ahead.mjs writes it: the length of the memory, the memory, the library. */
function parts(memory) {
  const bytes = new TextEncoder().encode(memory);
  const kept = Buffer.concat([new Uint8Array(new Uint32Array([bytes.length]).buffer), bytes, Buffer.from("a library")]);
  const size = Math.ceil(kept.length / PARTS);
  return Array.from({ length: PARTS }, (_, at) => gzipSync(kept.subarray(at * size, (at + 1) * size)));
}

let place = "";

before(async () => {
  place = `${await mkdtemp(join(tmpdir(), "waterline-"))}/`;
  await writeFile(`${place}pyodide.mjs`, PYODIDE);
  await writeFile(`${place}pyodide.asm.mjs`, MODULE);
  mock.method(console, "warn", () => {});
});
after(() => rm(place, { recursive: true }));

/** How Python was started where a host has this snapshot; without one it has none. */
async function startedWith(snapshot) {
  const steps = [];
  const read = async (address) => {
    const part = /snapshot-(\d)[.]bin$/.exec(address);
    if (!part) return new Response("a zip");
    if (snapshot === null) throw new Error("404");
    return new Response(snapshot[part[1]]);
  };
  await startPython(place, (step) => steps.push(step), read);
  const { starts } = await import(`${place}pyodide.mjs`);
  return { how: starts.at(-1), steps };
}

test("the snapshot is unpacked and taken up", async () => {
  assert.deepEqual(await startedWith(parts("of this build")), { how: "snapshot", steps: [2, 3] });
});

for (const [name, snapshot] of [["missing", null], ["damaged", ["no", "gzip", "here"]], ["cut short", parts("of this build").map((part) => part.subarray(0, 12))], ["of another build", parts("of another")]]) {
  test(`Python starts as always where the snapshot is ${name}`, async () => {
    assert.deepEqual(await startedWith(snapshot), { how: "plain", steps: [2, 3] });
  });
}
