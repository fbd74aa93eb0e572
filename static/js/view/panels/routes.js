/**
 * The way of the messages as a picture above the stage: publishers, exchanges, queues and consumers, with the wires between them.
 * One thing carried onto another joins the two; so does the menu of its port, which a keyboard reaches.
 */
import { heldByHand } from "../../model/facts.js";
import { exchangeName, idOf, joining, joinsOf, partingsOf, routesOf, typeOf } from "../../model/routes.js";
import { fill, gettext, number } from "../../model/text.js";
import { wide } from "../base/canvas.js";
import { carry } from "../base/carry.js";
import { around, dataOf, el, find, findAll, icon, keepChildren, need, required, setText, show } from "../base/dom.js";
import { openMenu } from "../base/menu.js";
import { act } from "../base/scheduler.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Session } from "../../model/session.js"
 * @import { CommandSender } from "../base/command-sender.js"
 * @import { Clients } from "./clients.js"
 */

/** @typedef {{ left: number, right: number, top: number, bottom: number, width: number, height: number }} Edges of something in the window */

const SVG = "http://www.w3.org/2000/svg";

export class Routes {
  /**
   * `sender` sends commands; `clients` has the publishers and consumers; `topology()` opens the dialog that declares.
   * @param {HTMLElement} root
   * @param {Session} session
   * @param {CommandSender} sender
   * @param {Clients} clients
   * @param {() => unknown} topology
   */
  constructor(root, session, sender, clients, topology) {
    this.root = root;
    this.session = session;
    this.sender = sender;
    this.clients = clients;
    this.wires = need("[data-wires]", SVGSVGElement, root);
    this.live = find("[data-routes-live]", root);
    this.mark = "";
    /** @type {{ from: string, x: number, y: number } | null} what is carried, and where it is now */
    this.pull = null;
    /** How many messages are held by hand. */
    this.held = 0;
    for (const button of findAll("[data-open-topology]", root)) button.addEventListener("click", topology);
    root.addEventListener("click", (event) => this.click(event));
    const place = need("[data-held]", root);
    place.addEventListener("click", () => this.heldMenu(place));
    carry(root, {
      pick: (event) => this.pick(event),
      move: (from, event) => this.follow(from, event),
      drop: (from, event) => this.drop(from, event),
    });
    new ResizeObserver(() => this.redraw()).observe(root);
    root.addEventListener("scroll", () => this.redraw(), true);
  }

  get state() {
    return this.session.state;
  }

  /**
   * The id of the thing that a press takes; sliders and small buttons are not carried.
   * @param {PointerEvent} event
   */
  pick(event) {
    if (around(event, "[role=slider], .btn")) return null;
    return around(event, "[data-object]")?.dataset.object ?? null;
  }

  /** @param {PointerEvent} event */
  under(event) {
    const place = document.elementFromPoint(event.clientX, event.clientY);
    return /** @type {HTMLElement | null} */ (place?.closest?.("#clients [data-object]") ?? null);
  }

  /**
   * @param {string} from
   * @param {PointerEvent} event
   */
  follow(from, event) {
    const goal = this.under(event);
    const to = goal?.dataset.object;
    const fits = to !== undefined && ("command" in joining(this.state, from, to) || this.sameKind(from, to));
    for (const each of findAll("[data-object]", this.root)) each.classList.toggle("is-goal", Boolean(fits) && each === goal);
    this.pull = { from, x: event.clientX, y: event.clientY };
    this.root.classList.add("is-carrying");
    this.redraw();
  }

  /**
   * @param {string} from
   * @param {PointerEvent | null} event
   */
  drop(from, event) {
    this.pull = null;
    this.root.classList.remove("is-carrying");
    for (const each of findAll(".is-goal", this.root)) each.classList.remove("is-goal");
    this.redraw();
    const goal = event && this.under(event)?.dataset.object;
    if (!goal || goal === from) return;
    if (this.sameKind(from, goal)) this.clients.move(nameOf(from), nameOf(goal));
    else this.join(joining(this.state, from, goal));
  }

  /**
   * A publisher on a publisher, or a consumer on a consumer: it takes its place.
   * @param {string} one
   * @param {string} other
   */
  sameKind(one, other) {
    const [kind] = one.split(":");
    return ["publisher", "consumer"].includes(kind) && other.startsWith(`${kind}:`) && one !== other;
  }

  /** @param {ReturnType<typeof joining>} joined */
  async join(joined) {
    if ("problem" in joined) this.sender.alerts.flash(joined.problem);
    else if (await this.sender.send(joined.command, joined.text)) setText(this.live, joined.text);
  }

  /** @param {PointerEvent} event */
  click(event) {
    const port = around(event, "[data-port]");
    if (!port) return;
    const id = dataOf(required(around(event, "[data-object]"), "the object"), "object");
    if (!this.sender.may()) return;
    openMenu(port, port.getAttribute("aria-label") ?? "", [
      ...joinsOf(this.state, id).map((each) => ({ text: each.text, run: () => this.join(each) })),
      ...partingsOf(this.state, id).map((each) => ({ text: each.text, run: () => this.join(each) })),
    ]);
  }

