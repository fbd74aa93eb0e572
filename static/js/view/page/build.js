/** What goes beyond single parts, in order: sharing, the place of a link, leader lines, tour, undo, fork, palette and keys. */
import { gettext, messageOf } from "../../model/text.js";
import { find, need } from "../base/dom.js";
import { togglePresentation } from "../base/theme.js";
import { actionsOf } from "./actions.js";
import { FirstPaging } from "./first-paging.js";
import { CommandPalette } from "./command-palette.js";
import { bindKeys } from "./keys.js";
import { later } from "./later.js";
import { PlaceOfLink, placeNow } from "./place.js";
import { Theatre } from "./theatre.js";
import { Tour } from "./tour.js";
import { Journey } from "./journey.js";
import { LeaderLine } from "./leader-line.js";

/**
 * @import { Host } from "../../net/server.js"
 * @import { Live } from "../base/live.js"
 * @import { Controls } from "../panels/controls.js"
 * @import { Rooms } from "./rooms.js"
 */

/**
 * Build the room from what the page shares and the rooms below. `repaint()` draws everything again.
 * @param {Live} live
 * @param {Rooms} rooms
 * @param {() => void} repaint
 */
export function buildPage(live, rooms, repaint) {
  const { root, data, host, playhead, selection, engine, past, alerts } = live;
  const { stage, files, panels } = rooms;
  const fork = need("[data-fork]", HTMLFormElement, root);
  fork.addEventListener("submit", () => {
    need("[name=at_us]", HTMLInputElement, fork).value = playhead.behind ? String(playhead.nowUs) : "";
  });
  const sharing = later(alerts, async () => {
    const { Sharing } = await import("./at-need.js");
    return new Sharing(need("#share-dialog", HTMLDialogElement), live, stage.view, () => placeNow(live));
  });
  const theatre = new Theatre(need("[data-theatre]", root), live, stage.view, (command) =>
    panels.controls.send(command, "queue"),
  );
  const present = () => {
    togglePresentation();
    repaint();
    stage.view.refresh({ instant: true });
  };
  const page = {
    urls: /** @type {Record<string, string>} */ (data.urls),
    /** Whether this reader may change the run now. */
    may: () => panels.controls.owner && engine.live && !document.body.classList.contains("is-held"),
    changes: !host.refusal(),
    undo: () => takeBack(live, panels.controls),
    fork: () => {
      const refusal = host.refusal();
      if (refusal) alerts.flash(refusal);
      else fork.requestSubmit();
    },
    compare: () => location.assign(`${data.urls.compare}&at_s=${(playhead.nowUs / 1e6).toFixed(3)}&more_s=10`),
    share: async () => (await sharing())?.open(),
    present,
    startTour: () => need("[data-start-tour]", HTMLFormElement).requestSubmit(),
    clear: () => {
      selection.choose(null);
      if (panels.narrative.picked !== null) panels.narrative.choose(panels.narrative.picked);
    },
    leader: new LeaderLine(need("[data-leader]", SVGSVGElement, root), root, stage.view, files, selection),
    journey: new Journey(need("[data-life]", root), live, rooms),
    tour: new Tour(live, stage.view),
    firstPaging: new FirstPaging(live, stage.view),
    place: new PlaceOfLink(data.place, data.owner, {
      playhead,
      selection,
      past,
      // A link to a moment passes over predictions that have not been answered yet.
      control: (pace) => engine.transport.send({ t: "control", ...pace, ...(host.ahead && { at_once: true }) }),
      flash: (text) => alerts.flash(text),
    }),
  };
  panels.controls.restart = (kind) => theatre.open(kind);
  offerLinks(host);
  find("[data-act=share]", root)?.addEventListener("click", page.share);
  document.addEventListener("click", async (event) => {
    if (event.target instanceof Element && event.target.closest("[data-act=copy-moment]")) (await sharing())?.copyMoment();
  });
  const all = { ...rooms, page };
  const palette = new CommandPalette(need("#palette-dialog", HTMLDialogElement), () => actionsOf(all, playhead));
  need("[data-act=palette]").addEventListener("click", () => palette.open());
  need("[data-act=present]").addEventListener("click", present);
  need("[data-act=undo]", root).addEventListener("click", page.undo);
  need("[data-act=help]").addEventListener("click", () => need("#help-dialog", HTMLDialogElement).showModal());
  bindKeys(all, live);
  beginTour(live, page.tour);
  return page;
}

/**
 * Take the last command back: the host runs everything again without it, and reports that.
 * @param {Live} live
 * @param {Controls} controls
 */
async function takeBack({ engine, alerts }, controls) {
  try {
    await engine.undo();
    controls.forgive();
  } catch (error) {
    const message = messageOf(error);
    const offline = message === "offline" || message === "timeout";
    alerts.show("undo", "limit", offline ? gettext("The engine is not connected. The page tries again by itself.") : message);
  }
}

/**
 * Of a run that no link leads to only pictures can be taken away.
 * @param {Host} host
 */
export function offerLinks({ share }) {
  document.body.classList.toggle("has-no-link", !share);
}

/**
 * Begin the tour as soon as the engine is there, if the address contains it.
 * @param {Live} live
 * @param {Tour} tour
 */
function beginTour({ data, session }, tour) {
  if (!data.owner || !new URLSearchParams(location.search).has("tour")) return;
  history.replaceState(null, "", location.pathname);
  let started = false;
  session.listen(({ kind }) => {
    if (started || kind !== "snapshot") return;
    started = true;
    need("#hints").hidden = true;
    tour.start();
  });
}
