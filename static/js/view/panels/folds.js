/**
 * What a newcomer does not need stands folded, among the controls and below Why?; a fold of settings shows them. It stays as it was
 * left; one that lies over the page, as those of the bar above the stage do, is a menu instead.
 */
import { goneIn } from "../../model/places.js";
import { bytes, fill, gettext } from "../../model/text.js";
import { dataOf, find, findAll, need, setText } from "../base/dom.js";
import { closesLikeAMenu } from "../base/popover.js";

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

/**
 * Whether it does so as a menu: the drawer of Why? lies over the log, and stays.
 * @param {HTMLDetailsElement} fold
 */
const liesOver = (fold) => fold.closest(".controls") !== null && getComputedStyle(need(":scope > div", fold)).position === "absolute";

export class Folds {
  /**
   * `controls` has the fields whose values the folds show.
   * @param {HTMLElement} root
   * @param {Controls} controls
   */
  constructor(root, controls) {
    this.controls = controls;
    this.folds = new Map(findAll("[data-more]", HTMLDetailsElement, root).map((each) => [dataOf(each, "more"), each]));
    for (const [name, fold] of this.folds) {
      fold.open = !liesOver(fold) && remembered().has(name);
      fold.addEventListener("toggle", () => this.toggled(name, fold));
      closesLikeAMenu(fold, () => liesOver(fold));
    }
    addEventListener("resize", () => this.close());
  }

  /** Close those that lie over the page, but one. */
  close(/** @type {HTMLDetailsElement | null} */ but = null) {
    for (const fold of this.folds.values()) if (fold !== but && fold.open && liesOver(fold)) fold.open = false;
  }

  /**
   * @param {string} name
   * @param {HTMLDetailsElement} fold
   */
  toggled(name, fold) {
    if (liesOver(fold)) {
      if (fold.open) this.close(fold);
      return;
    }
    const open = remembered();
    if (fold.open) open.add(name);
    else open.delete(name);
    remember([...open]);
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
    for (const [name, parts] of Object.entries(values)) {
      const [fold, now] = [this.folds.get(name), parts.filter(Boolean).join(", ")];
      const summary = fold && need("summary", fold);
      setText(find("[data-more-now]", summary), now);
      if (summary) summary.title = `${need("span", summary).textContent}: ${now}`;
    }
  }
}
