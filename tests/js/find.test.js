/** Elements of the page: found by selector and class, and an error says what is missing or of another class. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HTMLElement, HTMLInputElement } from "./helpers/elements.js";

/** @param {Record<string, any[]>} all the elements by their selectors */
const rootOf = (all) => ({ querySelector: (name) => all[name]?.[0] ?? null, querySelectorAll: (name) => all[name] ?? [] });
const [label, field] = [new HTMLElement(), new HTMLInputElement()];
globalThis.document = /** @type {any} */ (rootOf({ "#name": [label], "input": [field] }));
const { find, findAll, need } = await import("../../static/js/view/base/dom.js");
const panel = /** @type {any} */ (rootOf({ "input": [field, field], ".any": [label, field] }));

test("an element is searched on the page, or below the element that is given", () => {
  assert.equal(find("#name"), label);
  assert.equal(find("#name", panel), null);
  assert.equal(find("input", HTMLInputElement), field);
  assert.equal(find("input", HTMLInputElement, panel), field);
  assert.deepEqual(findAll("input", HTMLInputElement, panel), [field, field]);
  assert.deepEqual(findAll(".any", panel), [label, field]);
  assert.deepEqual(findAll("#name", panel), []);
});

test("an element of another class is an error that names both", () => {
  const words = /^TypeError: #name is of the class HTMLElement, not HTMLInputElement$/;
  assert.throws(() => find("#name", HTMLInputElement), words);
  assert.throws(() => need("#name", HTMLInputElement), words);
  assert.throws(() => findAll(".any", HTMLInputElement, panel), /^TypeError: \.any is of the class HTMLElement/);
});

test("an element that the page cannot do without is named when it is missing", () => {
  assert.equal(need("#name"), label);
  assert.throws(() => need("#form"), /^Error: #form is missing$/);
});