  update() {
    const { state } = this;
    const { exchanges, queues, wires } = routesOf(state);
    const held = heldByHand(state);
    this.showHeld(held);
    const names = findAll("[data-client]", this.root).map((each) => each.dataset.client);
    const mark = JSON.stringify([exchanges, queues, wires, names, held > 0]);
    if (mark === this.mark) return;
    this.mark = mark;
    this.root.classList.toggle("is-plain", !names.length && queues.length < 2 && exchanges.length < 2);
    keepChildren(need("[data-exchanges]", this.root), exchanges, (name) => this.exchange(name));
    for (const each of findAll(".exchange .mid", this.root)) setText(each, this.typeOf(dataOf(required(each.parentElement, "an exchange"), "key")));
    this.redraw();
  }

  /**
   * What stands beside an exchange's name; the default one has no type.
   * @param {string} name
   */
  typeOf(name) {
    return name ? typeOf(this.state, name) : "";
  }

  /** @param {string} name */
  exchange(name) {
    const label = fill(gettext("Join exchange %(name)s to …"), { name: exchangeName(name) });
    return el(
      "li.exchange",
      { "data-object": idOf("exchange", name) },
      el("i", { "aria-hidden": "true" }),
      el("b", {}, exchangeName(name)),
      el("span.mid"),
      name ? portOf(label) : null,
    );
  }

  /**
   * A message that the reader got by hand: it goes back to its queue by a drag of the message, or by this menu.
   * @param {number} count
   */
  showHeld(count) {
    const place = need("[data-held]", this.root);
    show(place, count > 0);
    if (!count) return;
    setText(find("span", place), fill(gettext("by hand: holds %(n)s"), { n: number(count) }));
    this.held = count;
  }

  /**
   * What can be done with the messages that are held by hand.
   * @param {HTMLElement} anchor
   */
  heldMenu(anchor) {
    if (!this.sender.may()) return;
    const all = this.held;
    /**
     * @param {string} text
     * @param {Values} command
     */
    const item = (text, command) => ({ text, run: () => this.join({ command, text }) });
    openMenu(anchor, gettext("Messages held by hand"), [
      item(gettext("Put the oldest back into its queue"), { do: "requeue", count: 1 }),
      ...(all > 1 ? [item(gettext("Put all of them back"), { do: "requeue", count: all })] : []),
      item(gettext("Acknowledge the oldest"), { do: "ack", count: 1, multiple: false }),
      ...(all > 1 ? [item(gettext("Acknowledge all of them"), { do: "ack", count: all, multiple: true })] : []),
    ]);
  }

  /** Draw the wires again with the next frame. */
  redraw() {
    act("routes", () => this.draw());
  }

  draw() {
    const box = this.root.getBoundingClientRect();
    const boxes = new Map(findAll("[data-object]", this.root).map((each) => [each.dataset.object, each.getBoundingClientRect()]));
    const turned = this.root.classList.contains("is-turned") || innerWidth < 720;
    const paths = [];
    for (const { from, to, key, lost } of routesOf(this.state).wires) {
      const [a, b] = [boxes.get(from), boxes.get(to)];
      if (a && b) paths.push(wire(box, a, b, turned, lost ? "wire is-lost" : "wire", key));
    }
    const { pull } = this;
    const start = pull && boxes.get(pull.from);
    if (pull && start) {
      const at = { left: pull.x, right: pull.x, top: pull.y, bottom: pull.y, width: 0, height: 0 };
      paths.push(wire(box, start, at, turned, "wire is-pulled"));
    }
    this.wires.replaceChildren(...paths);
  }
}

/** @param {string} id */
const nameOf = (id) => id.slice(id.indexOf(":") + 1);

/**
 * The button from which a thing is joined to others.
 * @param {string} label
 */
export function portOf(label) {
  return el(
    "button.port",
    { type: "button", "data-port": "", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": label, title: label },
    icon("link"),
  );
}

/**
 * A line from the edge of one box to the nearer edge of the other, both within `frame`.
 * @param {Edges} frame
 * @param {Edges} a
 * @param {Edges} b
 * @param {boolean} turned
 * @param {string} name
 * @param {string} [key]
 */
function wire(frame, a, b, turned, name, key = "") {
  const path = document.createElementNS(SVG, "path");
  const onward = turned ? a.top <= b.top : a.left <= b.left;
  /**
   * @param {Edges} box
   * @param {boolean} first
   */
  const end = (box, first) => {
    const late = first === onward;
    const x = turned ? box.left + box.width / 2 : late ? box.right : box.left;
    const y = turned ? (late ? box.bottom : box.top) : box.top + box.height / 2;
    return [(x - frame.left) / wide(), (y - frame.top) / wide()];
  };
  const [x0, y0] = end(a, true);
  const [x1, y1] = end(b, false);
  const middle = turned ? (y0 + y1) / 2 : (x0 + x1) / 2;
  const bend = turned ? `${x0} ${middle} ${x1} ${middle}` : `${middle} ${y0} ${middle} ${y1}`;
  path.setAttribute("d", `M${x0} ${y0}C${bend} ${x1} ${y1}`);
  path.setAttribute("class", name);
  if (key) path.dataset.key = key;
  return path;
}
