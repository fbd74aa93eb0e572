/** Queues, exchanges, bindings and policies of the node: what there is, declared and deleted from one dialog. */
import { declaredQueues, readyOf } from "../../model/messages.js";
import { PREDECLARED, bindProblem } from "../../model/routes.js";
import { fill, gettext, messageOf, number } from "../../model/text.js";
import { around, dataOf, el, find, findAll, keepChildren, need, required, setText } from "../base/dom.js";
import { complain, forgive, read, write } from "../base/forms.js";

/**
 * @import { AnyTransition, BindingState, QueueSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Session } from "../../model/session.js"
 */

/** The broker answers a method within this time, or what closes a channel was something else. */
const ANSWER_MS = 3000;

/**
 * Fields of the form for a queue, and the argument that each stands for.
 * @type {Record<string, string>}
 */
const ARGUMENTS = {
  ttl: "x-message-ttl",
  max_length: "x-max-length",
  max_priority: "x-max-priority",
  dead_letter: "x-dead-letter-exchange",
  mode: "x-queue-mode",
};

/**
 * The command that a form's values stand for.
 * @type {Record<string, (values: Values) => Values>}
 */
const COMMANDS = {
  queue: (values) => {
    const found = Object.entries(ARGUMENTS).filter(([field]) => values[field]);
    const arguments_ = Object.fromEntries(found.map(([field, name]) => [name, values[field]]));
    return {
      do: "declare_queue",
      name: values.name,
      durable: values.durable,
      ...(found.length ? { arguments: arguments_ } : {}),
    };
  },
  exchange: ({ name, type, durable }) => ({ do: "declare_exchange", name, type, durable }),
  binding: ({ exchange, queue, routing_key: key }) => ({ do: "bind", exchange, queue, routing_key: key }),
  policy: ({ name, pattern, mode, max_length: most, ttl }) => ({
    do: "set_policy",
    name,
    pattern,
    definition: {
      ...(mode ? { "queue-mode": mode } : {}),
      ...(most !== null ? { "max-length": most } : {}),
      ...(ttl !== null ? { "message-ttl": ttl } : {}),
    },
  }),
};

export class Topology {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {Session} session
   * @param {(command: Values) => Promise<unknown>} command
   */
  constructor(dialog, session, command) {
    this.dialog = dialog;
    this.session = session;
    this.command = command;
    /** @type {{ form: HTMLFormElement, values: Values, until: number } | null} the form whose command the broker has not answered yet */
    this.posted = null;
    /** What the lists showed last. */
    this.mark = "";
    session.watch((t) => this.answered(t));
    for (const form of findAll("form[data-declare]", HTMLFormElement, dialog))
      form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        this.declare(form);
      });
    dialog.addEventListener("click", (event) => {
      const button = around(event, "[data-undeclare]");
      if (button) this.post(JSON.parse(dataOf(button, "undeclare")), need("[data-problem]", dialog));
    });
  }

  open() {
    this.mark = "";
    this.dialog.showModal();
    this.update();
  }

  /** @param {HTMLFormElement} form */
  async declare(form) {
    const values = read(form);
    if (!values) return;
    const problem = form.dataset.declare === "binding" ? bindProblem(this.session.state, { exchange: values.exchange, queue: values.queue }) : null;
    if (problem) {
      complain(form, problem.field, problem.text);
      need(`[name=${problem.field}]`, form).focus();
      return;
    }
    this.posted = { form, values, until: performance.now() + ANSWER_MS };
    try {
      await this.command(COMMANDS[dataOf(form, "declare")](values));
      if (!this.posted) return;
      form.reset();
      forgive(form);
    } catch (error) {
      complain(form, need("input[name]", HTMLInputElement, form).name, messageOf(error));
    }
  }

  /**
   * A refused declaration closes the channel: the broker's reason is shown at the form that sent it.
   * @param {AnyTransition} t
   */
  answered(t) {
    if (!["ChannelClosed", "ConnectionClosed"].includes(t.kind) || !this.posted || performance.now() > this.posted.until) return;
    const { form, values } = this.posted;
    this.posted = null;
    write(form, values);
    complain(form, need("input[name]", HTMLInputElement, form).name, `${t.code} ${t.text}`);
  }

  /**
   * @param {Values} command
   * @param {HTMLElement} place
   */
  async post(command, place) {
    try {
      await this.command(command);
      setText(place, "");
    } catch (error) {
      setText(place, messageOf(error));
    }
  }

  /** List what there is. */
  update() {
    if (!this.dialog.open) return;
    const { state } = this.session;
    const { node } = state;
    /** @type {[name: string, queue: QueueSnapshot][]} */
    const queues = declaredQueues(state).map((name) => [name, state.queues[name]]);
    const mark = JSON.stringify([queues.map(([name, queue]) => [name, readyOf(queue)]), node.exchanges, node.bindings, node.policies]);
    if (mark === this.mark) return;
    this.mark = mark;
    this.fill("queues", queues.map(([name, queue]) => queueRow(name, queue)));
    this.fill("exchanges", Object.entries(node.exchanges ?? {}).map(([name, { type }]) => exchangeRow(name, type)));
    this.fill("bindings", (node.bindings ?? []).map(bindingRow));
    this.fill("policies", Object.entries(node.policies ?? {}).map(([name, policy]) => policyRow(name, policy)));
    /**
     * @param {string} place
     * @param {string[]} of
     */
    const names = (place, of) => need(place, this.dialog).replaceChildren(...of.map((name) => el("option", { value: name })));
    names("#topology-exchanges", [...PREDECLARED.slice(1), ...Object.keys(node.exchanges ?? {})]);
    names("#topology-queues", queues.map(([name]) => name));
  }

  /**
   * One line for each thing; lines stay while their numbers change, or a press on a button would be lost.
   * @param {string} name
   * @param {Row[]} rows
   */
  fill(name, rows) {
    const list = find(`[data-list=${name}]`, this.dialog);
    if (!list) return;
    const byKey = new Map(rows.map((each) => [JSON.stringify([each.name, each.acts]), each]));
    keepChildren(list, [...byKey.keys()], (key) => line(required(byKey.get(key), key)));
    for (const item of findAll(":scope > *", list)) setText(find(".mid", item), required(byKey.get(dataOf(item, "key")), "a line").text);
  }
}

