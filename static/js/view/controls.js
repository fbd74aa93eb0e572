/** The controls: every one of them posts a command, and says beside itself what the engine thinks of it. */
import { bytes, decimal, fill, gettext, ngettext, number } from "../model/text.js";
import { figures } from "../model/situation.js";
import { find, findAll, setText, show } from "./dom.js";

const PUBLISHER = "p1";
const CONSUMER = "c1";
const OFFLINE = { offline: () => gettext("The engine is not connected. It is tried again by itself."), timeout: () => gettext("The engine did not answer in time.") };

export class Controls {
  constructor(root, session, transport, alerts) {
    Object.assign(this, { root, session, transport, alerts });
    this.limits = {};
    this.base = null;
    this.bindMessages();
    this.bindConsumer();
    this.bindMemory();
    this.bindQueue();
  }

  field(name) {
    return find(`[name=${name}]`, this.root);
  }

  /** A whole number from a field; says what is wrong beside it and gives null. */
  whole(name, low, high) {
    const input = this.field(name);
    const value = Number(input.value);
    const bad = input.value.trim() === "" || !Number.isInteger(value) || value < low || value > high;
    this.complain(name, bad ? fill(gettext("A whole number from %(low)s to %(high)s."), { low: number(low), high: number(high) }) : "");
    return bad ? null : value;
  }

  complain(name, text) {
    const input = this.field(name);
    const place = find(`[data-error=${name}]`, this.root);
    input?.setAttribute("aria-invalid", text ? "true" : "false");
    input?.closest(".input, .field")?.classList.toggle("invalid", Boolean(text));
    setText(place, text);
  }

  /** Send a command; what the engine says against it appears beside `near`. */
  async send(command, near = null) {
    try {
      await this.transport.command(command);
      if (near) this.complain(near, "");
      this.alerts.clear("command");
      return true;
    } catch (error) {
      const text = OFFLINE[error.message]?.() ?? error.message;
      if (near && find(`[data-error=${near}]`, this.root)) this.complain(near, text);
      else this.alerts.show("command", "error", text);
      return false;
    }
  }

  // --- messages: what they are, a burst of them, a stream of them ---

  bindMessages() {
    find("[data-form=publish]", this.root).addEventListener("submit", (event) => {
      event.preventDefault();
      this.publish();
    });
    this.field("count").addEventListener("input", () => this.labelPublish());
    find("[data-act=stream]", this.root).addEventListener("click", () => this.toggleStream());
    for (const name of ["rate", "size_bytes", "persistent", "confirm"]) {
      this.field(name).addEventListener("change", () => this.actor(PUBLISHER)?.state !== "stopped" && this.actor(PUBLISHER) && this.stream(true));
    }
    this.labelPublish();
  }

  labelPublish() {
    const count = Number(this.field("count").value) || 0;
    setText(find("[data-publish-label]", this.root), fill(ngettext("Publish %(n)s message", "Publish %(n)s messages", count), { n: number(count) }));
  }

  shape() {
    const size = this.whole("size_bytes", 0, this.limits.max_size_bytes ?? 16777216);
    if (size === null) return null;
    return { size_bytes: size, persistent: this.field("persistent").checked, confirm: this.field("confirm").checked };
  }

  /** Publish a burst; the first one also lets time pass, so that something is seen to happen. */
  async publish() {
    const shape = this.shape();
    const count = this.whole("count", 1, this.limits.max_messages ?? 1000000);
    if (!shape || count === null) return;
    await this.send({ do: "publish", count, ...shape }, "count");
  }

  actor(name) {
    return this.session.state.node.actors[name] ?? null;
  }

  toggleStream() {
    const running = this.actor(PUBLISHER) && this.actor(PUBLISHER).state !== "stopped";
    return this.stream(!running);
  }

  stream(running) {
    const shape = this.shape();
    const rate = this.whole("rate", 1, this.limits.max_rate_per_s ?? 100000);
    if (!shape || rate === null) return;
    this.send({ do: "set_publisher", name: PUBLISHER, rate_per_s: rate, ...shape, running }, "rate");
  }

  // --- the consumer ---

