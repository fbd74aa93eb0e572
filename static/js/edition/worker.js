/** The worker of a page of the static edition. */
import { BrowserApp } from "../net/browser-app.js";
import { root } from "./page.js";

const own = () => new Worker(new URL("../wasm/worker.js", import.meta.url), { type: "module" });

/** Begin to load the engine, unless a worker does so already. */
export function openBrowserApp(make = own) {
  const lang = document.documentElement.lang;
  const at = new URL(location.href).pathname.slice(root.pathname.length) || "index.html";
  return new BrowserApp(new URL("../wasm/", root).href, lang, at.endsWith("/") ? `${at}index.html` : at, make);
}
