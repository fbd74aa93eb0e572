/** What somebody gives to be inspected: a directory that is dropped or chosen comes with its paths, and one that cannot be read says so. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { HTMLElement, HTMLInputElement } from "./helpers/elements.js";
import { watchFiles } from "../../static/js/view/inspect/drop.js";

/** A form with the two fields and the place, and what was given so far. */
function opened() {
  const field = () => Object.assign(new HTMLInputElement(), { files: [], value: "" });
  const place = Object.assign(new HTMLElement(), { classList: { toggle() {} } });
  const parts = { "[data-directory]": field(), "[data-zip]": field(), "[data-drop]": place };
  const given = [];
  watchFiles(/** @type {any} */ ({ querySelector: (name) => parts[name] }), (files) => given.push(files));
  return { parts, given };
}

const drop = (place, items, files = []) => {
  const event = Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: { items, files } });
  place.dispatchEvent(event);
  assert.ok(event.defaultPrevented, "the browser does not open the file itself");
};
const fileAt = (path) => ({ isFile: true, fullPath: path, file: (done) => done(`content of ${path}`) });
const folder = (...batches) => ({
  isFile: false,
  createReader: () => ({ readEntries: (done) => done(batches.shift() ?? []) }),
});
const item = (entry) => ({ webkitGetAsEntry: () => entry });

test("a directory that is dropped is read through, however many batches a browser lists it in", async () => {
  const { parts, given } = opened();
  const inner = folder([fileAt("/v/queues/A/0.idx")], [fileAt("/v/queues/A/journal.jif")]);
  drop(parts["[data-drop]"], [item(folder([inner, fileAt("/v/recovery.dets")])), item(fileAt("/data.zip")), item(null)]);
  const paths = ["v/queues/A/0.idx", "v/queues/A/journal.jif", "v/recovery.dets", "data.zip"];
  assert.deepEqual(await given[0], paths.map((path) => [path, `content of /${path}`]));
});

test("what a browser gives only as files comes by their names; a text that is dropped is nothing", async () => {
  const { parts, given } = opened();
  drop(parts["[data-drop]"], [item(null)], [{ name: "data.zip" }]);
  drop(parts["[data-drop]"], [item(null)]);
  assert.deepEqual(await Promise.all(given), [[["data.zip", { name: "data.zip" }]]]);
});

test("a directory that cannot be read says why", async () => {
  const { parts, given } = opened();
  drop(parts["[data-drop]"], [item({ isFile: false, createReader: () => ({ readEntries: (done, fail) => fail(new Error("not allowed")) }) })]);
  await assert.rejects(given[0], /not allowed/);
});

test("what is chosen comes with its path, and the same may be chosen again", async () => {
  const { parts, given } = opened();
  const field = parts["[data-directory]"];
  const file = { name: "0.rdq", webkitRelativePath: "v/msg_store_persistent/0.rdq" };
  Object.assign(field, { files: [file], value: "C:\\fakepath\\0.rdq" });
  parts["[data-zip]"].value = "C:\\fakepath\\data.zip";
  field.dispatchEvent(new Event("change"));
  assert.deepEqual([field.value, parts["[data-zip]"].value], ["C:\\fakepath\\0.rdq", ""], "the field goes on saying what was chosen");
  field.dispatchEvent(new Event("click"));
  assert.equal(field.value, "");
  assert.deepEqual(await given[0], [["v/msg_store_persistent/0.rdq", file]]);
});
