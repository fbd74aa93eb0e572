/** A directory or a zip that is dropped or chosen: its files with their paths, which a form alone does not contain. */
import { need } from "../base/dom.js";

/** @typedef {[path: string, file: File]} GivenFile */

/**
 * The answer of a question that takes two functions: what to do with it, and with an error.
 * @template T
 * @param {(done: (answer: T) => void, fail: (error: DOMException) => void) => void} question
 * @returns {Promise<T>}
 */
function answered(question) {
  return new Promise((done, fail) => {
    question(done, fail);
  });
}

/**
 * All files below an entry that was dropped: [[path, file]].
 * @param {FileSystemEntry} entry
 * @returns {Promise<GivenFile[]>}
 */
async function below(entry) {
  if (entry.isFile) {
    /** @type {File} */
    const file = await answered((...ways) => /** @type {FileSystemFileEntry} */ (entry).file(...ways));
    return [[entry.fullPath.slice(1), file]];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {GivenFile[]} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await answered((...ways) => reader.readEntries(...ways));
    if (!some.length) return found;
    for (const each of some) found.push(...(await below(each)));
  }
}

/**
 * Call `chosen(files)` whenever files are dropped on the form's place for it, or chosen in one of its fields. A directory
 * takes its time to be listed, and may refuse: `files` resolves with [[path, file]], or rejects.
 * @param {HTMLFormElement} form
 * @param {(files: Promise<GivenFile[]>) => void} chosen
 */
export function watchFiles(form, chosen) {
  const inputs = [need("[data-directory]", HTMLInputElement, form), need("[data-zip]", HTMLInputElement, form)];
  for (const input of inputs) {
    // What was chosen stays to be seen in its field; a click forgets it there, so that the same may be chosen again.
    input.addEventListener("click", () => (input.value = ""));
    input.addEventListener("change", () => {
      /** @type {GivenFile[]} */
      const files = [...(input.files ?? [])].map((file) => [file.webkitRelativePath || file.name, file]);
      if (!files.length) return;
      for (const other of inputs) if (other !== input) other.value = "";
      chosen(Promise.resolve(files));
    });
  }
  const place = need("[data-drop]", form);
  for (const name of /** @type {const} */ (["dragover", "dragleave", "drop"]))
    place.addEventListener(name, (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      place.classList.toggle("is-over", name === "dragover");
    });
  place.addEventListener("drop", (/** @type {DragEvent} */ { dataTransfer }) => {
    if (!dataTransfer) return;
    const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
    /** @type {GivenFile[]} */
    const files = [...dataTransfer.files].map((file) => [file.name, file]);
    if (entries.length) chosen(Promise.all(entries.map(below)).then((all) => all.flat()));
    else if (files.length) chosen(Promise.resolve(files));
  });
}
