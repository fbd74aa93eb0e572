/** The controls: every one of them posts a command, and shows beside itself how the engine answered it. */
import { PRESETS } from "../../model/presets.js";
import { figures, heldByHand, memoryOf, strategyOf, toPagingLine } from "../../model/facts.js";
import { bytes, fill, gettext, messageOf, ngettext, number } from "../../model/text.js";
import { consumerText, publisherText } from "../../model/actor-texts.js";
import { MemoryControls } from "./controls-memory.js";
import { dataOf, el, find, findAll, need, setText, show } from "../base/dom.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Session } from "../../model/session.js"
 * @import { Engine } from "../../net/engine.js"
 * @import { Alerts } from "../base/alerts.js"
 */

const PUBLISHER = "p1";
const CONSUMER = "c1";
/** @type {Record<string, () => string>} */
const OFFLINE = {
  offline: () => gettext("The engine is not connected. The page tries again by itself."),
  timeout: () => gettext("The engine did not answer in time."),
};

/** More messages than this to the paging line are not published by chance. */
const FAR = 500;

export class Controls {
  /**
   * @param {HTMLElement} root
   * @param {Session} session
   * @param {Engine} transport
   * @param {Alerts} alerts
   */
  constructor(root, session, transport, alerts) {
    this.root = root;
    this.session = session;
    this.transport = transport;
    this.alerts = alerts;
    /** @type {Record<string, number>} the host's, by name */
    this.limits = {};
    this.owner = true;
    this.live = false;
    /** Whether the counts and rates of the forms suit a node whose paging line is far. */
    this.suited = false;
    /** Microseconds on the way to a client and back, by what work costs. */
    this.trips = new Map([...this.choice("work_profile").options].map(({ value, dataset }) => [value, Number(dataset.tripUs)]));
    this.bindMessages();
    this.bindConsumer();
    this.memory = new MemoryControls(this);
    this.bindQueue();
    /** @type {(kind: string) => Promise<unknown>} what comes before a stop of the node: the page puts the crash theatre here */
    this.restart = (kind) => this.send({ do: "restart", kind }, "queue");
  }

  /** @param {string} name */
  field(name) {
    return need(`[name=${name}]`, HTMLInputElement, this.root);
  }

  /** @param {string} name */
  choice(name) {
    return need(`[name=${name}]`, HTMLSelectElement, this.root);
  }

  /** Microseconds for which a delivery and its acknowledgement are on their way, by what work costs in this session. */
  get tripUs() {
    return this.trips.get(this.session.state.node.settings.work_profile ?? "instant") ?? 0;
  }

