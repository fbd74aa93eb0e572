/** The page on which a scenario is written: problems lead to their line, files are opened and saved here. */
import { around, need } from "../view/base/dom.js";

const text = need("#text", HTMLTextAreaElement);

/**
 * @param {number} line
 * @param {number} column
 */
function goTo(line, column) {
  const before = text.value.split("\n").slice(0, line - 1);
  const at = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  text.focus();
  text.setSelectionRange(at, at + 1);
  const height = Number.parseFloat(getComputedStyle(text).lineHeight) || 18;
  text.scrollTop = Math.max(0, (line - 4) * height);
}

need("#problems").addEventListener("click", (event) => {
  const { line, column } = around(event, "[data-line]")?.dataset ?? {};
  if (line) goTo(Number(line), Number(column));
});

const chosen = need("#open-file", HTMLInputElement);
chosen.addEventListener("change", async () => {
  const [file] = chosen.files ?? [];
  chosen.value = ""; // so that the same file can be opened again
  if (!file) return;
  text.value = await file.text();
  text.dispatchEvent(new Event("input", { bubbles: true }));
});

need("[data-act=save]").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text.value], { type: "application/json" }));
  link.download = `${slugOf(text.value)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});

/** @param {string} source */
function slugOf(source) {
  try {
    const { slug, title } = JSON.parse(source);
    const name = slug || title?.en || title || "";
    return String(name).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "scenario";
  } catch {
    return "scenario";
  }
}

/** Tab leaves the field as everywhere; Ctrl and Enter play what is written. */
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) text.form?.requestSubmit();
});