  bindConsumer() {
    find("[data-act=consume]", this.root).addEventListener("click", () => this.consume(!this.consuming()));
    for (const name of ["consumer_rate", "prefetch", "ack"]) {
      this.field(name).addEventListener("change", () => {
        this.showManual();
        if (this.consuming()) this.consume(true);
      });
    }
    const count = () => this.whole("hand_count", 1, this.limits.max_messages ?? 1000000);
    const hand = (act, make) => find(`[data-act=${act}]`, this.root).addEventListener("click", () => {
      const value = count();
      if (value !== null) this.send(make(value), "hand_count");
    });
    hand("get", (n) => ({ do: "get", count: n, ack: true }));
    hand("ack", (n) => ({ do: "ack", count: n, multiple: false }));
    hand("requeue", (n) => ({ do: "requeue", count: n }));
    this.showManual();
  }

  consuming() {
    const actor = this.actor(CONSUMER);
    return Boolean(actor) && actor.state !== "stopped";
  }

  consume(running) {
    const rate = this.whole("consumer_rate", 1, this.limits.max_rate_per_s ?? 100000);
    const prefetch = this.whole("prefetch", 0, 65535);
    if (rate === null || prefetch === null) return;
    this.send({ do: "set_consumer", name: CONSUMER, rate_per_s: rate, prefetch, ack: this.field("ack").value, running }, "consumer_rate");
  }

  showManual() {
    const manual = this.field("ack").value === "manual";
    show(find("[data-consumer-rate]", this.root), !manual);
  }

  // --- memory: sliders that set the node's settings, the target pinned or free ---

  bindMemory() {
    const bind = (name, setting, read) => {
      const input = this.field(name);
      input.addEventListener("input", () => this.labelMemory());
      input.addEventListener("change", () => this.send({ do: "set", name: setting, value: read(Number(input.value)) }, name));
    };
    bind("ram", "ram_bytes", (value) => this.ramOf(value));
    bind("watermark", "vm_memory_high_watermark", (value) => value / 100);
    bind("ratio", "vm_memory_high_watermark_paging_ratio", (value) => value / 100);
    const target = this.field("target");
    target.addEventListener("change", () => this.pinTarget());
    this.field("pinned").addEventListener("change", (event) => (event.target.checked ? this.pinTarget() : this.freeTarget()));
  }

  /** The slider of the RAM is logarithmic: 0 is a quarter of what the session began with, 100 sixteen times that. */
  ramOf(position) {
    const now = this.session.state.node.settings.ram_bytes;
    if (now !== undefined && Math.abs(this.positionOf(now) - position) <= 0.5) return now;
    return Math.round(((this.base ?? 1048576) / 4) * 64 ** (position / 100) / 16384) * 16384 || 65536;
  }

  positionOf(ram) {
    return (100 * Math.log(Math.max(1, (4 * ram) / (this.base ?? 1048576)))) / Math.log(64);
  }

  pinTarget() {
    const target = this.whole("target", 0, this.limits.max_messages ?? 1000000);
    if (target === null) return;
    this.field("pinned").checked = true;
    this.send({ do: "set", name: "target_ram_count", value: target }, "target");
  }

  freeTarget() {
    this.send({ do: "set", name: "target_ram_count", value: null }, "target");
  }

  /** Move the fence by a number of messages: pins it. */
  nudgeTarget(by) {
    const now = figures(this.session.state);
    const from = now.target ?? now.lengths.q4 + now.lengths.q1;
    this.field("target").value = String(Math.max(0, from + by));
    this.pinTarget();
  }

  labelMemory() {
    const ram = this.ramOf(Number(this.field("ram").value));
    const watermark = Number(this.field("watermark").value) / 100;
    const ratio = Number(this.field("ratio").value) / 100;
    this.label("ram", bytes(ram));
    this.label("watermark", `${decimal(watermark)} = ${bytes(ram * watermark)}`);
    this.label("ratio", `${decimal(ratio)} = ${bytes(ram * watermark * ratio)}`);
    for (const name of ["ram", "watermark", "ratio"]) {
      const input = this.field(name);
      input.style.setProperty("--fill", `${(100 * (input.value - input.min)) / (input.max - input.min)}%`);
    }
  }

  label(name, text) {
    setText(find(`[data-output=${name}]`, this.root), text);
    this.field(name).setAttribute("aria-valuetext", text);
  }

  // --- the queue and the node ---

  bindQueue() {
    for (const button of findAll("[data-mode]", this.root)) {
      button.addEventListener("click", () => this.send({ do: "set", name: "queue_mode", value: button.dataset.mode }, "queue"));
    }
    find("[data-act=purge]", this.root).addEventListener("click", () => this.send({ do: "purge" }, "queue"));
    for (const button of findAll("[data-restart]", this.root)) {
      button.addEventListener("click", () => this.send({ do: "restart", kind: button.dataset.restart }, "queue"));
    }
  }

