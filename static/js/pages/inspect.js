/** Inspect: a directory is chosen or dropped, with the paths of its files, which a form alone does not send. */
import { fill, gettext, number } from "../model/text.js";
import { find, setText } from "../view/base/dom.js";

const form = find("[data-inspect=files]");
const [directory, zip, drop] = ["[data-directory]", "[data-zip]", "[data-drop]"].map((each) => find(each, form));
const paths = find("[name=paths]", form);

/** Say what was chosen; only one of the two ways counts. */
function chosen(input, names) {
  for (const other of [directory, zip]) if (other !== input) other.value = "";
  directory.disabled = input === zip;
  zip.disabled = input === directory;
  paths.value = JSON.stringify(names);
  setText(find("[data-chosen]", form), fill(gettext("%(n)s files are chosen."), { n: number(names.length) }));
}

directory.addEventListener("change", () => chosen(directory, [...directory.files].map((file) => file.webkitRelativePath || file.name)));
zip.addEventListener("change", () => chosen(zip, [...zip.files].map((file) => file.name)));
form.addEventListener("reset", () => (directory.disabled = zip.disabled = false));

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

for (const name of ["dragover", "dragleave", "drop"])
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("is-over", name === "dragover");
  });
drop.addEventListener("drop", async ({ dataTransfer }) => {
  const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  const found = (await Promise.all(entries.map(below))).flat();
  const files = new DataTransfer();
  for (const [, file] of found) files.items.add(file);
  const input = found.length === 1 && found[0][0].endsWith(".zip") ? zip : directory;
  input.disabled = false;
  input.files = files.files;
  chosen(input, found.map(([path]) => path));
});
