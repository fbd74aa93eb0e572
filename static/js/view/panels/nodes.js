/** The nodes of a cluster side by side: each with what it has of the shown queue, and what befalls it by hand. */
import { depthOf, failoverOf, mirroredQueue, nodeOf, nodesOf, stripOf } from "../../model/cluster.js";
import { showQueue, shownQueue } from "../../model/shown.js";
import { strategyOf } from "../../model/facts.js";
import { bytes, fill, gettext, ngettext, number } from "../../model/text.js";
import { around, dataOf, el, find, findAll, need, setText, show } from "../base/dom.js";
import { failoverText } from "./failover.js";
import { ringOf, ringText } from "./ring.js";

/**
 * @import { RunSnapshot, Values } from "../../model/catalogue/types.js"
 * @import { Member } from "../../model/cluster.js"
 * @import { Playhead } from "../../model/playhead.js"
 */

const PERCENT = 100;

export class Nodes {
  /**
   * `command(values)` gives a command; `changed()` is called when another member is shown.
   * @param {HTMLElement} root
   * @param {Playhead} playhead
   * @param {(command: Values) => Promise<unknown>} command
   * @param {() => void} changed
   */
  constructor(root, playhead, command, changed) {
    this.root = root;
    this.playhead = playhead;
    this.command = command;
    this.changed = changed;
    this.names = "";
    /** @type {string | null} */
    this.master = null;
    /** @type {ReturnType<typeof ringOf> | null} */
    this.ring = null;
    this.sizes = new ResizeObserver(() => this.toMaster());
    root.addEventListener("click", (event) => this.click(around(event, "[data-node-act]")));
  }

  get queue() {
    const { state } = this.playhead;
    const name = shownQueue(state);
    return name === null ? "orders" : mirroredQueue(state, name);
  }

  /** @param {HTMLElement | null} button */
  click(button) {
    if (!button) return;
    const card = /** @type {HTMLElement | null} */ (button.closest("[data-node]"));
    const { node } = card?.dataset ?? {};
    /** @type {Record<string, () => unknown>} */
    const acts = {
      show: () => this.show(dataOf(button, "label")),
      kill: () => this.command({ do: "kill_node", node }),
      stop: () => this.command({ do: "stop_node", node }),
      start: () => this.command({ do: "start_node", node }),
      freeze: () => this.command({ do: "freeze", node, queue: this.queue }),
      thaw: () => this.command({ do: "thaw", node, queue: this.queue }),
      sync: () => this.command({ do: "sync_queue", queue: this.queue }),
      cancel: () => this.command({ do: "cancel_sync_queue", queue: this.queue }),
      mirror: () =>
        this.command({ do: "set_policy", name: "ha", pattern: ".*", definition: { "ha-mode": "all" } }),
    };
    acts[dataOf(button, "nodeAct")]();
  }

  /** @param {string} label */
  show(label) {
    showQueue(label);
    this.playhead.timeline.show(label);
    this.changed();
    this.update();
  }

  update() {
    const { state } = this.playhead;
    const names = nodesOf(state);
    show(this.root, names.length > 1);
    this.root.closest(".live")?.classList.toggle("has-nodes", names.length > 1);
    if (names.length < 2) return;
    if (this.names !== names.join()) this.build(names);
    const { queue } = this;
    const depth = depthOf(state, queue);
    const shown = shownQueue(state);
    const failover = failoverOf(this.playhead.timeline.lines, state, queue);
    const line = find("[data-failover]", this.root);
    setText(line, failoverText(failover));
    show(line, Boolean(failover));
    for (const card of findAll("[data-node]", this.root))
      this.fill(card, nodeOf(state, queue, dataOf(card, "node")), { depth, shown, lost: failover?.lost ?? 0 });
    this.follow(state.queues[queue]?.node ?? null);
    this.fillRing(state, queue);
  }

  /**
   * Where the page has room for one card only, the master's is shown when another node becomes master.
   * @param {string | null} master
   */
  follow(master) {
    if (this.master === master) return;
    this.master = master;
    this.toMaster();
  }