  // --- what the engine says is so ---

  /** Limits of the server: fields refuse beforehand what the host would refuse. */
  welcome({ limits = {}, owner = true, scenario = {} }) {
    this.limits = limits;
    const profile = scenario.profile;
    for (const link of findAll("[data-profile]", this.root)) link.setAttribute("aria-pressed", String(link.dataset.profile === profile));
    for (const fieldset of findAll("fieldset", this.root)) fieldset.disabled = !owner;
    show(find("[data-watching]", this.root), !owner);
  }

  update() {
    this.followSettings();
    this.followActors();
    const now = figures(this.session.state);
    for (const button of findAll("[data-mode]", this.root)) button.setAttribute("aria-pressed", String(button.dataset.mode === now.mode));
    find("[data-act=purge]", this.root).disabled = now.ready === 0;
    const pinned = now.target !== null && (this.session.state.node.settings.target_ram_count ?? null) !== null;
    if (document.activeElement !== this.field("target")) this.followTarget(now.target, pinned);
  }

  followTarget(target, pinned) {
    const box = this.field("pinned");
    if (document.activeElement !== box) box.checked = pinned;
    if (target !== null) this.field("target").value = String(target);
    setText(find("[data-output=target]", this.root), target === null ? "\u221e" : number(target));
  }

  followSettings() {
    const { settings } = this.session.state.node;
    if (settings.ram_bytes === undefined) return;
    const mark = [settings.ram_bytes, settings.vm_memory_high_watermark, settings.vm_memory_high_watermark_paging_ratio].join();
    if (mark === this.settingsMark) return;
    this.settingsMark = mark;
    this.base ??= settings.ram_bytes;
    const set = (name, value) => {
      if (document.activeElement !== this.field(name)) this.field(name).value = String(value);
    };
    set("ram", this.positionOf(settings.ram_bytes));
    set("watermark", settings.vm_memory_high_watermark * 100);
    set("ratio", settings.vm_memory_high_watermark_paging_ratio * 100);
    this.labelMemory();
  }

  followActors() {
    const publisher = this.actor(PUBLISHER);
    const consumer = this.actor(CONSUMER);
    const hand = this.actor("hand");
    this.button("stream", publisher && publisher.state !== "stopped", gettext("Start"), gettext("Stop"));
    this.button("consume", this.consuming(), gettext("Start"), gettext("Stop"));
    setText(find("[data-publisher-state]", this.root), publisherText(publisher, this.actor("burst")));
    setText(find("[data-consumer-state]", this.root), consumerText(consumer, hand));
    find("[data-publisher-state]", this.root).dataset.state = publisher?.state ?? this.actor("burst")?.state ?? "";
    const held = (hand?.unacked ?? 0) > 0;
    for (const act of ["ack", "requeue"]) find(`[data-act=${act}]`, this.root).disabled = !held;
  }

  button(act, on, start, stop) {
    const button = find(`[data-act=${act}]`, this.root);
    button.setAttribute("aria-pressed", String(Boolean(on)));
    setText(button, on ? stop : start);
  }
}

const STATES = {
  running: () => gettext("running"), flow: () => gettext("flow"), blocking: () => gettext("blocking"), blocked: () => gettext("blocked"), stopped: () => gettext("stopped"),
};

function publisherText(publisher, burst) {
  const actor = publisher && publisher.state !== "stopped" ? publisher : burst?.state === "blocked" || !publisher ? burst : publisher;
  if (!actor || (actor === burst && !actor.published && !actor.waiting)) return "";
  const state = STATES[actor.state]?.() ?? actor.state;
  if (actor.waiting) return fill(gettext("%(state)s, %(n)s waiting"), { state, n: number(actor.waiting) });
  if (actor.unconfirmed) return fill(gettext("%(state)s, %(n)s unconfirmed"), { state, n: number(actor.unconfirmed) });
  return state;
}

function consumerText(consumer, hand) {
  if (consumer) {
    const state = STATES[consumer.state]?.() ?? consumer.state;
    return consumer.unacked || consumer.unsent ? fill(gettext("%(state)s, holds %(n)s"), { state, n: number(consumer.unacked || consumer.unsent) }) : state;
  }
  return hand?.unacked ? fill(gettext("by hand: %(n)s held"), { n: number(hand.unacked) }) : "";
}
