/** Words of the glossary: their meaning appears where the pointer rests or the keyboard comes, and goes with Escape. */
import { around, dataOf, el } from "../base/dom.js";

const GAP = 6;

export class Terms {
  /**
   * `address` gives {anchor: meaning}; it is requested once, when the first word is met.
   * @param {HTMLElement} root
   * @param {string} address
   */
  constructor(root, address) {
    this.address = address;
    this.tip = el("div.term-tip", { role: "tooltip", id: "term-tip", hidden: true });
    document.body.append(this.tip);
    /** @type {HTMLElement | null} the word whose meaning is requested or shown */
    this.word = null;
    /** @type {Promise<Record<string, string>> | null} */
    this.meanings = null;
    this.root = root;
  }

  /** Show the meaning of each word that the reader comes to. */
  listen() {
    const { root } = this;
    for (const come of ["pointerover", "focusin"])
      root.addEventListener(come, (/** @type {Event} */ event) => this.come(around(event, "[data-term]")));
    for (const go of ["pointerout", "focusout"])
      root.addEventListener(go, (/** @type {Event} */ event) => around(event, "[data-term]") && this.hide());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  /** @param {HTMLElement | null} word */
  async come(word) {
    if (!word) return;
    this.word = word;
    const term = dataOf(word, "term");
    this.meanings ??= fetch(this.address).then((answer) => answer.json());
    try {
      const meanings = await this.meanings;
      if (this.word === word && meanings[term]) this.show(word, meanings[term]);
    } catch {
      this.meanings = null; // The link itself still leads to the meaning.
    }
  }

  /**
   * @param {HTMLElement} word
   * @param {string} text
   */
  show(word, text) {
    this.tip.textContent = text;
    this.tip.hidden = false;
    word.setAttribute("aria-describedby", "term-tip");
    const at = word.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = Math.max(8, Math.min(innerWidth - width - 8, at.left));
    const top = at.top - height - GAP > 0 ? at.top - height - GAP : at.bottom + GAP;
    this.tip.style.left = `${left + scrollX}px`;
    this.tip.style.top = `${top + scrollY}px`;
  }

  hide() {
    this.word?.removeAttribute("aria-describedby");
    this.word = null;
    this.tip.hidden = true;
  }
}
