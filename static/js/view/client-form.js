/** The dialog in which a publisher or a consumer is made or changed. */
import { gettext } from "../model/text.js";
import { el, find, findAll, setText, show } from "./dom.js";
import { complain, forgive, read, write } from "./forms.js";

const PUBLISHER = { rate_per_s: 20, size_bytes: 6144, persistent: false, confirm: false };
const CONSUMER = { rate_per_s: 10, prefetch: 4, ack: "each" };

export class ClientForm {
  /** `command(command)` gives a promise that fails with the engine's reason. */
  constructor(dialog, session, command) {
    Object.assign(this, { dialog, session, command });
    this.form = find("form", dialog);
    find("[data-cancel]", dialog).addEventListener("click", () => dialog.close());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  /** Show the dialog for a client as it is, or for a new one. */
  open(client, fresh) {
    this.role = client.role;
    this.client = client;
    const publisher = client.role === "publisher";
    const titles = publisher
      ? [gettext("A new publisher"), gettext("Publisher")]
      : [gettext("A new consumer"), gettext("Consumer")];
    setText(find("h2", this.dialog), titles[fresh ? 0 : 1]);
    for (const each of findAll("[data-for]", this.form)) show(each, each.dataset.for === client.role);
    this.queues();
    write(this.form, { ...(publisher ? PUBLISHER : CONSUMER), ...client, goal: client.routing_key ?? client.queue });
    find("[name=name]", this.form).readOnly = !fresh;
    forgive(this.form);
    this.dialog.showModal();
    find(fresh ? "[name=name]" : "[name=rate_per_s]", this.form).select();
  }

  /** Where to: shown when there is a choice. */
  queues() {
    const names = Object.keys(this.session.state.queues);
    find("[name=goal]", this.form).replaceChildren(...names.map((name) => el("option", { value: name }, name)));
    show(find("[data-goal]", this.form), names.length > 1);
  }

  async submit() {
    const values = read(this.form);
    if (!values) return;
    const { goal, ttl, ...rest } = values;
    const command = { do: this.role === "publisher" ? "set_publisher" : "set_consumer", ...rest, running: true };
    if (goal) Object.assign(command, this.role === "publisher" ? { routing_key: goal } : { queue: goal });
    if (ttl) command.expiration_ms = ttl;
    try {
      await this.command(command);
      this.dialog.close();
    } catch (error) {
      complain(this.form, "name", error.message);
    }
  }
}
