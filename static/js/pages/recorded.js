/** A run that was recorded, in a page of its own that needs no server. */
import { Recording } from "../net/recording.js";
import { need, targetOf } from "../view/base/dom.js";
import { toggleTheme } from "../view/base/theme.js";
import { openSession } from "./session-page.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 */

/**
 * Open the page. `unpack(name)` resolves with a part of the file that this page is; `data` is what it got; `setLanguage(language)`
 * opens it again in another language.
 * @param {<T>(name: string) => Promise<T>} unpack
 * @param {Values} data
 * @param {(language: string) => void} setLanguage
 */
export function open(unpack, data, setLanguage) {
  need("[data-theme-switch]").addEventListener("click", toggleTheme);
  need("#language").addEventListener("change", (event) => setLanguage(targetOf(event, HTMLSelectElement).value));
  const recording = new Recording(data.recording, {
    unpack: (/** @type {number} */ at) => unpack(`run-${at}`),
    records: (/** @type {number} */ at) => unpack(`bytes-${at}`),
  });
  openSession(need("#live"), data, recording);
}
