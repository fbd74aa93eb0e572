/**
 * Files that are read in a tab of their own: one tab opens another at the same address and gives it what it was given itself. Nothing
 * of it leaves the browser.
 */

/**
 * @import { Choice } from "./inspector.js"
 */

/** @typedef {{ entries: [path: string, file: Blob][], choice: Choice }} Given files, and what is wanted of them */

const ASKS = "waterline: which files?";

/** Tabs that this one opened, with what each is given; one that is loaded again asks again. @type {Map<MessageEventSource | null, Given>} */
const opened = new Map();

/**
 * Open a tab that reads files.
 * @param {Given} given
 */
export function openApart(given) {
  if (!opened.size)
    addEventListener("message", ({ source, origin, data }) => {
      const wanted = opened.get(source);
      if (wanted && origin === location.origin && data === ASKS) source?.postMessage({ given: wanted }, { targetOrigin: origin });
    });
  const address = new URL(location.href);
  address.search = "";
  address.hash = "given";
  opened.set(window.open(address, "_blank"), given);
}

/**
 * What the tab that opened this one gives; null where none did. It never comes where that tab is gone.
 * @returns {Promise<Given> | null}
 */
export function givenByOpener() {
  const opener = window.opener;
  if (location.hash !== "#given" || !opener) return null;
  return new Promise((done) => {
    addEventListener("message", ({ source, origin, data }) => {
      if (source === opener && origin === location.origin && data.given) done(data.given);
    });
    opener.postMessage(ASKS, location.origin);
  });
}
