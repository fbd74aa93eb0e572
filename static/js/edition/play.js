/** The playground of the static edition: a session that the reader's own browser plays, and remembers. */
import { fill, gettext } from "../model/text.js";
import { BrowserHost } from "../net/browser.js";
import { find, show } from "../view/base/dom.js";
import { toggleTheme } from "../view/base/theme.js";
import { kept, keeper } from "./kept-log.js";
import { openSession } from "./session-page.js";

const SLUG = /^[a-z0-9-]{1,60}$/;

async function start() {
  const told = JSON.parse(find("#live-data").textContent);
  const query = new URLSearchParams(location.search);
  const slug = SLUG.test(query.get("s") ?? "") ? query.get("s") : "free";
  const answer = await fetch(`data/${slug}.json`);
  if (!answer.ok) throw new Error(fill(gettext("There is no scenario %(name)s here."), { name: slug }));
  const { scenario, story, title } = await answer.json();
  if (query.has("again")) await keeper(slug)({ commands: [], until_us: 0 });
  const log = (await kept(slug)) ?? { commands: [], until_us: 0 };
  document.title = `${title} \u00b7 Waterline`;
  const data = { ...told, session: `static-${slug}`, scenario, story };
  const section = find("#story");
  if (story) find("#story-heading").textContent = story.title;
  show(section, Boolean(story));
  find("[data-theme-switch]").addEventListener("click", toggleTheme);
  find("#language").addEventListener("change", ({ target }) => location.assign(`../${target.value}/play.html?${query}`));
  const place = new URL("../wasm/", location.href).href;
  const make = () => new Worker(new URL("../wasm/worker.js", import.meta.url), { type: "module" });
  openSession(find("#live"), data, new BrowserHost(place, { scenario, ...log }, keeper(slug), make));
}

start().catch((error) => {
  find("#situation").textContent = error.message;
});
