/** The page of a session: its engine, and the rooms of the view, built in order. Wherever the session is played, it is this one. */
import "../generations/all.js";
import "../generations/views.js";
import { showHost } from "../model/hosts.js";
import { Playhead } from "../model/playhead.js";
import { Selection } from "../model/selection.js";
import { Session } from "../model/session.js";
import { Engine } from "../net/engine.js";
import { Past } from "../net/past.js";
import { Alerts } from "../view/base/alerts.js";
import { CommandSender } from "../view/base/command-sender.js";
import { need } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { DirectoryView } from "../view/files/directory.js";
import { FilesView } from "../view/files/files.js";
import { buildPage } from "../view/page/build.js";
import { Updates } from "../view/page/updates.js";
import { addressed } from "../view/panels/vhosts.js";
import { buildPanels } from "../view/panels/build.js";
import { buildStage } from "../view/stage/build.js";
import { buildTime } from "../view/time/build.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { Host } from "../net/server.js"
 * @import { Live } from "../view/base/live.js"
 * @import { Followed } from "./followed.js"
 */

/**
 * Build the page in `root` from its data, on a host (net/server.js), and connect.
 * @param {HTMLElement} root
 * @param {Values} data
 * @param {Host} host
 */
export function openSession(root, data, host) {
  showHost(addressed());
  const session = new Session();
  const playhead = new Playhead(session);
  const selection = new Selection();
  const alerts = new Alerts(need("#alerts"));
  const engine = new Engine(host, playhead, {
    welcome: (message) => welcome(message),
    notice: ({ level, message }) => alerts.show(`notice-${level}`, level, message),
    status: (name, retryMs) => {
      panels.status.link(name, retryMs, engine.full);
      panels.controls.enable(name === "live");
    },
  });
  const past = new Past(data.urls.past, playhead, (address) => host.past(address));
  const sender = new CommandSender(playhead, engine, alerts, () => host.refusal());
  const live = { root, data, host, session, playhead, selection, engine, past, alerts, sender };
  if (host.ahead) session.endsUs = data.scenario.until_us;

  watchColors(() => updates.repaint());
  const stage = buildStage(live);
  const files = new FilesView(need("#files"), playhead, selection, { urls: data.urls, host });
  session.watch((t) => files.observe(t));
  new DirectoryView(need("#directory", HTMLDialogElement), need("[data-act=directory]"), playhead, files);
  const time = buildTime(live);
  const panels = buildPanels(live, () => {
    selection.choose(null);
    updates.another();
  });
  stage.view.explains = () => panels.why.target;
  const rooms = { stage, files, time, panels };
  const updates = new Updates(live, rooms);
  buildPage(live, rooms, () => updates.repaint());

  /** @param {Values} message the host's welcome */
  const welcome = (message) => {
    sender.welcome(message);
    panels.controls.welcome(message);
  };
  welcome(data);
  addEventListener("pagehide", () => engine.close());
  // Pages that put something beside the stage, such as an exercise, follow the same session.
  /** @type {Followed} */
  const detail = { session, engine, playhead, selection, alerts, host, stage: stage.view };
  document.dispatchEvent(new CustomEvent("waterline:live", { detail }));
  engine.connect();
}
