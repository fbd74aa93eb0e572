/** Publishers and consumers above the stage: paused, killed, put in order, pulled to another rate, added and changed. */
import { clientsOf, freeName, lamps, moved, prefetchLimit, settingOf, slots } from "../../model/clients.js";
import { stateName } from "../../model/actor-states.js";
import { bytes, fill, gettext, number } from "../../model/text.js";
import { idOf } from "../../model/routes.js";
import { around, dataOf, el, find, findAll, icon, keepChildren, need, required, setText, targetOf } from "../base/dom.js";
import { Rate } from "./rate.js";
import { portOf } from "./routes.js";

/**
 * @import { Client } from "../../model/clients.js"
 * @import { Session } from "../../model/session.js"
 * @import { CommandSender } from "../base/command-sender.js"
 * @import { ClientForm } from "./client-form.js"
 * @import { Controls } from "./controls.js"
 */

export class Clients {
  /**
   * `controls` and `sender` send commands; `form` is the dialog in which a client is made or changed.
   * @param {HTMLElement} root
   * @param {Session} session
   * @param {Controls} controls
   * @param {ClientForm} form
   * @param {CommandSender} sender
   */
  constructor(root, session, controls, form, sender) {
    this.root = root;
    this.session = session;
    this.controls = controls;
    this.form = form;
    this.sender = sender;
    /** @type {string[]} */
    this.order = [];
    this.mark = "";
    /** @type {Map<string, Rate>} the rates by the names of their clients */
    this.rates = new Map();
    for (const button of findAll("[data-add]", root))
      button.addEventListener("click", () => this.add(dataOf(button, "add")));
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.key(event));
  }

  get all() {
    const found = clientsOf(this.session.state, this.order);
    return [...found.publishers, ...found.consumers];
  }

  /** @param {string} name */
  client(name) {
    return this.all.find((each) => each.name === name);
  }

  /** @param {string} role */
  add(role) {
    if (!this.sender.may()) return;
    this.form.open({ role, name: freeName(this.session.state.node.actors, role === "publisher" ? "p" : "c") }, true);
  }

  /** @param {PointerEvent} event */
  click(event) {
    const button = around(event, "[data-client-act]");
    if (!button) return;
    const client = this.client(dataOf(required(around(event, "[data-client]"), "the client"), "client"));
    if (!client || !this.sender.may()) return;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      edit: () => this.form.open(client, false),
      toggle: () => this.controls.send(settingOf(client, { running: client.state === "stopped" })),
      remove: () => this.controls.send({ do: "remove", name: client.name }),
    };
    acts[dataOf(button, "clientAct")]();
  }

  /**
   * Alt with an arrow moves a client among its kind, as dragging does.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const item = around(event, "[data-client]");
    if (!event.altKey || !by || !item) return;
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (!(other instanceof HTMLElement) || !other.dataset.client) return;
    event.preventDefault();
    const focused = targetOf(event, HTMLElement).dataset.clientAct;
    this.move(dataOf(item, "client"), other.dataset.client);
    find(`[data-client="${CSS.escape(dataOf(item, "client"))}"] [data-client-act=${focused}]`, this.root)?.focus();
  }

  /**
   * One takes the place of another of its kind.
   * @param {string} name
   * @param {string} to
   */
  move(name, to) {
    if (name === to) return;
    this.order = moved(this.all.map((each) => each.name), name, to);
    this.mark = "";
    this.update();
  }

  update() {
    const found = clientsOf(this.session.state, this.order);
    const mark = [...found.publishers, ...found.consumers].map((each) => each.name).join();
    if (mark !== this.mark) {
      this.mark = mark;
      for (const role of /** @type {const} */ (["publishers", "consumers"])) this.build(role, found[role]);
    }
    for (const each of [...found.publishers, ...found.consumers]) this.refresh(each);
  }

  /**
   * @param {"publishers" | "consumers"} role
   * @param {Client[]} clients
   */
  build(role, clients) {
    const byName = new Map(clients.map((each) => [each.name, each]));
    keepChildren(need(`[data-clients=${role}]`, this.root), [...byName.keys()], (name) => this.item(required(byName.get(name), name)));
  }

  /** @param {Client} client */
  item(client) {
    /**
     * @param {string} name
     * @param {string} sign
     * @param {string} label
     */
    const act = (name, sign, label) =>
      el("button.btn.ghost.icon", { type: "button", "data-client-act": name, "aria-label": label, title: label }, icon(sign));
    const edit = el(
      "button.client-name",
      { type: "button", "data-client-act": "edit", title: gettext("Change; Alt and an arrow move it") },
      el("i.shape", { "aria-hidden": "true" }),
      el("b", {}, client.name),
      el("span", { "data-client-text": "" }),
    );
    const rate = new Rate(client.name, () => this.client(client.name), this.sender);
    this.rates.set(client.name, rate);
    return el(
      "li.client",
      { "data-client": client.name, "data-object": idOf(client.role, client.name) },
      portOf(fill(gettext("Join %(name)s to …"), { name: client.name })),
      edit,
      rate.element,
      el("span.lamps", { "aria-hidden": "true" }),
      act("toggle", "pause", ""),
      act("remove", "close", fill(gettext("Kill %(name)s: its connection closes"), { name: client.name })),
    );
  }

  /** @param {Client} client */
  refresh(client) {
    const item = need(`[data-client="${CSS.escape(client.name)}"]`, this.root);
    item.dataset.state = client.state;
    setText(find("[data-client-text]", item), describe(client, this.controls.tripUs));
    required(this.rates.get(client.name), `the rate of ${client.name}`).update();
    const toggle = need("[data-client-act=toggle]", item);
    const stopped = client.state === "stopped";
    const label = fill(stopped ? gettext("Let %(name)s run") : gettext("Pause %(name)s"), { name: client.name });
    if (toggle.title !== label) {
      toggle.title = label;
      toggle.setAttribute("aria-label", label);
      toggle.replaceChildren(icon(stopped ? "play" : "pause"));
    }
    light(need(".lamps", item), client);
  }
}

