/** Plays scenarios with the engine in WebAssembly: node tools/proofs/wasm/digests.mjs dist/wasm [NAME...]. Prints a list of rows as JSON. */
import { start } from "./python.mjs";

const [folder, ...names] = process.argv.slice(2);
console.log(JSON.stringify((await start(folder)).play(names)));
