/**
 * The worker of a page with a session: its engine loads while the page's other scripts are still on their way, as this one
 * waits for no other.
 */
export const worker = new Worker(new URL("../wasm/worker.js", import.meta.url), { type: "module" });
worker.postMessage({ prepare: new URL("../../../wasm/", import.meta.url).href });
