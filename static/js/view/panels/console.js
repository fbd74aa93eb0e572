/** The console: lines of rabbitmqctl to the engine, what they print, history and completion. */
import { History, complete } from "../../model/console.js";
import { fill, gettext, messageOf } from "../../model/text.js";
import { el, find, focused, need, setText, show } from "../base/dom.js";

const KEPT_BLOCKS = 100;
const PROMPT = "$ ";
const MOST_CHOICES = 12;
/** @type {Record<string, () => string>} */
const OFFLINE = {
  offline: () => gettext("The engine is not connected. The page tries again by itself."),
  timeout: () => gettext("The engine did not answer in time."),
};

export class Console {
  /**
   * `data`: {commands: {name: columns}}; `runLine(line)` resolves with {text, error}; `names()` gives the queues.
   * @param {HTMLElement} root
   * @param {{ commands: Record<string, string[]> }} data
   * @param {(line: string) => Promise<{ text: string, error: string | null }>} runLine
   * @param {() => string[]} names
   */
  constructor(root, data, runLine, names) {
    this.root = root;
    this.commands = data.commands;
    this.runLine = runLine;
    this.names = names;
    this.history = new History();
    this.output = need("[data-console-output]", root);
    this.input = need("[data-console-line]", HTMLInputElement, root);
    this.hint = find("[data-console-hint]", root);
    /** @type {HTMLElement | null} */
    this.opener = null;
    need("[data-console-form]", root).addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.submit();
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("input", () => this.suggest());
    need("[data-act=console-close]", root).addEventListener("click", () => this.close());
    need("[data-act=console-clear]", root).addEventListener("click", () => this.clear());
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        this.close();
      }
    });
  }

  get opened() {
    return !this.root.hidden;
  }

  /**
   * Show the console, with a line in it if one is given; focus comes back to where it was.
   * @param {string | null} [line]
   */
  open(line = null) {
    if (!this.opened) this.opener = focused();
    this.show(true);
    if (line !== null) this.input.value = line;
    this.suggest();
    this.input.focus();
  }

  close() {
    this.show(false);
    this.opener?.focus?.();
    this.opener = null;
  }

  /** @param {boolean} opened */
  show(opened) {
    show(this.root, opened);
    document.body.classList.toggle("has-console", opened);
  }

  toggle() {
    if (this.opened) this.close();
    else this.open();
  }

  /** Queues may have come or gone: what Tab completes follows them. */
  update() {
    if (this.opened) this.suggest();
  }

  clear() {
    this.output.replaceChildren();
    this.input.focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      event.preventDefault();
      this.input.value = this.history.walk(event.key === "ArrowUp" ? -1 : 1, this.input.value);
      this.suggest();
    } else if (event.key === "Tab" && !event.shiftKey && this.completes()) event.preventDefault();
  }

  /** Complete the line; false when there is nothing to complete, so that Tab goes on to the next control. */
  completes() {
    const { line, choices } = complete(this.input.value, this.commands, this.names());
    if (choices.length === 0 || line === this.input.value) return false;
    this.input.value = line;
    this.suggest();
    return true;
  }

  suggest() {
    const { choices } = complete(this.input.value, this.commands, this.names());
    const more = choices.length > MOST_CHOICES ? " …" : "";
    const text = choices.slice(0, MOST_CHOICES).join("  ") + more;
    setText(this.hint, text && fill(gettext("Tab: %(names)s"), { names: text }));
  }

  async submit() {
    const line = this.input.value.trim();
    if (!line) return;
    this.history.add(line);
    this.input.value = "";
    this.suggest();
    if (line === "clear") {
      this.clear();
      return;
    }
    const answer = el("span.console-answer", { "aria-busy": "true" }, "…");
    this.print(el("div.console-block", {}, el("b.console-line", {}, PROMPT + line), "\n", answer));
    try {
      const { text, error } = await this.runLine(line);
      answer.textContent = error ?? text;
      answer.classList.toggle("console-error", Boolean(error) || text.startsWith("Error"));
    } catch (error) {
      const message = messageOf(error);
      answer.textContent = OFFLINE[message]?.() ?? message;
      answer.classList.add("console-error");
    }
    answer.removeAttribute("aria-busy");
    this.follow();
  }

  /** @param {HTMLElement} block */
  print(block) {
    this.output.append(block);
    while (this.output.children.length > KEPT_BLOCKS) this.output.firstElementChild?.remove();
    this.follow();
  }

  follow() {
    this.output.scrollTop = this.output.scrollHeight;
  }
}
