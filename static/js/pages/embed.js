/** A run in a frame: a picture until the reader plays it, then the stage of a session that can only be played. */
import "../generations/all.js";
import { Playhead } from "../model/playhead.js";
import { Session } from "../model/session.js";
import { situation } from "../model/situation.js";
import { clock, gettext, messageOf } from "../model/text.js";
import { following, socketAddress, Transport } from "../net/transport.js";
import { icon, need, setText, show, throttle } from "../view/base/dom.js";
import { watchColors } from "../view/base/colors.js";
import { PlaceOfLink } from "../view/page/place.js";
import { StageView } from "../view/stage/stage.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 */

const PANEL_MS = 120;
const root = need("#embed");
/** @param {string} name */
const part = (name) => need(`[data-embed=${name}]`, root);
const scrub = need("[data-embed=scrub]", HTMLInputElement, root);
const data = JSON.parse(need("#embed-data").textContent);

async function start() {
  show(part("start"), false);
  wait(gettext("The engine starts …"));
  try {
    const answer = await fetch(data.start, { method: "POST", credentials: "omit", headers: { Accept: "application/json" } });
    const opened = await answer.json();
    if (!answer.ok) throw new Error(opened.error);
    play(opened.websocket);
  } catch (error) {
    wait(error instanceof TypeError || error instanceof SyntaxError ? gettext("The run cannot be started now.") : messageOf(error));
    show(part("start"), true);
  }
}

/** @param {string} text */
function wait(text) {
  setText(part("wait"), text);
  show(part("wait"), text !== "");
}

/** @param {string} websocket */
function play(websocket) {
  const session = new Session();
  const playhead = new Playhead(session);
  show(part("poster"), false);
  show(part("stage"), true);
  show(part("bar"), true);
  const stage = new StageView(need("[data-embed=stage]", HTMLCanvasElement, root), playhead);
  watchColors(() => stage.refresh());
  const listeners = following(session, {
    welcome: () => wait(""),
    notice: ({ level, message }) => level !== "info" && wait(message),
    status: (name) => name !== "live" && wait(gettext("connecting")),
  });
  const transport = new Transport(socketAddress(websocket), listeners);
  const writeSoon = throttle(PANEL_MS, () => writeStatus(playhead));
  session.listen((change) => {
    if (!playhead.behind && (change.rows || change.kind === "snapshot")) stage.update(change);
    writeSoon();
  });
  session.watchTime(() => setText(part("clock"), clock(playhead.nowUs)));
  playhead.listen((change) => {
    stage.update(change);
    writeSoon();
  });
  const place = new PlaceOfLink({ view: "", ...data.place }, true, {
    playhead,
    selection: stage.selection,
    control: (/** @type {Values} */ pace) => transport.send({ t: "control", ...pace }),
    flash: wait,
  });
  bind(playhead, transport, place);
  addEventListener("pagehide", () => transport.close());
  transport.connect();
}

/**
 * @param {Playhead} playhead
 * @param {Transport} transport
 * @param {PlaceOfLink} place
 */
function bind(playhead, transport, place) {
  const { session } = playhead;
  part("play").addEventListener("click", () => {
    if (!session.play) playhead.now();
    transport.send({ t: "control", play: !session.play });
  });
  part("back").addEventListener("click", () => playhead.back());
  part("step").addEventListener("click", () => playhead.forward() || transport.send({ t: "step" }));
  scrub.addEventListener("input", () => {
    const from = playhead.history.timeOf(playhead.history.start) ?? 0;
    playhead.toTime(from + ((session.nowUs - from) * Number(scrub.value)) / 1000);
  });
  // A frame without a moment plays by itself, since the reader pressed the button to play it.
  let began = false;
  const first = () => {
    if (!session.version || session.nowUs > 0 || !place.done || began) return;
    began = true;
    transport.send({ t: "control", play: true });
  };
  session.listen(first);
}

/** @param {Playhead} playhead */
function writeStatus(playhead) {
  const { session } = playhead;
  setText(part("clock"), clock(playhead.nowUs));
  setText(part("situation"), situation(playhead.state).text);
  const label = session.play ? gettext("Pause") : gettext("Play");
  if (part("play").getAttribute("aria-label") !== label) {
    part("play").setAttribute("aria-label", label);
    part("play").replaceChildren(icon(session.play ? "pause" : "play"));
  }
  const from = playhead.history.timeOf(playhead.history.start) ?? 0;
  const share = session.nowUs > from ? (playhead.nowUs - from) / (session.nowUs - from) : 1;
  if (document.activeElement !== scrub) scrub.value = String(Math.round(1000 * share));
}

part("start").addEventListener("click", start);
