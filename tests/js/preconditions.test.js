import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { GENERAL, PRECONDITIONS } from "./helpers/preconditions.mjs";

const FOLDER = new URL("../../static/js/", import.meta.url);
const sources = readdirSync(FOLDER, { recursive: true })
  .filter((name) => name.endsWith(".js"))
  .map((name) => readFileSync(new URL(name, FOLDER), "utf8"))
  .join("\n");

test("each precondition stands for a sentence that the page has, and for one alone", () => {
  const texts = [...Object.keys(PRECONDITIONS), ...GENERAL];
  assert.deepEqual(texts.filter((text) => !sources.includes(JSON.stringify(text))), []);
  assert.equal(new Set(texts).size, texts.length);
});
