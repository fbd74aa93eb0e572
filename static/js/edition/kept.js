/** Command logs of sessions that the reader's browser plays, in IndexedDB; where that is forbidden nothing is remembered. */

/** @import { Values } from "../model/catalogue/types.js" */

const NAME = "waterline";
const STORE = "logs";
/** Under this name a tab keeps the key of its learner: several learners of a platform may use one browser. */
const WHO = "waterline-who";
/** Under this name a tab keeps which log its next page goes on with. */
const GOES_ON = "waterline-goes-on";

/**
 * Keep apart from now on what this learner does, in this tab.
 * @param {string} who
 */
export function keepFor(who) {
  try {
    sessionStorage.setItem(WHO, who);
  } catch {
    // Where nothing may be kept there is nothing to keep apart.
  }
}

/**
 * Let the page that opens next in this tab go on with the commands of this log.
 * @param {string} name
 */
export function goOnWith(name) {
  try {
    sessionStorage.setItem(GOES_ON, name);
  } catch {
    // Where nothing may be kept the next page has the run as it began.
  }
}

/** The log that this page goes on with, named once by the page before it; "" where there is none. */
export function goesOnWith() {
  try {
    const name = sessionStorage.getItem(GOES_ON) ?? "";
    sessionStorage.removeItem(GOES_ON);
    return name;
  } catch {
    return "";
  }
}

function ownName() {
  try {
    const who = sessionStorage.getItem(WHO);
    return who ? `${NAME} ${who}` : NAME;
  } catch {
    return NAME;
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function resultOf(request) {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}

async function opened() {
  const request = indexedDB.open(ownName(), 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return resultOf(request);
}

/**
 * The log of a session: {commands, until_us}, or null.
 * @param {string} session
 * @returns {Promise<Values | null>}
 */
export async function kept(session) {
  try {
    const database = await opened();
    return (await resultOf(database.transaction(STORE).objectStore(STORE).get(session))) ?? null;
  } catch {
    return null;
  }
}

/**
 * What remembers the log of a session.
 * @param {string} session
 * @returns {(log: Values) => Promise<void>}
 */
export function keeper(session) {
  return async (log) => {
    try {
      const database = await opened();
      await resultOf(database.transaction(STORE, "readwrite").objectStore(STORE).put(log, session));
    } catch {
      // The session goes on; a reload begins it anew.
    }
  };
}

/**
 * Forget the log of a session.
 * @param {string} session
 */
export async function forget(session) {
  try {
    const database = await opened();
    await resultOf(database.transaction(STORE, "readwrite").objectStore(STORE).delete(session));
  } catch {
    // There was nothing to forget.
  }
}

/**
 * All that is kept under names that begin so, by the rest of the name.
 * @param {string} begin
 * @returns {Promise<Values>}
 */
export async function keptAll(begin) {
  try {
    const database = await opened();
    const store = database.transaction(STORE).objectStore(STORE);
    const [names, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
    const rows = names.map((name, at) => [String(name), values[at]]);
    return Object.fromEntries(rows.filter(([name]) => name.startsWith(begin)).map(([name, value]) => [name.slice(begin.length), value]));
  } catch {
    return {};
  }
}
