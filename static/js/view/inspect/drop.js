/** A directory or a zip that somebody drops or chooses: its files with their paths, which a form alone does not know. */
import { find } from "../base/dom.js";

/** The answer of a question that takes two functions: what to do with it, and with an error. */
function answered(question) {
  return new Promise((done, fail) => {
    question(done, fail);
  });
}

/** All files below an entry of what was dropped: [[path, file]]. */
async function below(entry) {
  if (entry.isFile) return [[entry.fullPath.slice(1), await answered((...ways) => entry.file(...ways))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await answered((...ways) => reader.readEntries(...ways));
    if (!some.length) return found;
    for (const each of some) found.push(...(await below(each)));
  }
}

/** Call `chosen([[path, file]])` whenever somebody drops files on the form's place for it, or chooses them in one of its fields. */
export function watchFiles(form, chosen) {
  for (const input of [find("[data-directory]", form), find("[data-zip]", form)])
    input.addEventListener("change", () => {
      const files = [...input.files].map((file) => [file.webkitRelativePath || file.name, file]);
      input.value = "";
      if (files.length) chosen(files);
    });
  const place = find("[data-drop]", form);
  for (const name of ["dragover", "dragleave", "drop"])
    place.addEventListener(name, (event) => {
      event.preventDefault();
      place.classList.toggle("is-over", name === "dragover");
    });
  place.addEventListener("drop", async ({ dataTransfer }) => {
    const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = entries.length
      ? (await Promise.all(entries.map(below))).flat()
      : [...dataTransfer.files].map((file) => [file.name, file]);
    if (found.length) chosen(found);
  });
}
