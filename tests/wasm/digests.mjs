/**
 * Plays scenarios with the engine in WebAssembly, and compares their digests with those that it has natively:
 * node tests/wasm/digests.mjs dist/wasm [NAME...]. Prints a line for each as JSON; ends with 1 where one differs.
 */
import { start } from "./python.mjs";

const [folder, ...names] = process.argv.slice(2);
const began = performance.now();
const rows = (await start(folder)).play(names);
for (const row of rows) console.log(JSON.stringify(row));
const different = rows.filter((row) => row.digest !== row.native);
const seconds = ((performance.now() - began) / 1000).toFixed(1);
console.error(`${rows.length} scenarios, ${different.length} with another digest, ${seconds} s with the start`);
process.exit(rows.length && !different.length ? 0 : 1);
