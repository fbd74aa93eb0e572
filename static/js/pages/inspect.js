/** Inspect: files are read in this browser where the engine can run here, else on the server, after the reader has agreed. */
import "../generations/all.js";
import "../generations/views.js";
import { progressWords, unreadableWords } from "../model/inspect-words.js";
import { showQueue } from "../model/shown.js";
import { bytes, fill, gettext, messageOf, ngettext, number } from "../model/text.js";
import { givenByOpener, openApart } from "../net/apart.js";
import { OwnReader, ServerReader, Unreadable } from "../net/inspector.js";
import { WorkerBroken } from "../net/questions.js";
import { around, csrfToken, el, find, findAll, listenerOf, need, required, setText, show } from "../view/base/dom.js";
import { watchFiles } from "../view/inspect/drop.js";
import { listingCards } from "../view/inspect/figures.js";
import { report } from "../view/inspect/report.js";
import { settingsCard } from "../view/inspect/settings.js";
import { topologyCard } from "../view/inspect/topology.js";
import { vhostsCard } from "../view/inspect/vhosts.js";
import { openSession } from "./session-page.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { FilesAnswer, SettingsAnswer, TopologyAnswer } from "../model/inspect-words.js"
 * @import { Choice, Reader, OnStep, TextAnswer } from "../net/inspector.js"
 * @import { Host } from "../net/server.js"
 * @import { Followed } from "./followed.js"
 */

const MIB = 1 << 20;
/** The time between two tries to connect the session. */
const AGAIN_MS = 200;
/** @type {Record<"at_us" | "number" | "msg", number | null> & { view: string }} */
const NOWHERE = { at_us: null, number: null, msg: null, view: "" };
const page = JSON.parse(need("#inspect-data").textContent);
const live = JSON.parse(need("#live-data").textContent);
const status = find("[data-reader]");
const answerPlace = need("#inspect-answer");
const [files, listing, definitions] = ["files", "listing", "definitions"].map((each) => need(`[data-inspect=${each}]`, HTMLFormElement));
const examples = need("[data-examples]");

need("[data-day]", HTMLInputElement).defaultValue = new Date().toISOString().slice(0, 10);

/** @type {Reader | null} who reads */
let reader = null;

/** The engine in this browser, or the reason why it is not to be had. */
async function own() {
  if (page.outdated) return gettext("The engine that this server has for browsers is older than the server.");
  if (!page.worker) return gettext("This server has no engine for browsers.");
  try {
    const found = new OwnReader(new Worker(new URL(page.worker, location.href), { type: "module" }), new URL(page.place, location.href).href);
    const version = await found.ready();
    if (version === live.engine) return found;
    return fill(gettext("The engine for browsers is version %(other)s, and this page has %(version)s."), { other: version, version: live.engine });
  } catch (error) {
    return fill(gettext("The engine did not start in this browser: %(error)s"), { error: messageOf(error) });
  }
}

/**
 * Take the reader that was found, or the server instead of it, and show which one it is.
 * @param {OwnReader | string} found
 */
function choose(found) {
  if (typeof found !== "string") reader = found;
  else if (page.server) reader = new ServerReader(page.server, csrfToken);
  document.body.dataset.reads = reader ? (reader.own ? "here" : "there") : "nowhere";
  const instead = gettext("So the server reads your files, once you press the button that sends them.");
  if (reader?.own) setText(status, gettext("The engine runs in this browser. What you give is read here and never leaves this machine; you may go offline now."));
  else setText(status, `${found} ${reader ? instead : ""}`);
}

/** @param {WorkerBroken} error */
function brokenWords(error) {
  return fill(gettext("Reading these files ended the engine in this browser (%(error)s). The engine starts again. Give one queue and its store."), { error: error.message });
}

/**
 * Send a question to the reader of files, and show the answer: `shown(answer, by)` makes the elements.
 * @template T
 * @param {(by: Reader, onStep: OnStep) => Promise<T>} question
 * @param {(answer: T, by: Reader) => Element[]} shown
 */
async function request(question, shown) {
  const by = reader;
  if (!by || "requesting" in document.body.dataset) return; // one question at a time
  document.body.dataset.requesting = "";
  const step = el("p.mid", { role: "status" }, gettext("Reading …"));
  const detail = el("p.help.mono", {});
  const stop = el("button.btn.small", { type: "button", onclick: () => by.stop() }, gettext("Stop reading"));
  answerPlace.replaceChildren(step, detail, stop);
  /** @type {OnStep} */
  const onStep = (progress) => {
    const [words, far] = progressWords(progress);
    if (step.textContent !== words) setText(step, words); // a screen reader reads it again whenever it is set
    setText(detail, far);
  };
  try {
    answerPlace.replaceChildren(...shown(await question(by, onStep), by));
    find("h2[tabindex]", answerPlace)?.focus();
  } catch (error) {
    const broken = error instanceof WorkerBroken;
    const words = error instanceof Unreadable ? unreadableWords(error.code, error.values, page.sentences) : broken ? brokenWords(error) : messageOf(error);
    answerPlace.replaceChildren(el("p.error", { role: "alert" }, words));
    if (broken) by.stop();
    if (by.own && by.stopped) choose(await own());
  } finally {
    delete document.body.dataset.requesting;
  }
}