/**
 * @param {Client} client
 * @param {number} tripUs microseconds on the way to the client and back
 */
function describe(client, tripUs) {
  const parts = client.state === "running" ? [] : [stateName(client.state)];
  if (client.role === "publisher")
    parts.push(bytes(client.size_bytes));
  const { unconfirmed, unacked, tx, tx_held: held } = client;
  if (tx) parts.push(fill(gettext("%(n)s of %(most)s before its commit"), { n: number(held), most: number(tx) }));
  if (client.confirm) parts.push(fill(gettext("%(n)s unconfirmed"), { n: number(unconfirmed) }));
  if (client.role === "consumer" && client.ack !== "auto") parts.push(fill(gettext("holds %(n)s"), { n: number(unacked) }));
  const limit = prefetchLimit(client, tripUs);
  if (limit) parts.push(fill(gettext("prefetch %(most)s allows %(n)s/s"), { most: number(limit.most), n: number(limit.perS) }));
  return parts.join(" \u00b7 ");
}

/**
 * Confirm lamps, or the slots of the prefetch window; the words beside them repeat their number.
 * @param {HTMLElement} place
 * @param {Client} client
 */
function light(place, client) {
  const found = client.role === "publisher" ? lamps(client) : slots(client);
  const states = !found
    ? []
    : "lit" in found
      ? Array.from({ length: found.most }, (_, at) => (at < found.lit ? "lit" : at < found.lit + found.waits ? "waits" : "off"))
      : Array.from({ length: found.shown }, (_, at) => (at < found.taken ? "taken" : "off"));
  const mark = states.join();
  if (place.dataset.mark === mark) return;
  place.dataset.mark = mark;
  place.replaceChildren(...states.map((state) => el(`i.${state}`)));
}
