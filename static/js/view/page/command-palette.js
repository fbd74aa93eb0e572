/** Every action by its name: Ctrl+K, some words, Enter. */
import { search } from "../../model/search.js";
import { fill, gettext, ngettext, number } from "../../model/text.js";
import { around, el, find, findAll, focused, need, setText, show } from "../base/dom.js";

/** @typedef {{ title: string, words?: string, key?: string, run: () => unknown, off?: boolean }} Action something that can be done by its name */

export class CommandPalette {
  /**
   * `actions()` gives [{title, words, key, run, off}] as they are at this moment.
   * @param {HTMLDialogElement} dialog
   * @param {() => Action[]} actions
   */
  constructor(dialog, actions) {
    this.dialog = dialog;
    this.actions = actions;
    this.chosen = 0;
    /** @type {Action[]} */
    this.found = [];
    /** @type {Action[]} what can be done since the palette was opened */
    this.every = [];
    this.input = need("input", HTMLInputElement, dialog);
    this.list = need("[role=listbox]", dialog);
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("click", (event) => {
      const option = around(event, "[role=option]");
      if (option) this.run(Number(option.dataset.at));
    });
    document.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (this.dialog.open) this.dialog.close();
      else this.open();
    });
  }

  open() {
    if (document.querySelector("dialog[open]")) return;
    this.before = focused();
    this.input.value = "";
    this.every = this.actions();
    this.dialog.showModal();
    this.show();
  }

  show() {
    this.found = search(this.every, this.input.value);
    this.chosen = 0;
    this.list.replaceChildren(
      ...this.found.map(({ title, key, off }, at) =>
        el(
          "li",
          { role: "option", id: `action-${at}`, "data-at": at, "aria-selected": "false", "aria-disabled": off ? "true" : null },
          el("span", {}, title),
          key ? el("kbd", {}, key) : null,
        ),
      ),
    );
    const count = this.found.length;
    const actions = fill(ngettext("%(n)s action", "%(n)s actions", count), { n: number(count) });
    setText(find("[data-count]", this.dialog), count ? actions : gettext("No action of this name. Try another word."));
    show(this.list, count > 0);
    this.mark();
  }

  mark() {
    for (const option of findAll(":scope > *", this.list)) option.setAttribute("aria-selected", String(Number(option.dataset.at) === this.chosen));
    const option = this.list.children[this.chosen];
    this.input.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const count = this.found.length;
    const to = { ArrowDown: this.chosen + 1, ArrowUp: this.chosen - 1, PageDown: this.chosen + 8, PageUp: this.chosen - 8 }[event.key];
    if (to !== undefined && count) {
      event.preventDefault();
      this.chosen = Math.abs(to - this.chosen) === 1 ? (to + count) % count : Math.max(0, Math.min(count - 1, to));
      this.mark();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.run(this.chosen);
    }
  }

  /** @param {number} at */
  run(at) {
    const action = this.found[at];
    if (!action || action.off) return;
    this.dialog.close();
    this.before?.focus?.();
    action.run();
  }
}
