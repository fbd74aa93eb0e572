/** What a newcomer does not need stands folded, in the left column and below Why?; a fold of settings shows them, and stays as it was left. */
import { goneIn } from "../../model/places.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { dataOf, find, findAll, setText } from "../base/dom.js";

/** @import { Controls } from "./controls.js" */

const STORAGE = "waterline.folds";

/** @returns {Set<string>} */
function remembered() {
  try {
    return new Set(JSON.parse(localStorage.getItem(STORAGE) ?? "[]"));
  } catch {
    return new Set();
  }
}

/** @param {string[]} names */
function remember(names) {
  try {
    localStorage.setItem(STORAGE, JSON.stringify(names));
  } catch {
    // Then it holds for this page only.
  }
}

export class Folds {
  /**
   * `controls` has the fields whose values the folds show.
   * @param {HTMLElement} root
   * @param {Controls} controls
   */
  constructor(root, controls) {
    this.controls = controls;
    this.folds = new Map(findAll("[data-more]", HTMLDetailsElement, root).map((each) => [dataOf(each, "more"), each]));
    const open = remembered();
    for (const [name, fold] of this.folds) {
      fold.open = open.has(name);
      fold.addEventListener("toggle", () => remember([...this.folds].filter(([, each]) => each.open).map(([each]) => each)));
    }
  }

  update() {
    const value = (/** @type {string} */ name) => this.controls.field(name).value;
    const on = (/** @type {string} */ name) => this.controls.field(name).checked;
    const values = {
      messages: [bytes(Number(value("size_bytes"))), on("persistent") ? gettext("persistent") : gettext("transient"), on("confirm") && gettext("confirms")],
      consumer: [fill(gettext("prefetch %(n)s"), { n: value("prefetch") })],
      memory: ["watermark", ...(goneIn(this.controls.session.state.node.settings).paging ? [] : ["ratio"])].map((name) => Number(value(name)) / 100),
      queue: [this.controls.choice("work_profile").value],
    };
    for (const [name, parts] of Object.entries(values))
      setText(find("[data-more-now]", this.folds.get(name)), parts.filter(Boolean).join(", "));
  }
}
