/** The live page: one session, its engine, and the rooms of the view, built in order. */
import { Playhead } from "../model/playhead.js";
import { Selection } from "../model/selection.js";
import { Session } from "../model/session.js";
import { Engine } from "../net/engine.js";
import { Past } from "../net/past.js";
import { Alerts } from "../view/base/alerts.js";
import { find } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { DirectoryView } from "../view/files/directory.js";
import { FilesView } from "../view/files/files.js";
import { buildPage } from "../view/page/build.js";
import { Updates } from "../view/page/updates.js";
import { buildPanels } from "../view/panels/build.js";
import { buildStage } from "../view/stage/build.js";
import { buildTime } from "../view/time/build.js";

function start(root) {
  const data = JSON.parse(find("#live-data").textContent);
  const session = new Session();
  const playhead = new Playhead(session);
  const selection = new Selection();
  const alerts = new Alerts(find("#alerts"));
  const engine = new Engine(socketAddress(data.websocket), playhead, {
    welcome: (message) => panels.controls.welcome(message),
    notice: ({ level, message }) => alerts.show(`notice-${level}`, level, message),
    status: (name, retryMs) => {
      panels.status.link(name, retryMs);
      panels.controls.enable(name === "live");
    },
  });
  const past = new Past(data.urls.past, playhead);
  const live = { root, data, session, playhead, selection, engine, past, alerts };

  watchColors(() => updates.repaint());
  const stage = buildStage(live);
  const files = new FilesView(find("#files"), playhead, selection, data.urls);
  new DirectoryView(find("#directory"), find("[data-act=directory]"), playhead, files);
  const time = buildTime(live);
  const panels = buildPanels(live, () => {
    selection.choose(null);
    updates.another();
  });
  const rooms = { stage, files, time, panels };
  const updates = new Updates(live, rooms);
  buildPage(live, rooms, () => updates.repaint());

  panels.controls.welcome(data);
  addEventListener("pagehide", () => engine.close());
  // Pages that put something beside the stage, such as an exercise, follow the same session.
  document.dispatchEvent(new CustomEvent("waterline:live", { detail: { session, engine, playhead, stage: stage.view } }));
  engine.connect();
}

/** The socket is on the same host as the page. */
function socketAddress(path) {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
}

start(find("#live"));