  /**
   * Read a whole number from a field; where it is wrong, write so beside it and return null.
   * @param {string} name
   * @param {number} low
   * @param {number} high
   */
  whole(name, low, high) {
    const input = this.field(name);
    const value = Number(input.value);
    const bad = input.value.trim() === "" || !Number.isInteger(value) || value < low || value > high;
    this.complain(
      name,
      bad
        ? fill(gettext("A whole number from %(low)s to %(high)s."), { low: number(low), high: number(high) })
        : "",
    );
    return bad ? null : value;
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  complain(name, text) {
    const input = find(`[name=${name}]`, this.root);
    const place = find(`[data-error=${name}]`, this.root);
    input?.setAttribute("aria-invalid", text ? "true" : "false");
    input?.closest(".input, .field")?.classList.toggle("invalid", Boolean(text));
    setText(place, text);
    const fold = text && place?.closest("details");
    if (fold) fold.open = true;
  }

  /** What was refused before may be correct by now: an accepted command takes all complaints away. */
  forgive() {
    show(find("[data-act=fit]", this.root), false);
    for (const place of findAll("[data-error]", this.root)) if (place.textContent) this.complain(dataOf(place, "error"), "");
  }

  /**
   * Send a command; the engine's reason to refuse it appears beside `near`.
   * @param {Values} command
   * @param {string | null} [near]
   */
  async send(command, near = null) {
    try {
      await this.transport.command(command);
      this.forgive();
      this.alerts.clear("command");
      return true;
    } catch (error) {
      const message = messageOf(error);
      const text = OFFLINE[message]?.() ?? message;
      if (near && find(`[data-error=${near}]`, this.root)) this.complain(near, text);
      if (near === "count") this.offerFitting(error);
      else this.alerts.show("command", "error", text);
      return false;
    }
  }

  // --- messages: what they are, a burst of them, a stream of them ---

  bindMessages() {
    need("[data-form=publish]", this.root).addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.publish();
    });
    this.field("count").addEventListener("input", () => this.labelPublish());
    for (const name of ["count", "size_bytes"]) this.field(name).addEventListener("input", () => show(find("[data-act=fit]", this.root), false));
    need("[data-act=fill]", this.root).addEventListener("click", () => this.fillToLine());
    need("[data-act=fit]", this.root).addEventListener("click", () => this.publishFitting());
    need("[data-act=stream]", this.root).addEventListener("click", () => this.toggleStream());
    for (const name of ["rate", "size_bytes", "persistent", "confirm"]) {
      this.field(name).addEventListener(
        "change",
        () => this.actor(PUBLISHER)?.state !== "stopped" && this.actor(PUBLISHER) && this.stream(true),
      );
    }
    const presets = need("[data-presets]", HTMLSelectElement, this.root);
    for (const [name, { text }] of Object.entries(PRESETS)) presets.append(el("option", { value: name }, text()));
    presets.addEventListener("change", () => presets.value && this.preset(presets.value));
    this.labelPublish();
  }

  /**
   * Fill the form with a ready kind of messages; a stream that runs becomes of this kind.
   * @param {string} name
   */
  preset(name) {
    const { values } = PRESETS[name];
    for (const [field, value] of Object.entries(values)) {
      const input = this.field(field);
      if (input.type === "checkbox") input.checked = Boolean(value);
      else input.value = String(value);
    }
    this.labelPublish();
    const stream = this.actor(PUBLISHER);
    if (stream && stream.state !== "stopped") this.stream(true);
  }

  labelPublish() {
    const count = Number(this.field("count").value) || 0;
    const text =
      count < 1000
        ? ngettext("Publish %(n)s message", "Publish %(n)s messages", count)
        : gettext("Publish %(n)s");
    need("[data-publish-label]", this.root).setAttribute("aria-label", fill(text, { n: number(count) }));
  }

  shape() {
    const size = this.whole("size_bytes", 0, this.limits.max_size_bytes ?? 16777216);
    if (size === null) return null;
    return {
      size_bytes: size,
      persistent: this.field("persistent").checked,
      confirm: this.field("confirm").checked,
    };
  }

  /** Publish as many as bring memory past the paging line; where it is past it and the queue sleeps, one that wakes it. */
  async fillToLine() {
    const count = this.wakes() ? 1 : this.lacking();
    if (!count) return;
    this.field("count").value = String(count);
    this.labelPublish();
    await this.publish();
  }

  /** How many messages of the form's size are lacking to the paging line. */
  lacking() {
    const count = toPagingLine(this.session.state, Number(this.field("size_bytes").value) || 0);
    return count === null ? 0 : Math.min(count, this.limits.max_messages ?? count);
  }

  /** Whether nothing is paged out although memory is past the line, as the queue sleeps. */
  wakes() {
    const { past, target, asleep, ready } = figures(this.session.state);
    return past && target === null && asleep && ready > 0;
  }

  /** With constants of a real node a few messages change nothing: say where the line is, and how many reach it. */
  offerLine() {
    const count = this.lacking();
    const { used, pagingAt } = memoryOf(this.session.state);
    const [far, wakes, offer] = [count > FAR, this.wakes(), need("[data-act=fill]", this.root)];
    show(find("[data-to-line]", this.root), far || wakes);
    const strategy = strategyOf(this.session.state.node.settings);
    const about = ngettext("Paging begins at %(line)s; the node has %(used)s (%(strategy)s). That takes about %(n)s message of this size.", "Paging begins at %(line)s; the node has %(used)s (%(strategy)s). That takes about %(n)s messages of this size.", count);
    const reason = wakes
      ? gettext("Memory is past the paging line, and the queue sleeps. One more message wakes it, and it pages out.")
      : fill(about, { line: bytes(pagingAt), used: bytes(used), strategy, n: number(count) });
    setText(offer, wakes ? gettext("Publish one more message") : gettext("Fill to the paging line"));
    setText(find("[data-to-line] span", this.root), reason);
    offer.title = reason;
    if (!far || this.suited) return;
    // The first time, counts and rates become such that something happens within a minute.
    this.suited = true;
    const suited = 10 ** Math.max(2, Math.floor(Math.log10(count / 5)));
    for (const [name, value] of Object.entries({ count: suited, rate: suited, consumer_rate: suited })) this.field(name).value = String(value);
    this.labelPublish();
  }

  /** Publish a burst; the first one also lets time pass, so that its effect is visible. */
  async publish() {
    const shape = this.shape();
    const count = this.whole("count", 1, this.limits.max_messages ?? 1000000);
    if (!shape || count === null) return;
    await this.send({ do: "publish", count, ...shape }, "count");
  }

  /**
   * Where a burst is more than fits: offer as many as do.
   * @param {unknown} error the refusal, with its numbers
   */
  offerFitting(error) {
    const { room = 0 } = /** @type {{ room?: number }} */ ((error instanceof Error && error.cause) || {});
    const offer = need("[data-act=fit]", this.root);
    offer.dataset.count = String(room);
    setText(offer, fill(ngettext("Publish the %(n)s that fits", "Publish the %(n)s that fit", room), { n: number(room) }));
    show(offer, room > 0);
  }

  /** Publish as many as fit. */
  publishFitting() {
    this.field("count").value = dataOf(need("[data-act=fit]", this.root), "count");
    this.labelPublish();
    return this.publish();
  }

  /** @param {string} name */
  actor(name) {
    return this.session.state.node.actors[name] ?? null;
  }

  toggleStream() {
    const publisher = this.actor(PUBLISHER);
    return this.stream(!publisher || publisher.state === "stopped");
  }

  /** @param {boolean} running */
  stream(running) {
    const shape = this.shape();
    const rate = this.whole("rate", 1, this.limits.max_rate_per_s ?? 100000);
    if (!shape || rate === null) return;
    this.send({ do: "set_publisher", name: PUBLISHER, rate_per_s: rate, ...shape, running }, "rate");
  }

  // --- the consumer ---

  bindConsumer() {
    need("[data-act=consume]", this.root).addEventListener("click", () => this.consume(!this.consuming()));
    for (const input of [this.field("consumer_rate"), this.field("prefetch"), this.choice("ack")]) {
      input.addEventListener("change", () => {
        this.showManual();
        if (this.consuming()) this.consume(true);
      });
    }
    const count = () => this.whole("hand_count", 1, this.limits.max_messages ?? 1000000);
    /**
     * @param {string} act
     * @param {(count: number) => Values} make
     */
    const hand = (act, make) =>
      need(`[data-act=${act}]`, this.root).addEventListener("click", () => {
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
    return actor !== null && actor.state !== "stopped";
  }

  /** @param {boolean} running */
  consume(running) {
    const rate = this.whole("consumer_rate", 1, this.limits.max_rate_per_s ?? 100000);
    const prefetch = this.whole("prefetch", 0, 65535);
    if (rate === null || prefetch === null) return;
    this.send(
      {
        do: "set_consumer",
        name: CONSUMER,
        rate_per_s: rate,
        prefetch,
        ack: this.choice("ack").value,
        running,
      },
      "consumer_rate",
    );
  }

  showManual() {
    const manual = this.choice("ack").value === "manual";
    show(find("[data-consumer-rate]", this.root), !manual);
  }

  // --- the queue and the node ---

  bindQueue() {
    for (const button of findAll("[data-mode]", this.root)) {
      button.addEventListener("click", () =>
        this.send({ do: "set", name: "queue_mode", value: button.dataset.mode }, "queue"),
      );
    }
    const work = this.choice("work_profile");
    work.addEventListener("change", () =>
      this.send({ do: "set", name: "work_profile", value: work.value }, "work_profile"),
    );
    need("[data-act=purge]", this.root).addEventListener("click", () => this.send({ do: "purge" }, "queue"));
    for (const button of findAll("[data-restart]", this.root)) {
      button.addEventListener("click", () =>
        this.restart(dataOf(button, "restart")),
      );
    }
  }

  // --- the values of the engine ---

  /**
   * Limits of the server: fields refuse beforehand what the host would refuse.
   * @param {{limits?: Record<string, number>, owner?: boolean, scenario?: {profile?: string}}} message
   */
  welcome({ limits = {}, owner = true, scenario = {} }) {
    this.limits = limits;
    const profile = scenario.profile;
    for (const link of findAll("[data-profile]", this.root))
      link.setAttribute("aria-pressed", String(link.dataset.profile === profile));
    this.owner = owner;
    this.enable(this.live);
    show(find("[data-watching]", this.root), !owner);
  }

  /**
   * Disable the controls while the engine is not connected, or in another reader's session.
   * @param {boolean} live
   */
  enable(live) {
    this.live = live;
    const all = [...findAll("fieldset", HTMLFieldSetElement, this.root), ...findAll(".thumbs", HTMLFieldSetElement)];
    for (const fieldset of all) fieldset.disabled = !live || !this.owner;
  }

  update() {
    this.followActors();
    const now = figures(this.session.state);
    this.memory.update(now);
    this.offerLine();
    for (const button of findAll("[data-mode]", this.root))
      button.setAttribute("aria-pressed", String(button.dataset.mode === now.mode));
    const profile = this.choice("work_profile");
    if (document.activeElement !== profile) profile.value = this.session.state.node.settings.work_profile ?? "instant";
    need("[data-act=purge]", HTMLButtonElement, this.root).disabled = now.ready === 0;
  }

  followActors() {
    const publisher = this.actor(PUBLISHER);
    const consumer = this.actor(CONSUMER);
    const held = heldByHand(this.session.state);
    this.button("stream", publisher && publisher.state !== "stopped", gettext("Start"), gettext("Stop"));
    this.button("consume", this.consuming(), gettext("Start"), gettext("Stop"));
    setText(find("[data-publisher-state]", this.root), publisherText(publisher, this.actor("burst")));
    setText(find("[data-consumer-state]", this.root), consumerText(consumer, held));
    need("[data-publisher-state]", this.root).dataset.state =
      publisher?.state ?? this.actor("burst")?.state ?? "";
    for (const act of ["ack", "requeue"]) need(`[data-act=${act}]`, HTMLButtonElement, this.root).disabled = held === 0;
  }

  /**
   * @param {string} act
   * @param {unknown} on
   * @param {string} start
   * @param {string} stop
   */
  button(act, on, start, stop) {
    const button = need(`[data-act=${act}]`, this.root);
    button.setAttribute("aria-pressed", String(Boolean(on)));
    setText(button, on ? stop : start);
  }
}