/**
 * The text of a line, and the commands of its buttons.
 * @typedef {{name: string, text: string, acts: {delete?: Values, kill?: Values}}} Row
 */

/**
 * @returns {Row}
 * @param {string} name
 * @param {QueueSnapshot} queue
 */
function queueRow(name, queue) {
  const parts = [
    queue.durable ? gettext("durable") : gettext("not durable"),
    queue.mode,
    ...Object.entries(queue.arguments ?? {}).map(([key, value]) => `${key}=${value}`),
    fill(gettext("%(n)s ready"), { n: number(readyOf(queue)) }),
  ];
  return {
    name,
    text: parts.join(" \u00b7 "),
    acts: { kill: { do: "kill_queue", queue: name }, delete: { do: "delete_queue", name } },
  };
}

/**
 * @returns {Row}
 * @param {string} name
 * @param {string} type
 */
function exchangeRow(name, type) {
  const own = name && !name.startsWith("amq.");
  return { name: name || gettext("(default)"), text: type, acts: own ? { delete: { do: "delete_exchange", name } } : {} };
}

/**
 * @returns {Row}
 * @param {BindingState} binding
 */
function bindingRow({ exchange, queue, routing_key: key, arguments: arguments_ }) {
  const unbind = { do: "unbind", exchange, queue, routing_key: key, ...(arguments_ ? { arguments: arguments_ } : {}) };
  return { name: `${exchange || gettext("(default)")} \u2192 ${queue}`, text: key, acts: exchange ? { delete: unbind } : {} };
}

/**
 * @returns {Row}
 * @param {string} name
 * @param {Values} policy
 */
function policyRow(name, { pattern, definition }) {
  return { name, text: `${pattern} ${JSON.stringify(definition)}`, acts: { delete: { do: "clear_policy", name } } };
}

/**
 * The element of a line; its text changes later.
 * @param {Row} row
 */
function line({ name, acts }) {
  const label = fill(gettext("Delete %(name)s"), { name });
  /**
   * @param {string} kind
   * @param {Values | undefined} command
   * @param {string} text
   */
  const button = (kind, command, text, more = {}) =>
    command ? el(`button.btn.small${kind}`, { type: "button", "data-undeclare": JSON.stringify(command), ...more }, text) : null;
  return el(
    "li.row",
    {},
    el("b", {}, name),
    el("span.mid"),
    el("span.spacer"),
    button(".danger", acts.kill, gettext("Kill its process")),
    button("", acts.delete, gettext("Delete"), { "aria-label": label }) ?? el("span"),
  );
}
