/** The live page: one session, its socket, and every part that shows it. */
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";
import { shownQueue } from "../model/shown.js";
import { gettext } from "../model/text.js";
import { Transport } from "../net/transport.js";
import { actionsOf } from "../view/page/actions.js";
import { Alerts } from "../view/base/alerts.js";
import { ChartsView } from "../view/time/charts.js";
import { ClientForm } from "../view/panels/client-form.js";
import { Clients } from "../view/panels/clients.js";
import { CommandPalette } from "../view/page/command-palette.js";
import { Console } from "../view/panels/console.js";
import { Controls } from "../view/panels/controls.js";
import { find, throttle } from "../view/base/dom.js";
import { FilesView } from "../view/files/files.js";
import { GaugeBars } from "../view/stage/gauges.js";
import { Instruments } from "../view/panels/instruments.js";
import { FenceHandle } from "../view/stage/fence.js";
import { Follow } from "../view/panels/follow.js";
import { Hints } from "../view/panels/hints.js";
import { bindKeys } from "../view/page/keys.js";
import { Moment } from "../view/time/moment.js";
import { Narrative } from "../view/panels/narrative.js";
import { watchPalette } from "../view/base/palette.js";
import { act } from "../view/base/scheduler.js";
import { PlaceOfLink, spotlight } from "../view/page/place.js";
import { Queues } from "../view/panels/queues.js";
import { Scrubber } from "../view/time/scrubber.js";
import { Sharing } from "../view/page/share.js";
import { StageView } from "../view/stage/stage.js";
import { StandsFor } from "../view/panels/stands-for.js";
import { Status } from "../view/panels/status.js";
import { StoryPanel } from "../view/panels/story.js";
import { Topology } from "../view/panels/topology.js";
import { Tooltip, messageAt, showChosen } from "../view/stage/tooltip.js";
import { Tour } from "../view/page/tour.js";
import { TransportBar } from "../view/time/transport-bar.js";
import { Twin } from "../view/stage/twin.js";
import { togglePresentation } from "../view/base/theme.js";
import { UntilBar } from "../view/time/until.js";
import { WhyPanel } from "../view/panels/why.js";
import { Wire } from "../view/page/wire.js";
import { Zoom } from "../view/stage/zoom.js";

const PANEL_MS = 120;
/** Where a reader goes to a moment from without letting go of the reason that is explained. */
const STAYS = new Set(["narrative", "why"]);

function start(root) {
  const data = JSON.parse(find("#live-data").textContent);
  const session = new Session();
  const alerts = new Alerts(find("#alerts"));
  const parts = { playhead: new Playhead(session) };
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
  tell(parts, transport, alerts, data);
  startTour(parts, session, data);
  bindKeys(parts);
  find("[data-act=help]").addEventListener("click", () => find("#help-dialog").showModal());
  find("[data-act=first]", root).addEventListener("click", () => parts.controls.publish());
  addEventListener("pagehide", () => transport.close());
  // Pages that put something beside the stage, such as an exercise, follow the same session.
  const detail = { session, transport, playhead: parts.playhead };
  document.dispatchEvent(new CustomEvent("waterline:live", { detail }));
  transport.connect();
}

/** What was written around the run, and the moment to which a link leads. */
function tell(parts, transport, alerts, data) {
  const send = transport.send.bind(transport);
  const focus = (view, seq) => {
    if (view) spotlight(view);
    if (seq !== undefined) select(parts, seq);
  };
  if (data.story && data.owner) {
    parts.story = new StoryPanel(find("#story"), data, parts.playhead, (message) => transport.send(message), focus);
    transport.send = (message) => {
      const mended = parts.story.mend(message);
      return mended ? send(mended) : false;
    };
  }
  parts.place = new PlaceOfLink(data.place, parts.playhead, data.owner, {
    control: send,
    choose: (seq) => select(parts, seq),
    alerts,
  });
}

