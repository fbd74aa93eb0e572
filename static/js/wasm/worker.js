/**
 * The engine in a Web Worker: Pyodide runs a session (`playground.hosting.solo`), which uses the socket's messages, and two
 * apps that answer questions: `given` reads files that are to be inspected (`playground.inspecting.browser_inspect`), `pages` answers
 * what a page would request from a server (`playground.browser_app`).
 * In: {prepare: place} begins to load what a page with an app needs, before the first question, and is answered by {prepared}
 * when Python runs or could not start; {begin: {run, place, lang, scenario,
 * commands, until_us}}, then {text}; without a scenario it is the start on the files that were read, and another one takes its
 * place. {id, place, app, question, args} is a question to an app. Out: {step} of the start; {message} for the page, {kept} to be remembered,
 * {failed}, each with the number of its run; {id, progress} and at last {id, answer} or {id, error, broken}.
 */
import { MODULES, contents, startPython, unpack } from "./python.js";

/**
 * @import { Values } from "../model/catalogue/types.js"
 * @import { Python } from "./python.js"
 */

/**
 * A session of Python's, and the two apps (playground/hosting/solo.py, playground/inspecting/browser_inspect.py, playground/browser_app).
 * @typedef {{ turn: () => void, wait_s: () => number, receive: (text: string) => void }} Solo
 * @typedef {(text: string) => void} Send
 * @typedef {(text: string, send: Send, keep: Send, wordsOf: (refusal: Values) => string) => Solo} Begin
 * @typedef {Record<string, (...args: unknown[]) => string> & { version: string, begin: (untilUs: number, send: Send, keep: Send) => Solo, refused: (refusal: Values, lang: string) => string }} PythonApp
 */

const LONGEST_MS = 60_000;

const SESSION = `
import json
from playground.hosting.session_record import RecordedSession
from playground.hosting.solo import SoloSession

def begin(text, send, keep, words_of):
    start = json.loads(text)
    commands = [tuple(each) for each in start["commands"]]
    record = RecordedSession(start["scenario"], commands, start["until_us"], recorded_by=start.get("made_with", ""))
    return SoloSession(record, send, keep, words_of=words_of, watched=start.get("watched", False))
begin
`;
const GIVEN = `
from playground.inspecting.browser_inspect import InspectSession
InspectSession()
`;
const PAGES = `
from pathlib import Path
from playground.browser_app import begin as begin_app
begin_app(Path("${MODULES}"))
from playground.browser_app import browser_app
browser_app
`;

/** @type {Promise<Python> | null} */
let python = null;
/** @type {Promise<ArrayBuffer> | null} the archive of the pages' app */
let packed = null;
/** Apps that were opened, by name; each with the first question. @type {Record<string, Promise<PythonApp>>} */
const apps = {};
/** @type {PythonApp | null} the app of the pages, as soon as it is there: it has refusals in the reader's language */
let pages = null;
/** @type {Solo | null} the session, as soon as it runs */
let solo = null;
let timer = 0;
/** @type {string[]} what came before the session ran */
let early = [];

/** @param {string} place */
function started(place) {
  python ??= startPython(place, (step) => postMessage({ step }));
  return python;
}

/**
 * The archive of the pages' app; it is fetched once.
 * @param {string} place
 */
function archive(place) {
  packed ??= contents(`${place}browser_app.zip`);
  return packed;
}

/**
 * @param {string} name
 * @param {string} place
 * @returns {Promise<PythonApp>}
 */
async function openBrowserApp(name, place) {
  const running = await started(place);
  if (name === "given") return running.runPython(GIVEN);
  unpack(running, await archive(place));
  /** @type {PythonApp} */
  const app = running.runPython(PAGES);
  pages = app;
  return app;
}

/**
 * @param {string} name
 * @param {string} place
 */
function appOf(name, place) {
  apps[name] ??= openBrowserApp(name, place);
  return apps[name];
}

/**
 * Let the session work until it has to wait.
 * @param {Solo} session
 */
function work(session) {
  clearTimeout(timer);
  for (let turns = 0; turns < 20 && session.wait_s() <= 0; turns += 1) session.turn();
  const waitMs = session.wait_s() * 1000;
  if (waitMs < LONGEST_MS) timer = setTimeout(() => turn(session), waitMs);
}

/** @param {Solo} session */
function turn(session) {
  session.turn();
  work(session);
}

/** @param {Values} start */
async function begin({ run, place, lang, ...start }) {
  clearTimeout(timer);
  solo = null;
  early = [];
  const running = await started(place);
  /** Refusals from before the app of the pages is there, which has the words; messages with them wait for it. @type {Values[]} */
  const untold = [];
  /** @type {string[]} */
  const held = [];
  /** @type {Send} */
  const send = (message) => {
    if (untold.length && /^{"t":"(notice|refused)"/.test(message)) held.push(message);
    else postMessage({ run, message });
  };
  /** @type {Send} */
  const keep = (kept) => postMessage({ run, kept });
  /** @param {Values} refusal */
  const wordsOf = (refusal) => {
    if (pages && lang) return pages.refused(refusal, lang);
    if (lang) untold.push(refusal.copy());
    return refusal.text || refusal.code;
  };
  /** @type {Solo} */
  const session = start.scenario
    ? /** @type {Begin} */ (running.runPython(SESSION))(JSON.stringify(start), send, keep, wordsOf)
    : (await appOf("given", place)).begin(start.until_us, send, keep);
  solo = session;
  postMessage({ run, ready: true });
  for (const text of early.splice(0)) session.receive(text);
  work(session);
  if (!lang) return;
  const app = await appOf("pages", place);
  const refusals = untold.splice(0);
  for (const text of held) {
    const told = JSON.parse(text);
    const refusal = refusals.find(({ code }) => code === told.message);
    postMessage({ run, message: JSON.stringify(refusal ? { ...told, message: app.refused(refusal, lang) } : told) });
  }
}

/**
 * Put a question to an app; what is no text goes there as Python's own bytes and dicts.
 * @param {Values} question
 */
async function answer({ id, place, app: name, question, args }) {
  const running = await started(place);
  const app = await appOf(name, place);
  if (name === "given") app.report_to((/** @type {string} */ text) => postMessage({ id, progress: JSON.parse(text) }));
  postMessage({ id, answer: question ? JSON.parse(app[question](...args.map((/** @type {unknown} */ each) => running.toPy(each)))) : app.version });
}

/** @param {unknown} error what was thrown, here or in Python */
function words(error) {
  return String(error instanceof Error ? error.message : error).slice(-500);
}

/**
 * Whether Python may be of no use any more: what it raises itself, it survives; its memory or its stack beyond what a browser has, not.
 * @param {unknown} error
 */
function isBroken(error) {
  return python !== null && error instanceof Error && error.name !== "PythonError";
}

addEventListener("message", ({ data }) => {
  if (data.prepare) {
    // A failure is reported to the next request that needs it.
    started(data.prepare).then(() => archive(data.prepare)).catch(() => {});
    started(data.prepare).catch(() => {}).then(() => postMessage({ prepared: true }));
  } else if (data.question !== undefined) answer(data).catch((error) => postMessage({ id: data.id, error: words(error), broken: isBroken(error) }));
  else if (data.begin) begin(data.begin).catch((error) => postMessage({ run: data.begin.run, failed: words(error) }));
  else if (!solo) early.push(data.text);
  else {
    solo.receive(data.text);
    work(solo);
  }
});
