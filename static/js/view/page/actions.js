/** All actions of the live page under their names, for the palette. */
import { declaredQueues } from "../../model/messages.js";
import { goneIn } from "../../model/places.js";
import { PRESETS } from "../../model/presets.js";
import { conditionsOf } from "../../model/until.js";
import { fill, gettext } from "../../model/text.js";
import { find, findAll, need } from "../base/dom.js";
import { toggleContrast, toggleTheme } from "../base/theme.js";

/**
 * @import { Values } from "../../model/catalogue/types.js"
 * @import { Playhead } from "../../model/playhead.js"
 * @import { Action } from "./command-palette.js"
 * @import { AllRooms, Page, Rooms } from "./rooms.js"
 */

/**
 * Actions as they are now. `page` has what goes beyond single parts: undo(), fork(), present().
 * @param {AllRooms} rooms
 * @param {Playhead} playhead
 * @returns {Action[]}
 */
export function actionsOf({ time, panels, page }, playhead) {
  const off = !page.may();
  return [
    ...running(time, playhead, off),
    ...(page.changes ? commanding(panels, page, off) : []),
    ...looking(panels, page, playhead),
    ...(page.changes ? leaving(page) : []),
  ];
}

/**
 * @param {Rooms["time"]} time
 * @param {Playhead} playhead
 * @param {boolean} off
 * @returns {Action[]}
 */
function running({ bar, until }, playhead, off) {
  const speeds = findAll("[data-speed]").map((button) => ({
    title: fill(gettext("Speed %(speed)s"), { speed: button.textContent }),
    run: () => button.click(),
    off,
  }));
  return [
    { title: bar.session.play ? gettext("Pause the run") : gettext("Let the run go on"), key: "Space", words: "play pause", run: () => bar.toggle(), off },
    { title: gettext("One transition on"), key: "\u2192", run: () => bar.step(), off },
    { title: gettext("One transition back"), key: "\u2190", run: () => playhead.back() },
    { title: gettext("Previous event"), key: "Shift \u2190", run: () => playhead.event(-1) },
    { title: gettext("Next event"), key: "Shift \u2192", run: () => playhead.event(1) },
    { title: gettext("The beginning of the run"), key: "Home", run: () => playhead.home() },
    { title: gettext("Back to now"), key: "End", run: () => playhead.now() },
    ...Object.entries(conditionsOf(playhead.session.state)).map(([name, { text }]) => ({
      title: fill(gettext("Run until: %(what)s"), { what: text() }),
      off,
      run: () => {
        until.select.value = name;
        if (until.until.name) until.until.cancel();
        until.toggle();
      },
    })),
    ...speeds,
  ];
}

/**
 * @param {Rooms["panels"]} panels
 * @param {Page} page
 * @param {boolean} off
 * @returns {Action[]}
 */
function commanding({ controls, clients, topology }, page, off) {
  const press = (/** @type {string} */ selector) => () => find(selector, controls.root)?.click();
  const send = (/** @type {Values} */ command) => () => controls.send(command);
  /** @type {[mode: string, title: string][]} */
  const modes = goneIn(controls.session.state.node.settings).queue_mode
    ? []
    : [["lazy", gettext("Queue mode: lazy")], ["default", gettext("Queue mode: default")]];
  return [
    { title: gettext("Undo the last command"), key: "U", run: page.undo, off },
    { title: gettext("Publish a burst"), key: "P", run: () => controls.publish(), off },
    { title: gettext("Publish steadily, or stop"), run: press("[data-act=stream]"), off },
    { title: gettext("Consume steadily, or stop"), run: press("[data-act=consume]"), off },
    { title: gettext("Add a publisher"), run: () => clients.add("publisher"), off },
    { title: gettext("Add a consumer"), run: () => clients.add("consumer"), off },
    ...Object.entries(PRESETS).map(([name, { text }]) => ({
      title: fill(gettext("Messages: %(kind)s"), { kind: text() }),
      run: () => controls.preset(name),
      off,
    })),
    { title: gettext("Get messages by hand"), run: press("[data-act=get]"), off },
    { title: gettext("Purge the queue"), run: press("[data-act=purge]"), off },
    ...modes.map(([mode, title]) => ({ title, run: press(`[data-mode=${mode}]`), off })),
    { title: gettext("Queues, exchanges, bindings, policies"), words: "topology declare bind", run: () => topology.open(), off },
    { title: gettext("Restart the node in order"), words: "restart", run: () => controls.restart("clean"), off },
    { title: gettext("Kill the node (kill -9)"), words: "restart crash", run: () => controls.restart("kill"), off },
    { title: gettext("Pull the plug"), words: "power restart crash", run: () => controls.restart("power"), off },
    ...declaredQueues(controls.session.state).map((queue) => ({
      title: fill(gettext("Kill the process of queue %(queue)s"), { queue }),
      run: send({ do: "kill_queue", queue }),
      off,
    })),
  ];
}

/**
 * @param {Rooms["panels"]} panels
 * @param {Page} page
 * @param {Playhead} playhead
 * @returns {Action[]}
 */
function looking({ instruments, console: operator, queues }, page, playhead) {
  return [
    { title: gettext("Instruments"), key: "I", words: "charts plots memory disk credit", run: () => instruments.toggle() },
    ...(page.changes ? [{ title: gettext("Console"), key: "C", words: "rabbitmqctl", run: () => operator.toggle() }] : []),
    { title: gettext("Why?"), key: "W", run: () => need("#why").focus() },
    ...(page.firstPaging.at !== null ? [{ title: gettext("Watch the first paging again"), words: "replay sink slow", run: () => page.firstPaging.again() }] : []),
    ...Object.keys(playhead.session.state.queues).map((queue) => ({
      title: fill(gettext("Show queue %(queue)s"), { queue }),
      run: () => queues.choose(queue),
    })),
    { title: gettext("Presentation: large type, nothing beside"), key: "B", words: "projector beamer fullscreen", run: page.present },
    { title: gettext("Light or dark"), key: "T", words: "theme", run: toggleTheme },
    { title: gettext("More contrast, or less"), words: "high contrast accessibility", run: toggleContrast },
    { title: gettext("Keyboard and help"), key: "?", run: () => need("#help-dialog", HTMLDialogElement).showModal() },
    ...(page.changes ? [{ title: gettext("Take the tour in a new session"), words: "guide help", run: page.startTour }] : []),
  ];
}

/**
 * @param {Page} page
 * @returns {Action[]}
 */
function leaving(page) {
  const go = (/** @type {string} */ address) => () => location.assign(address);
  const languages = findAll("#language option", HTMLOptionElement).map((option) => ({
    title: fill(gettext("Language: %(name)s"), { name: option.textContent }),
    words: option.value,
    run: () => {
      option.selected = true;
      need("[data-language-form]", HTMLFormElement).submit();
    },
  }));
  return [
    { title: gettext("Share this moment"), key: "S", words: "link permalink", run: page.share },
    { title: gettext("Fork: go on from this moment in a new session"), key: "F", run: page.fork },
    { title: gettext("Compare: change one thing from this moment on"), words: "fork difference", run: page.compare },
    { title: gettext("Export the scenario"), words: "download json", run: go(page.urls.scenario) },
    { title: gettext("Export, as a page that works offline"), words: "download html file share", run: go(page.urls.page) },
    { title: gettext("Download all files"), words: "zip archive", run: go(page.urls.archive) },
    ...findAll("header nav a", HTMLAnchorElement).map((link) => ({ title: fill(gettext("Go to %(page)s"), { page: link.textContent }), run: go(link.href) })),
    ...languages,
  ];
}