  toMaster() {
    const card = find(`[data-node="${this.master}"]`, this.root);
    const row = card?.parentElement;
    if (card && row) row.scrollTo({ left: card.offsetLeft - row.offsetLeft });
  }

  /**
   * @param {HTMLElement} card
   * @param {Member} about
   * @param {{ depth: number | null, shown: string | null, lost: number }} queue
   */
  fill(card, about, { depth, shown, lost }) {
    card.dataset.role = about.role;
    card.classList.toggle("is-shown", about.label !== null && about.label === shown);
    const [title, role, has, brings, memory] = findAll("[data-text]", card);
    setText(title, about.node);
    setText(role, roleText(about));
    setText(has, hasText(about));
    setText(brings, bringsText(about, depth));
    setText(memory, memoryText(about, strategyOf(this.playhead.state.node.settings)));
    drawStrip(need("[data-lanes]", card), stripOf(about, depth ?? 0, lost));
    const [choose, kill, stop, start, freeze, thaw] = findAll("[data-node-act]", HTMLButtonElement, card);
    choose.dataset.label = about.label ?? "";
    choose.setAttribute("aria-pressed", String(about.label !== null && about.label === shown));
    choose.disabled = about.label === null;
    for (const button of [kill, stop]) show(button, about.up);
    show(start, !about.up);
    show(freeze, about.role === "mirror" && !about.frozen);
    show(thaw, Boolean(about.frozen));
  }

  /**
   * The last instruction of the ring, and whether a synchronisation goes on.
   * @param {RunSnapshot} state
   * @param {string} queue
   */
  fillRing(state, queue) {
    const { lines } = this.playhead.timeline;
    const line = lines.findLast(({ t }) => t.kind === "RingSent" && t.queue === queue);
    const master = state.queues[queue];
    const order = master ? [master.node, ...(master.mirrors ?? [])] : [];
    setText(this.root.querySelector("[data-ring-text]"), ringText(line, order));
    this.ring?.show(line, order);
    const [sync, cancel, mirror] = findAll(".ring [data-node-act]", this.root);
    show(sync, Boolean(master?.mirrors) && !master.syncing);
    show(cancel, Boolean(master?.syncing));
    show(mirror, Boolean(master) && !master.mirrors);
    const { lost, between_bytes: between } = state.node.cluster;
    setText(
      this.root.querySelector("[data-ring-bytes]"),
      fill(gettext("Between nodes for mirrors: %(bytes)s; messages lost in failovers: %(lost)s"), {
        bytes: bytes(between),
        lost: number(lost),
      }),
    );
  }