/**
 * The page of a session, below the report; there is one in the life of this page.
 * @param {Host} host
 * @param {Values} data
 */
function open(host, data) {
  const root = need("#live");
  document.body.className = `live-page inspect-page is-answered ${host.ahead ? "is-recorded" : "is-static"}`;
  const stage = need("#inspect-live");
  show(stage, true);
  // What plays the stage stays at the edge of a phone, but not over a report that is far above the stage.
  new IntersectionObserver(([{ isIntersecting }]) => document.body.classList.toggle("is-far", !isIntersecting)).observe(stage);
  openSession(root, { ...live, ...data }, host);
}

/**
 * What opens a scenario where it can be kept and shared; it goes to the server, without any content.
 * @param {Values | null} scenario
 */
function importForm(scenario) {
  if (!page.importing || !scenario) return null;
  const title = gettext("The same messages in the same order, in a session of your own on the server; seq_ids begin at 0. Names and sizes are sent there, contents are not.");
  return el("form", { method: "post", action: page.importing },
    el("input", { type: "hidden", name: "csrfmiddlewaretoken", value: csrfToken() }),
    el("input", { type: "hidden", name: "text", value: JSON.stringify(scenario) }),
    el("button.btn.small", { title }, gettext("Open as a scenario")));
}

const others = () => el("a.btn.small", { href: "" }, gettext("Read others"));

/**
 * @param {FilesAnswer} answer
 * @param {Reader} by
 * @param {(target: string, stopped?: boolean) => void} step
 */
function directoryShown(answer, by, step) {
  const { started } = answer;
  document.body.classList.add("is-answered");
  if (started) {
    // Of many queues the one with the most messages: an empty one shows nothing of the start.
    showQueue(answer.queues.toSorted((a, b) => (b.back ?? 0) - (a.back ?? 0))[0]?.name ?? null);
    const at = by.own ? null : started.at_us;
    const data = { scenario: started.scenario, place: { ...NOWHERE, at_us: at } };
    document.addEventListener("waterline:live", ({ detail }) => by.own && watchTheStart(detail, started), { once: true });
    open(by.start(started), data);
  }
  return [report(answer, by, page, [importForm(answer.begun), others()], step)];
}

/** The day of the start in seconds since 1970, by which messages expire; 0 for now. */
function dayOfStart() {
  const { value, defaultValue } = need("[data-day]", HTMLInputElement);
  return value === defaultValue ? 0 : (Date.parse(value) || 0) / 1000;
}

/**
 * Read files; if they are of several virtual hosts, of the one that the reader chooses.
 * @param {Promise<[path: string, file: Blob][]>} entries
 * @param {Choice} [wished]
 */
function readDirectory(entries, wished = {}) {
  const choice = { day: dayOfStart(), ...wished };
  const again = (/** @type {string} */ vhost) => readDirectory(entries, { ...choice, vhost });
  const step = async (/** @type {string} */ target, stopped = false) => openApart({ entries: await entries, choice: { ...choice, target, stopped } });
  request(async (by, onStep) => by.directory(await entries, choice, onStep), (answer, by) => ("vhosts" in answer ? [vhostsCard(answer.vhosts, again)] : directoryShown(answer, by, step)));
}

/**
 * Keep what was chosen, say how much it is, and send it when the reader presses the button: that is the consent.
 * @param {Promise<[path: string, file: Blob][]>} entries
 */
async function askToSend(entries) {
  const found = await entries;
  const size = found.reduce((whole, [, file]) => whole + file.size, 0);
  const values = { files: number(found.length), size: bytes(size) };
  const send = el("button.btn.primary", { type: "button", onclick: () => readDirectory(Promise.resolve(found)) }, gettext("Send to this server and read"));
  need("[data-send]").replaceChildren(
    el("p", {}, fill(ngettext("%(files)s file is chosen, %(size)s. It is not kept; what the report lists of it, without any message's content, stays in this server's memory for ten minutes, so that your next choice is quick.", "%(files)s files are chosen, %(size)s. They are not kept; what the report lists of them, without any message's content, stays in this server's memory for ten minutes, so that your next choice is quick.", found.length), values)),
    size > page.most_sent * MIB ? el("p.error", { role: "alert" }, fill(gettext("That may be too much: a server reads %(most)s MiB, unpacked. waterline-inspect.pyz reads any size on the node itself."), { most: number(page.most_sent) })) : "",
    send);
  send.focus();
}

