/** The page that a learning platform launches: the exercises in a frame, and what comes of them is reported. */
import { Lms, findApi } from "../net/scorm.js";
import { find, need, setText } from "../view/base/dom.js";
import { keepFor } from "./kept.js";

const { first, exercises } = JSON.parse(need("#scorm").textContent);
const frame = /** @type {HTMLIFrameElement} */ (find("#work"));

/**
 * @param {string} words
 * @param {boolean} trouble
 */
const announce = (words, trouble) => {
  setText(find("#scorm-report"), words);
  need("#scorm-report").classList.toggle("error", trouble);
};
const lms = new Lms(findApi(window), exercises, announce);
addEventListener("message", ({ source, origin, data }) => {
  if (source === frame.contentWindow && origin === location.origin && data?.waterline === "worked") lms.worked(data);
});
addEventListener("pagehide", () => lms.finish());
keepFor(lms.begin());
frame.src = first;
