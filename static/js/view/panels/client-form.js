/** The dialog in which a publisher or a consumer is made or changed. */
import { nodesOf } from "../../model/cluster.js";
import { declaredQueues } from "../../model/messages.js";
import { PREDECLARED } from "../../model/routes.js";
import { gettext, messageOf } from "../../model/text.js";
import { el, find, findAll, need, setText, show } from "../base/dom.js";
import { complain, forgive, read, write } from "../base/forms.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Client } from "../../model/clients.js"
 * @import { Session } from "../../model/session.js"
 */

const PUBLISHER = { rate_per_s: 20, size_bytes: 6144, persistent: false, confirm: false };
const CONSUMER = { rate_per_s: 10, prefetch: 4, ack: "each" };

export class ClientForm {
  /**
   * `command(command)` gives a promise that fails with the engine's reason.
   * @param {HTMLDialogElement} dialog
   * @param {Session} session
   * @param {(command: Values) => Promise<unknown>} command
   */
  constructor(dialog, session, command) {
    this.dialog = dialog;
    this.session = session;
    this.command = command;
    this.form = need("form", HTMLFormElement, dialog);
    /** @type {Client | null} the client that the dialog is about */
    this.client = null;
    /** The names that the form offers, as they were written last. */
    this.goals = "";
    for (const button of findAll("[data-ends]", dialog))
      button.addEventListener("click", () => this.client && this.send({ do: button.dataset.ends, name: this.client.name }));
    need("[data-cancel]", dialog).addEventListener("click", () => dialog.close());
    this.form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.submit();
    });
  }

  /**
   * Show the dialog for a client as it is, or for a new one.
   * @param {Client} client
   * @param {boolean} fresh
   */
  open(client, fresh) {
    this.client = client;
    const publisher = client.role === "publisher";
    const titles = publisher
      ? [gettext("A new publisher"), gettext("Publisher")]
      : [gettext("A new consumer"), gettext("Consumer")];
    setText(find("h2", this.dialog), titles[fresh ? 0 : 1]);
    for (const each of findAll("[data-for]", this.form)) show(each, each.dataset.for === client.role);
    this.goals = "";
    this.places();
    for (const each of findAll("[data-running]", this.form)) show(each, !fresh);
    const goal = declaredQueues(this.session.state)[0] ?? "";
    write(this.form, { ...(publisher ? { ...PUBLISHER, routing_key: goal } : { ...CONSUMER, queue: goal }), ...client, priority: client.properties?.priority ?? null });
    need("[name=name]", HTMLInputElement, this.form).readOnly = !fresh;
    forgive(this.form);
    this.dialog.showModal();
    need(fresh ? "[name=name]" : "[name=rate_per_s]", HTMLInputElement, this.form).select();
  }

  /** A queue or an exchange may have come or gone while the dialog is open. */
  update() {
    if (this.dialog.open) this.places();
  }

  /** Where messages can go to and come from. */
  places() {
    const queues = declaredQueues(this.session.state);
    const exchanges = [...PREDECLARED, ...Object.keys(this.session.state.node.exchanges ?? {})];
    const nodes = nodesOf(this.session.state);
    const goals = JSON.stringify([queues, exchanges, nodes]);
    if (goals === this.goals) return;
    this.goals = goals;
    /**
     * @param {ParentNode & { value?: string }} place
     * @param {string[]} names
     */
    const list = (place, names) => {
      const { value } = place;
      place.replaceChildren(...names.map((name) => el("option", { value: name }, name || gettext("(default)"))));
      if (value !== undefined && names.includes(value)) place.value = value;
    };
    list(need("[name=queue]", this.form), queues);
    list(need("[name=exchange]", this.form), exchanges);
    list(need("datalist", this.form), queues);
    list(need("[name=node]", this.form), ["", ...nodes]);
    for (const each of findAll("[data-cluster]", this.form)) show(each, nodes.length > 1);
  }

  async submit() {
    const { client } = this;
    const values = client && read(this.form);
    if (!values) return;
    // A value at its default is left out, so that earlier sessions keep their digests.
    if ((values.priority ?? null) !== null) values.properties = { ...client.properties, priority: values.priority };
    delete values.priority;
    const { node } = values;
    delete values.node;
    for (const name of ["exchange", "expiration_ms", "mandatory", "tx", "cancel_on_failover"]) if (!values[name]) delete values[name];
    const first = declaredQueues(this.session.state)[0];
    if (!values.exchange && values.routing_key === first) delete values.routing_key;
    if (values.queue === first) delete values.queue;
    if (node && !(await this.tried({ do: "connect", name: values.name, node }, "node"))) return;
    await this.send({ do: client.role === "publisher" ? "set_publisher" : "set_consumer", ...values, running: true });
  }

  /** @param {Values} command */
  async send(command) {
    if (await this.tried(command, "name")) this.dialog.close();
  }

  /**
   * Give a command; returns whether it was done, and else writes why beside a field.
   * @param {Values} command
   * @param {string} field
   */
  async tried(command, field) {
    try {
      await this.command(command);
      return true;
    } catch (error) {
      complain(this.form, field, messageOf(error));
      return false;
    }
  }
}
