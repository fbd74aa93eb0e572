/** A small prompt beside each control that has `data-stands`: the lines it stands for, to read, to copy, to try. */
import { formWords, linesOf } from "../../model/stands-for.js";
import { fill, gettext } from "../../model/text.js";
import { dataOf, el, find, findAll, setText, show } from "../base/dom.js";
import { namedFields } from "../base/forms.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Session } from "../../model/session.js"
 * @import { StandsFor as Stands, StandsForLine } from "../../model/stands-for.js"
 */

/** @typedef {{ keys: string[], form: HTMLFormElement | null }} What a control's keys in the table, and the form that it belongs to */

const COPIED_MS = 1600;
/** @type {Record<string, () => string>} */
const WHERE = { client: () => gettext("client"), rabbitmqctl: () => gettext("command") };

/**
 * The fields of a form as they stand.
 * @param {HTMLFormElement} form
 * @returns {Values}
 */
function fieldsOf(form) {
  const visible = namedFields(form).filter((field) => !field.closest("[hidden]"));
  return Object.fromEntries(
    visible.map((field) => [
      field.name,
      field instanceof HTMLInputElement && field.type === "checkbox" ? String(field.checked) : field.value.trim() || undefined,
    ]),
  );
}

export class StandsFor {
  /**
   * `table`: what engine.ctl.stands_for gives; `fields()`: the present values of the controls; `run(line)`: open it in the console.
   * @param {HTMLElement[]} roots
   * @param {Record<string, Stands>} table
   * @param {Session} session
   * @param {{ fields: () => Values, run: (line: string) => void }} live
   */
  constructor(roots, table, session, { fields, run }) {
    this.table = table;
    this.session = session;
    this.fields = fields;
    this.run = run;
    /** @type {Map<HTMLElement, What>} what is open, by its list */
    this.open = new Map();
    for (const root of roots) {
      for (const place of findAll("[data-stands]", root)) this.mark(place);
      root.addEventListener("input", () => this.update());
    }
  }

  /** @param {HTMLElement} place */
  mark(place) {
    const keys = dataOf(place, "stands").split(" ").filter((key) => this.table[key]);
    if (keys.length === 0) return;
    const list = el("ul.stands-lines", { hidden: true });
    const form = find("form[data-declare]", HTMLFormElement, place.closest("section") ?? place);
    const toggle = () => this.toggle({ keys, form }, button, list);
    const beside = place.parentElement ?? place;
    const what = (find("h2, label", beside) ?? beside).textContent;
    const name = fill(gettext("%(what)s: what it stands for in RabbitMQ"), { what });
    // No button element: those in a fieldset are off for who only watches, and this is for everybody to read.
    /** @type {HTMLElement} */
    const button = el(
      "span.stands",
      {
        role: "button",
        tabindex: "0",
        "aria-expanded": "false",
        "aria-label": name,
        title: name,
        onclick: toggle,
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          event.stopPropagation();
          toggle();
        },
      },
      "\u203a_",
    );
    place.append(button);
    (place.closest(".field, legend, h3") ?? place).after(list);
  }

  /**
   * @param {What} what
   * @param {HTMLElement} button
   * @param {HTMLElement} list
   */
  toggle(what, button, list) {
    const opens = list.hidden;
    show(list, opens);
    button.setAttribute("aria-expanded", String(opens));
    if (opens) this.open.set(list, what);
    else this.open.delete(list);
    this.update();
  }

  /** Write the lines of what is open with the values now. */
  update() {
    for (const [list, { keys, form }] of this.open) {
      const fields = form ? formWords(fieldsOf(form)) : this.fields();
      const lines = linesOf(keys, this.table, this.session.state, fields);
      const shape = lines.map((line) => line.where).join(" ");
      if (list.dataset.shape !== shape) {
        list.dataset.shape = shape;
        list.replaceChildren(...lines.map((line) => this.row(line)));
      }
      lines.forEach((line, place) => setText(find("code", list.children[place]), line.text));
    }
  }

  /** @param {StandsForLine} line */
  row(line) {
    const code = el("code", {}, line.text);
    const copied = el("span.visually-hidden", { role: "status" });
    const copy = el("button.btn.small", { type: "button", onclick: () => this.copy(code, copy, copied) }, gettext("Copy"));
    const run = line.text.startsWith("rabbitmqctl ")
      ? el("button.btn.small", { type: "button", onclick: () => this.run(code.textContent) }, gettext("Console"))
      : null;
    const note = line.forgotten ? el("small", {}, gettext("forgotten at a restart")) : null;
    const where = WHERE[line.where]?.() ?? line.where;
    return el("li", {}, el("span.stands-where", {}, where, note), code, el("span.stands-acts", {}, copy, run), copied);
  }

  /**
   * @param {HTMLElement} code
   * @param {HTMLElement} button
   * @param {HTMLElement} copied
   */
  async copy(code, button, copied) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      setText(button, gettext("copied"));
      setText(copied, gettext("copied"));
    } catch {
      getSelection()?.selectAllChildren(code); // without the right to write there, the reader copies by hand
    }
    setTimeout(() => setText(button, gettext("Copy")), COPIED_MS);
  }
}
