/** Messages to the reader: errors and limits stay until closed, small confirmations go by themselves. */
import { gettext } from "../../model/text.js";
import { el, icon } from "./dom.js";

const FLASH_MS = 3500;
const INFO_MS = 9000;

export class Alerts {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.shown = new Map();
    /** What will take a message away by itself, by its key. */
    this.timers = new Map();
  }

  /**
   * Show a message under a key; the next one under the same key takes its place. The same message again starts its time anew.
   * @param {string} key
   * @param {string} level
   * @param {string} text
   */
  show(key, level, text, goesAfterMs = level === "info" ? INFO_MS : Infinity) {
    clearTimeout(this.timers.get(key));
    if (goesAfterMs < Infinity) this.timers.set(key, setTimeout(() => this.clear(key), goesAfterMs));
    const before = this.shown.get(key);
    if (before?.dataset.text === text) return;
    before?.remove();
    const close = el(
      "button.btn.ghost.icon",
      { type: "button", "aria-label": gettext("Close"), onclick: () => this.clear(key) },
      icon("close"),
    );
    const item = el(
      `div.alert.level-${level}`,
      { role: level === "info" ? "status" : "alert", "data-key": key, "data-text": text },
      el("span.alert-mark", { "aria-hidden": "true" }),
      el("p", {}, text),
      close,
    );
    this.root.append(item);
    this.shown.set(key, item);
  }

  /**
   * Show a message for a moment.
   * @param {string} text
   */
  flash(text) {
    this.show("flash", "info", text, FLASH_MS);
  }

  /** @param {string} key */
  clear(key) {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
    this.shown.get(key)?.remove();
    this.shown.delete(key);
  }
}