  /** @param {string[]} names */
  build(names) {
    this.names = names.join();
    this.ring = ringOf(names);
    this.sizes.disconnect();
    this.root.replaceChildren(
      el("p.node-failover", { "data-failover": "", role: "status", hidden: true }),
      el("div.node-cards", {}, ...names.map((node) => nodeCard(node))),
      this.ring.root,
      el(
        "div.ring",
        {},
        el("span", { "data-ring-text": "" }),
        el("span.ring-bytes", { "data-ring-bytes": "" }),
        act("sync", gettext("Synchronise")),
        act("cancel", gettext("Cancel the synchronisation")),
        act("mirror", gettext("Mirror everything (ha-mode all)")),
      ),
      el(
        "details.node-since",
        {},
        el("summary", {}, gettext("RabbitMQ 4.0 removed mirrors")),
        el(
          "p",
          {},
          gettext(
            "Quorum queues replicate instead (since 3.8): each message is an entry of a log that all members keep by Raft. A confirm waits for a majority and not for every member, so one slow node holds up nobody. Only a member that has everything confirmed can lead, so a failover loses nothing that was confirmed. A member that comes back gets what it missed, and is not emptied. They are always durable, and need a majority of their nodes to work at all.",
          ),
        ),
      ),
    );
    this.sizes.observe(need(".node-cards", this.root));
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
function act(name, text) {
  return el("button.btn.small", { type: "button", "data-node-act": name }, text);
}

/** @param {string} node */
function nodeCard(node) {
  const text = (/** @type {string} */ tag) => el(tag, { "data-text": "" });
  return el(
    "section.node-card",
    { "data-node": node, "aria-label": fill(gettext("Node %(node)s"), { node }) },
    el("p.node-head", {}, text("b"), text("span")),
    el("div.node-lanes", { "data-lanes": "", "aria-hidden": "true" }),
    text("p"),
    text("p.node-brings"),
    text("p.node-memory"),
    el(
      "p.node-acts",
      {},
      act("show", gettext("Show")),
      act("kill", gettext("Kill")),
      act("stop", gettext("Stop")),
      act("start", gettext("Start")),
      act("freeze", gettext("Freeze")),
      act("thaw", gettext("Thaw")),
    ),
  );
}

/** @param {Member} member */
function roleText({ role, synchronised, lacks, frozen, syncing }) {
  if (role === "down") return gettext("does not run");
  if (role === "none") return gettext("has no member");
  if (frozen) return gettext("mirror, frozen: it handles nothing");
  if (syncing) return role === "master" ? gettext("master, filling its mirrors") : gettext("mirror, being filled");
  if (role === "master") return gettext("master");
  if (synchronised) return gettext("mirror, synchronised");
  if (lacks === "unknown") return gettext("mirror, lacks an unknown number");
  return fill(gettext("mirror, lacks %(lacks)s"), { lacks: number(lacks) });
}

/** @param {Member} member */
function hasText({ label, ready, unacked, held }) {
  if (label === null) return "";
  const counts = fill(gettext("%(ready)s ready, %(unacked)s unacked"), {
    ready: number(ready),
    unacked: number(unacked),
  });
  if (!held) return counts;
  return `${counts}; ${fill(ngettext("%(n)s held copy of a channel", "%(n)s held copies of channels", held), {
    n: number(held),
  })}`;
}

/**
 * What this node would bring back if all others died now: all that its member has.
 * @param {Member} member
 * @param {number | null} depth
 */
function bringsText({ label, role, ready, unacked, held = 0 }, depth) {
  if (label === null || depth === null || role === "master") return "";
  return fill(ngettext("If the others died now: %(kept)s of %(all)s message", "If the others died now: %(kept)s of %(all)s messages", depth), {
    kept: number(Math.min(depth, ready + unacked + held)),
    all: number(depth),
  });
}

/**
 * @param {Member} member
 * @param {string} strategy
 */
function memoryText({ up, memory, limit, alarm, diskAlarm }, strategy) {
  if (!up || !limit) return "";
  const share = Math.round((memory / limit) * PERCENT);
  const used = fill(gettext("memory (%(strategy)s) at %(share)s per cent of its limit"), { strategy, share: number(share) });
  const words = [used, alarm && gettext("alarm"), diskAlarm && gettext("disk alarm")];
  return words.filter(Boolean).join(", ");
}

/** @type {Record<string, (count: string) => string>} */
const PLACE_WORDS = {
  held: (count) => fill(gettext("held %(count)s"), { count }),
  unacked: (count) => fill(gettext("unacked %(count)s"), { count }),
  lacks: (count) => fill(gettext("lacks %(count)s"), { count }),
  lost: (count) => fill(gettext("lost %(count)s"), { count }),
};

/**
 * The parts of a strip as bars whose widths are their shares.
 * @param {HTMLElement} root
 * @param {{ place: string, count: number }[]} bars
 */
function drawStrip(root, bars) {
  const key = bars.map(({ place, count }) => `${place}:${count}`).join();
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  root.replaceChildren(
    ...bars.map(({ place, count }) => {
      const words = PLACE_WORDS[place]?.(number(count)) ?? `${place} ${number(count)}`;
      const bar = el("span", { "data-place": place, title: words }, words);
      bar.style.flexGrow = String(count);
      return bar;
    }),
  );
}
