/** The live page: one session, its socket, and every part that shows it. */
import { Session } from "../model/session.js";
import { Transport } from "../net/transport.js";
import { Alerts } from "../view/alerts.js";
import { ChartsView } from "../view/charts.js";
import { Controls } from "../view/controls.js";
import { find, throttle } from "../view/dom.js";
import { FilesView } from "../view/files.js";
import { GaugeBars } from "../view/gauges.js";
import { Hints } from "../view/hints.js";
import { bindKeys } from "../view/keys.js";
import { Narrative } from "../view/narrative.js";
import { watchPalette } from "../view/palette.js";
import { act } from "../view/scheduler.js";
import { StageView } from "../view/stage.js";
import { Status } from "../view/status.js";
import { Tooltip, messageAt, showChosen } from "../view/tooltip.js";
import { TransportBar } from "../view/transport-bar.js";
import { Twin } from "../view/twin.js";
import { WhyPanel } from "../view/why.js";

const PANEL_MS = 120;

function start(root) {
  const data = JSON.parse(find("#live-data").textContent);
  const session = new Session();
  const alerts = new Alerts(find("#alerts"));
  const parts = {};
  const transport = new Transport(socketAddress(data.websocket), {
    welcome: (message) => parts.controls.welcome(message),
    snapshot: (message) => session.snapshot(message),
    frame: (message) => session.frame(message),
    notice: (message) => alerts.show(`notice-${message.level}`, message.level, message.message),
    status: (name, retryMs) => {
      parts.status.link(name, retryMs);
      parts.controls.enable(name === "live");
    },
  });
  watchPalette(() => repaint(parts));
  build(parts, root, session, transport, alerts, data);
  parts.controls.welcome(data);
  follow(parts, session);
  bindKeys(parts);
  find("[data-act=help]").addEventListener("click", () => find("#help-dialog").showModal());
  find("[data-act=first]", root).addEventListener("click", () => parts.controls.publish());
  addEventListener("pagehide", () => transport.close());
  transport.connect();
}

function build(parts, root, session, transport, alerts, data) {
  parts.status = new Status(root, session, () => transport.connect());
  parts.controls = new Controls(find("#controls"), session, transport, alerts);
  parts.tooltip = new Tooltip(find("[data-tooltip]", root), session);
  parts.stage = new StageView(find("[data-canvas=stage]", root), session, (target) =>
    choose(parts, session, target),
  );
  parts.why = new WhyPanel(find("#why"), session);
  parts.narrative = new Narrative(find("#narrative"), session, (line) => parts.why.pin(line));
  find("[data-act=details]").addEventListener("change", (event) => {
    parts.narrative.all = event.target.checked;
    parts.narrative.update();
  });
  parts.files = new FilesView(find("#files"), session);
  parts.charts = new ChartsView(find("#dock"), session);
  parts.bar = new TransportBar(find("#dock"), session, transport, alerts, data.urls.share);
  parts.gauges = new GaugeBars(find("#gauges"));
  parts.hints = new Hints(find("#hints"), session);
  parts.twin = new Twin(find("#twin"), session, {
    focus: (seq) => {
      parts.stage.focus = seq;
      parts.stage.refresh();
    },
    open: (seq) => select(parts, seq),
  });
  parts.clear = () => {
    select(parts, null);
    if (parts.narrative.picked !== null) parts.narrative.choose(parts.narrative.picked);
  };
  parts.stepSize = () => Math.max(1, Math.round((session.state.node.settings.segment_entry_count || 8) / 8));
}

/** What follows the run: the canvases every frame, the panels a little slower. */
function follow(parts, session) {
  const panels = throttle(PANEL_MS, () =>
    act("panels", () => {
      parts.why.update();
      parts.narrative.update();
      parts.controls.update();
      parts.gauges.update(session.state);
      parts.hints.update();
      parts.status.update();
    }),
  );
  session.listen((change) => {
    if (change.rows || change.kind === "snapshot") {
      parts.stage.update(change);
      parts.files.update();
      parts.twin.update();
    }
    parts.charts.update();
    act("bar", () => parts.bar.update());
    panels();
  });
}

function repaint(parts) {
  parts.stage?.refresh();
  parts.files?.update();
  parts.charts?.update();
}

function choose(parts, session, target) {
  if ("click" in target) {
    const message = target.click
      ? messageAt(session.state, target.click.lane.name, target.click.index)
      : null;
    select(parts, message ? message.seq : null);
  } else parts.tooltip.update(target);
}

function select(parts, seq) {
  parts.stage.selected = seq;
  parts.files.selected = seq;
  showChosen(find("[data-chosen]"), seq);
  parts.stage.refresh();
  parts.files.update();
}

/** The socket is on the same host as the page. */
function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

start(find("#live"));
