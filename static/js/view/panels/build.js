/** The panels around the stage, in order. Each follows the run by its `update()`, and is connected to the others only here. */
import { declaredQueues } from "../../model/messages.js";
import { gettext } from "../../model/text.js";
import { find, need } from "../base/dom.js";
import { ClientForm } from "./client-form.js";
import { Clients } from "./clients.js";
import { Console } from "./console.js";
import { Controls } from "./controls.js";
import { Folds } from "./folds.js";
import { Follow } from "./follow.js";
import { GaugeBars } from "./gauge-bars.js";
import { Hints } from "./hints.js";
import { Instruments } from "./instruments.js";
import { Narrative } from "./narrative.js";
import { Nodes } from "./nodes.js";
import { Queues } from "./queues.js";
import { Release } from "./release.js";
import { Routes } from "./routes.js";
import { StandsFor } from "./stands-for.js";
import { Status } from "./status.js";
import { StoryPanel } from "./story.js";
import { Topology } from "./topology.js";
import { Vhosts } from "./vhosts.js";
import { WhyPanel } from "./why.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Line } from "../../model/timeline.js"
 * @import { Alerts } from "../base/alerts.js"
 * @import { Live } from "../base/live.js"
 */

/**
 * Build the room from what the page shares; `queueShown()` is called when the reader chose another queue.
 * @param {Live} live
 * @param {() => void} queueShown
 */
export function buildPanels(live, queueShown) {
  const { root, data, session, playhead, engine, selection, alerts, sender } = live;
  const command = (/** @type {Values} */ values) => engine.command(values);
  const why = new WhyPanel(need("#why"), playhead);
  const narrative = new Narrative(need("#narrative"), playhead, (line) => jump(playhead, why, alerts, line));
  const controls = new Controls(need("#controls"), session, engine, alerts);
  const clientForm = new ClientForm(need("#client-dialog", HTMLDialogElement), session, command);
  const topology = new Topology(need("#topology-dialog", HTMLDialogElement), session, command);
  const instruments = new Instruments(need("#instruments"), playhead);
  const operator = new Console(
    need("#console"),
    data.console,
    (line) => engine.runLine(line),
    () => declaredQueues(session.state),
  );
  const clients = new Clients(need("#clients"), session, controls, clientForm, sender);
  const panels = {
    why,
    narrative,
    controls,
    folds: new Folds(root, controls),
    stands: standsFor(live, controls, operator),
    release: new Release(playhead),
    gauges: new GaugeBars(need("#gauges"), playhead),
    clients,
    clientForm,
    topology,
    instruments,
    console: operator,
    hints: new Hints(need("#hints"), session),
    status: new Status(root, playhead, () => engine.connect()),
    vhosts: new Vhosts(need("[data-vhosts]", root), playhead),
    queues: new Queues(need("[data-queues]", root), playhead, queueShown),
    routes: new Routes(need("#clients"), session, sender, clients, () => sender.may() && topology.open()),
    nodes: new Nodes(need("[data-nodes]", root), playhead, command, queueShown),
    follow: new Follow(need("#stage", root), playhead, selection, (text) => alerts.flash(text)),
    ...(data.story && data.owner ? { story: new StoryPanel(need("#story"), live) } : {}),
  };
  need("[data-act=topology]", root).addEventListener("click", () => topology.open());
  need("[data-act=instruments]", root).addEventListener("click", () => instruments.toggle());
  need("[data-act=console]").addEventListener("click", () => operator.toggle());
  need("[data-act=dock-publish]", root).addEventListener("click", () => controls.publish());
  for (const name of ["dock-publish", "dock-consume", "first"])
    need(`[data-act=${name}]`, root).addEventListener("click", () => bringStage(root));
  need("[data-act=dock-consume]", root).addEventListener("click", () => need("[data-act=consume]", root).click());
  need("[data-act=first]", root).addEventListener("click", () => {
    controls.publish();
    need("#twin", root).focus({ preventScroll: true }); // this button goes, and who uses keys goes on where the messages come
  });
  return panels;
}

/**
 * On a phone, what was just asked for would happen below the screen: the stage comes to its upper edge, and ends above the dock.
 * @param {HTMLElement} root
 */
function bringStage(root) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (matchMedia("(max-width: 719px)").matches) need(".stage", root).scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

/**
 * The operator's view: what each control stands for, in lines that open in the console.
 * @param {Live} live
 * @param {Controls} controls
 * @param {Console} operator
 */
function standsFor({ data, session }, controls, operator) {
  const fields = () => ({
    persistent: controls.field("persistent").checked,
    ack: controls.choice("ack").value,
    prefetch: controls.field("prefetch").value,
  });
  const run = (/** @type {string} */ line) => {
    find("dialog[open]", HTMLDialogElement)?.close();
    operator.open(line);
  };
  const roots = [controls.root, need("#topology-dialog"), need("#instruments")];
  return new StandsFor(roots, data.console.stands_for, session, { fields, run });
}

/**
 * Explain a line of what happened, and show its moment; with null, show the present again.
 * @param {Playhead} playhead
 * @param {WhyPanel} why
 * @param {Alerts} alerts
 * @param {Line | null} line
 */
function jump(playhead, why, alerts, line) {
  const from = "narrative";
  if (!line) playhead.now(from);
  else if (line.number + 1 >= playhead.session.next) playhead.now(from);
  else if (!playhead.go(line.number + 1, { from })) {
    playhead.now(from);
    alerts.flash(gettext("That moment is no longer kept, but its reason is."));
  }
  why.pin(line);
}
