// Runs the tests of the page's scripts in one process, as a process for each of the files takes most of the time. A file
// that puts something in the place of a browser's global would change it for the others, so it has a process of its own.
//
// Usage: node [--test-reporter=dot] tools/script_tests.mjs [FILE...]; without files all of tests/js.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

const FOLDER = "tests/js";

const all = readdirSync(FOLDER, { recursive: true }).filter((name) => /\.test\.m?js$/.test(name));
const files = process.argv.length > 2 ? process.argv.slice(2) : all.sort().map((name) => join(FOLDER, name));
const setsGlobals = (file) => readFileSync(file, "utf8").includes("globalThis");

for (const file of files.filter((each) => !setsGlobals(each))) await import(resolve(file));
for (const file of files.filter(setsGlobals)) {
  test(file, () => promisify(execFile)(process.execPath, ["--test-reporter=spec", file]));
}