/**
 * Files that this server has as a zip which anybody can have: a session's, or an example.
 * @param {string} address
 * @param {string} missing what to say where they are not there
 * @returns {Promise<[path: string, file: Blob][]>}
 */
async function filesAt(address, missing) {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) throw new Error(missing);
  return [["files.zip", await answer.blob()]];
}

/** Read at once what this page was opened for: the files of a session, or those that another tab gives. */
async function readWhatIsKnown() {
  if (page.session) {
    const gone = gettext("The session sleeps or is gone, and has no files now. Open it, and try again.");
    readDirectory(filesAt(page.session.archive, gone), page.session.choice);
    return;
  }
  const given = await givenByOpener();
  if (given) readDirectory(Promise.resolve(given.entries), given.choice);
}

/**
 * The start passes once, and then time stands still: before a stop or a policy that comes behind it. A recorded one is shown there.
 * @param {Followed} page
 * @param {Exclude<FilesAnswer["started"], false>} started
 */
function watchTheStart({ engine }, { at_us: at }) {
  const begin = () => engine.control({ play: true, speed: 1, until_us: at }) || setTimeout(begin, AGAIN_MS);
  begin();
}

/**
 * The button that plays a scenario on this page, where the engine runs here.
 * @param {Values | null} scenario
 * @param {Reader} by
 */
function playHere(scenario, by) {
  return by.own && scenario
    ? el("button.btn.primary.small", { type: "button", onclick: (/** @type {Event} */ event) => (listenerOf(event, HTMLButtonElement).remove(), open(by.host(scenario, 0), { scenario, place: NOWHERE })) }, gettext("Play with it here"))
    : null;
}

/**
 * @param {SettingsAnswer} answer
 * @param {Reader} by
 */
function settingsShown(answer, by) {
  return [settingsCard(answer, page.sentences, [playHere(answer.scenario, by), importForm(answer.scenario), others()])];
}

/**
 * @param {TopologyAnswer} answer
 * @param {Reader} by
 */
function topologyShown(answer, by) {
  return [topologyCard(answer, page.sentences, [playHere(answer.scenario, by), importForm(answer.scenario), others()])];
}

/**
 * A pasted text by what it is.
 * @param {TextAnswer} answer
 * @param {Reader} by
 */
function textShown(answer, by) {
  if ("outcomes" in answer) return topologyShown(answer, by);
  if ("settings" in answer) return settingsShown(answer, by);
  return [...listingCards(answer), ...(answer.environment ? settingsShown(answer.environment, by) : [])];
}

/**
 * Read definitions.
 * @param {Blob} file
 */
function readTopology(file) {
  request((by) => by.topology(file), (answer, by) => topologyShown(answer, by));
}

/**
 * A button that copies a command, and says so.
 * @param {HTMLElement} command
 */
function copyButton(command) {
  return el("button.btn.small", { type: "button", onclick: async (/** @type {Event} */ event) => {
    await navigator.clipboard.writeText(command.textContent ?? "");
    setText(listenerOf(event, HTMLButtonElement), gettext("Copied"));
  } }, gettext("Copy"));
}
if (navigator.clipboard) for (const command of findAll("[data-command]")) command.after(copyButton(command));

// A file that is dropped beside the forms, or before they open, would take this page's place.
for (const name of ["dragover", "drop"])
  addEventListener(name, (event) => {
    if (event instanceof DragEvent && event.dataTransfer?.types.includes("Files") && !around(event, "[type=file]")) event.preventDefault();
  });
watchFiles(files, (entries) => {
  if (reader && !reader.own) askToSend(entries);
  else readDirectory(entries);
});
listing.addEventListener("submit", (event) => {
  event.preventDefault();
  request((by) => by.listing(need("textarea", HTMLTextAreaElement, listing).value), textShown);
});
for (const button of findAll("[data-example]", examples))
  button.addEventListener("click", () => readDirectory(filesAt(button.dataset.example ?? "", gettext("The example cannot be loaded; is this page offline?"))));
definitions.addEventListener("submit", (event) => {
  event.preventDefault();
  readTopology(required(need("input[type=file]", HTMLInputElement, definitions).files?.[0], "the file"));
});

// A font that only Greek letters need would otherwise be loaded after files were given, and the page promises that nothing leaves it then.
Promise.all([own(), document.fonts.load("12px Inter", "\u03b1")]).then(([found]) => {
  choose(found);
  for (const part of [files, listing, definitions, examples]) part.removeAttribute("inert");
  readWhatIsKnown();
});
