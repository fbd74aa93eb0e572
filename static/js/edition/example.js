/** A worked example in the static edition: the app in the worker judges the last step, with the server's own Python and template. */
import { find, need } from "../view/base/dom.js";
import { openBrowserApp } from "./worker.js";

const exercise = JSON.parse(need("#exercise-slug").textContent);
/** @type {ReturnType<typeof openBrowserApp> | undefined} loaded with the first answer: who only reads needs no engine */
let app;

/** @param {HTMLFormElement} form */
async function check(form) {
  app ??= openBrowserApp();
  /** @type {{ html: string }} */
  const { html } = await app.request("example", { exercise, form: [...new FormData(form)] });
  const found = new DOMParser().parseFromString(html, "text/html");
  need("#last-step").replaceWith(need("#last-step", found));
  const first = find("#verdict") ?? need("#left");
  first.tabIndex = -1;
  first.focus();
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-example]")) return;
  event.preventDefault();
  const button = need("button", HTMLButtonElement, form);
  button.disabled = true;
  check(form).catch((error) => {
    button.disabled = false;
    find("[role=alert]", form)?.remove();
    form.prepend(Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent: error.message }));
  });
});