function build(parts, root, session, transport, alerts, data) {
  const { playhead } = parts;
  parts.status = new Status(root, playhead, () => transport.connect());
  parts.controls = new Controls(find("#controls"), session, commands(transport, playhead), alerts);
  parts.tooltip = new Tooltip(find("[data-tooltip]", root), playhead);
  parts.stage = new StageView(find("[data-canvas=stage]", root), playhead, (target) =>
    choose(parts, playhead, target),
  );
  parts.why = new WhyPanel(find("#why"), playhead);
  parts.narrative = new Narrative(find("#narrative"), playhead, (line) => jump(parts, alerts, line));
  const { narrative } = parts;
  find("[data-act=details]").addEventListener("change", (event) => narrative.want({ details: event.target.checked }));
  find("[data-narrative-group]").addEventListener("change", (event) => narrative.want({ group: event.target.value }));
  find("[data-act=only-queue]").addEventListener("change", (event) => narrative.want({ queue: event.target.checked }));
  session.watch((row) => parts.stage.see(row));
  parts.queues = new Queues(find("[data-queues]", root), playhead, () => another(parts));
  parts.files = new FilesView(find("#files"), playhead);
  parts.files.open = (seq) => select(parts, seq);
  parts.files.over = (seq) => {
    if (parts.stage.hovered === seq) return;
    parts.stage.hovered = seq;
    parts.stage.refresh();
  };
  parts.zoom = new Zoom(find("[data-zoom]", root), parts.stage);
  parts.fence = new FenceHandle(find(".stage-box", root), parts.stage, playhead, {
    set: (target) => setTarget(commands(transport, playhead), session, alerts, target),
    step: () => parts.stepSize(),
  });
  parts.wire = new Wire(find("[data-wire]", root), root, parts.stage, parts.files);
  parts.follow = new Follow(find("#stage", root), playhead, {
    choose: (seq) => select(parts, seq),
    tell: (text) => alerts.flash(text),
  });
  parts.charts = new ChartsView(find("#dock"), playhead);
  parts.scrubber = new Scrubber(find("#dock"), playhead, parts.charts);
  parts.bar = new TransportBar(find("#dock"), playhead, transport, alerts, () => parts.sharing.open());
  parts.sharing = new Sharing(find("#share-dialog"), playhead, parts.stage, alerts, data.urls);
  parts.until = new UntilBar(find("#dock"), playhead, transport, alerts);
  parts.moment = new Moment(root, playhead);
  parts.tour = new Tour(
    root,
    parts,
    session,
    (command) => commands(transport, playhead).command(command),
    (pace) => transport.send({ t: "control", ...pace }),
  );
  operate(parts, session, transport, data.console);
  surround(parts, root, session, transport);
  oversee(parts, root, session, transport, alerts, data);
  parts.gauges = new GaugeBars(find("#gauges"));
  parts.hints = new Hints(find("#hints"), session);
  parts.twin = new Twin(find("#twin"), playhead, {
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

/** What stands around the stage: publishers and consumers, the topology, the instruments. */
function surround(parts, root, session, transport) {
  const { command } = commands(transport, parts.playhead);
  const form = new ClientForm(find("#client-dialog"), session, command);
  parts.clients = new Clients(find("#clients"), session, parts.controls, form);
  parts.topology = new Topology(find("#topology-dialog"), session, command);
  find("[data-act=topology]", root).addEventListener("click", () => parts.topology.open());
  parts.instruments = new Instruments(find("#instruments"), parts.playhead);
  find("[data-act=instruments]", root).addEventListener("click", () => parts.instruments.toggle());
}

/** What goes beyond single parts: undo, fork, presentation; and the palette that finds every action. */
function oversee(parts, root, session, transport, alerts, data) {
  const fork = find("[data-fork]", root);
  fork.addEventListener("submit", () => {
    find("[name=at_us]", fork).value = parts.playhead.behind ? String(parts.playhead.nowUs) : "";
  });
  const owned = () => parts.controls.owner && transport.live && !document.body.classList.contains("is-held");
  parts.page = {
    urls: data.urls,
    may: owned,
    undo: () => takeBack(parts, transport, alerts),
    fork: () => fork.requestSubmit(),
    compare: () => location.assign(`${data.urls.compare}&at_s=${(parts.playhead.nowUs / 1e6).toFixed(3)}&more_s=10`),
    share: () => find("[data-act=share]", root).click(),
    present: () => present(parts),
    tour: () => find("[data-start-tour]").requestSubmit(),
  };
  parts.palette = new CommandPalette(find("#palette-dialog"), () => actionsOf(parts, parts.page));
  find("[data-act=palette]").addEventListener("click", () => parts.palette.open());
  find("[data-act=present]").addEventListener("click", () => present(parts));
  find("[data-act=undo]", root).addEventListener("click", parts.page.undo);
}

/** The last command did not happen: the host runs everything again without it, and tells so. */
async function takeBack(parts, transport, alerts) {
  parts.playhead.now();
  try {
    await transport.undo();
    parts.controls.forgive();
  } catch (error) {
    const offline = error.message === "offline" || error.message === "timeout";
    alerts.show("undo", "limit", offline ? gettext("The engine is not connected. It is tried again by itself.") : error.message);
  }
}

function present(parts) {
  togglePresentation();
  repaint(parts);
  parts.stage.refresh({ instant: true });
}

/** Begin the tour as soon as the engine is there, where the address asks for it. */
function startTour(parts, session, { owner }) {
  if (!owner || !new URLSearchParams(location.search).has("tour")) return;
  history.replaceState(null, "", location.pathname);
  let started = false;
  session.listen(({ kind }) => {
    if (started || kind !== "snapshot") return;
    started = true;
    find("#hints").hidden = true;
    parts.tour.start();
  });
}

/** The operator's view: the console, and what each control stands for. */
function operate(parts, session, transport, known) {
  const { controls } = parts;
  const ask = (line) => {
    parts.playhead.now();
    return transport.ask(line);
  };
  parts.console = new Console(find("#console"), known, ask, () => Object.keys(session.state.queues));
  find("[data-act=console]").addEventListener("click", () => parts.console.toggle());
  const said = () => ({
    persistent: controls.field("persistent").checked,
    ack: controls.field("ack").value,
    prefetch: controls.field("prefetch").value,
  });
  const run = (line) => {
    find("dialog[open]")?.close();
    parts.console.open(line);
  };
  const roots = [controls.root, find("#topology-dialog"), find("#instruments")];
  parts.stands = new StandsFor(roots, known.stands_for, session, { said, run });
}

/** What the controls send with: the first command brings the view back to the present. */
function commands(transport, playhead) {
  return {
    command: (command) => {
      playhead.now();
      return transport.command(command);
    },
    get live() {
      return transport.live;
    },
  };
}

/** Another queue is shown: everything follows it. */
function another(parts) {
  select(parts, null);
  parts.stage.another();
  parts.files.update();
  parts.twin.update();
  parts.charts.update();
  parts.narrative.update();
  parts.controls.update();
  parts.status.update();
}

/** Pin the target of the queue that is shown, or free it with null. */
async function setTarget(engine, session, alerts, value) {
  const names = Object.keys(session.state.queues);
  const where = names.length > 1 ? { queue: shownQueue(session.state) } : {};
  try {
    await engine.command({ do: "set", name: "target_ram_count", value, ...where });
  } catch (error) {
    alerts.flash(error.message);
  }
}

/** Explain a line of what happened, and look at its moment; with null, at the present again. */
function jump(parts, alerts, line) {
  const { playhead } = parts;
  const from = "narrative";
  if (!line) playhead.now(from);
  else if (line.number + 1 >= playhead.session.next) playhead.now(from);
  else if (!playhead.go(line.number + 1, { from })) {
    playhead.now(from);
    alerts.flash(gettext("That moment is not kept any more; its reason is."));
  }
  parts.why.pin(line);
}

/**
 * What follows the run and the playhead: the canvases every frame, the panels a little slower. Behind the present the
 * picture stays, and only the dock follows the run.
 */
function follow(parts, session) {
  const { playhead } = parts;
  const panels = throttle(PANEL_MS, () =>
    act("panels", () => {
      parts.why.update();
      parts.narrative.update();
      parts.controls.update();
      parts.stands.update();
      parts.gauges.update(playhead.state);
      parts.clients.update();
      parts.instruments.update();
      parts.hints.update();
      parts.status.update();
      parts.queues.update();
    }),
  );
  const dock = () => {
    parts.charts.update();
    act("bar", () => {
      parts.bar.update();
      parts.scrubber.update();
      parts.moment.update();
    });
    panels();
  };
  const picture = (change) => {
    parts.stage.update(change);
    parts.files.update();
    parts.twin.update();
    act("follow", () => parts.follow.update());
  };
  session.listen((change) => {
    if (!playhead.behind && (change.rows || change.kind === "snapshot")) picture(change);
    else if (!playhead.behind && session.unsynced.any) parts.files.update();
    dock();
  });
  playhead.listen((change) => {
    if (!STAYS.has(change.from)) {
      parts.why.pinned = false;
      parts.narrative.release();
    }
    parts.why.mark();
    picture(change);
    parts.moment.speak();
    dock();
  });
}

function repaint(parts) {
  parts.stage?.refresh();
  parts.files?.update();
  parts.charts?.update();
  parts.instruments?.repaint();
}

function choose(parts, playhead, target) {
  if ("click" in target) {
    const message = target.click
      ? messageAt(playhead.state, target.click.lane.name, target.click.index)
      : null;
    select(parts, message ? message.seq : null);
  } else parts.tooltip.update(target);
}

function select(parts, seq) {
  parts.stage.selected = seq;
  parts.files.selected = seq;
  showChosen(find("[data-chosen]"), seq);
  parts.follow.follow(seq);
  parts.stage.refresh();
  parts.files.update();
}

/** The socket is on the same host as the page. */
function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

start(find("#live"));
