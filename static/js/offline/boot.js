/**
 * The first script of a page that works offline, written into it as it is. It unpacks the page in the reader's language, makes
 * the modules from their text, and opens the run. Nothing is fetched: a page from a disk may fetch nothing.
 */
(async () => {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const root = document.documentElement;

  /** @param {string} name */
  const unpack = async (name) => {
    const packed = document.getElementById(name)?.textContent ?? "";
    const bytes = Uint8Array.from(atob(packed.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };

  /** @type {string[]} */
  const languages = JSON.parse(root.dataset.languages ?? "[]");
  /** @param {string} code */
  const readable = (code) => languages.find((each) => each === code.toLowerCase() || each === SCRIPTS[code.toLowerCase()]);
  /** @type {Record<string, string>} */
  const SCRIPTS = { "zh-cn": "zh-hans", "zh-sg": "zh-hans", zh: "zh-hans", "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant" };
  const language = [wishes.get("lang") ?? "", ...navigator.languages].map(readable).find(Boolean) ?? readable(navigator.language.split("-")[0]) ?? languages[0];

  /**
   * The same page again, in another language, at the same theme.
   * @param {string} code
   */
  const setLanguage = (code) => {
    wishes.set("lang", code);
    if (root.dataset.theme) wishes.set("theme", root.dataset.theme);
    location.hash = wishes.toString();
    location.reload();
  };

  /**
   * @param {string} name
   * @param {string} text
   */
  const element = (name, text, attributes = {}) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.textContent = text;
    document.head.append(made);
  };

  /**
   * Replace the opening page by the parts of the real one.
   * @param {{ css: string, sprite: string, modules: Record<string, string>, entry: string }} program
   * @param {{ title: string, html: string, catalog: string, data: { recording: { rules: string }, place?: object } }} page
   */
  const build = (program, page) => {
    root.lang = language;
    const theme = wishes.get("theme") ?? "";
    if (["light", "dark"].includes(theme)) root.dataset.theme = theme;
    Object.assign(root.dataset, { sprite: "#icon-sprite", rules: page.data.recording.rules });
    document.title = page.title;
    element("style", program.css);
    document.body.className = "live-page is-recorded";
    // What is shown before its scripts have come would take clicks and keys, and lose them.
    document.body.toggleAttribute("inert", true);
    document.body.innerHTML = program.sprite + page.html;
    element("script", page.catalog);
    /** @type {Record<string, string>} */
    const imports = {};
    for (const [name, text] of Object.entries(program.modules))
      imports[name] = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    element("script", JSON.stringify({ imports }), { type: "importmap" });
  };

  try {
    const [program, page] = await Promise.all([unpack("program"), unpack(`page-${language}`)]);
    build(program, page);
    /** @param {string} name */
    const whole = (name) => (/^\d{1,16}$/.test(wishes.get(name) ?? "") ? Number(wishes.get(name)) : null);
    const given = page.data.place ?? { at_us: null, number: null, msg: null };
    // An address that names a moment has its way; else the page opens where it was shared.
    page.data.place = ["at", "n", "msg"].some((name) => wishes.has(name))
      ? { at_us: whole("at"), number: whole("n"), msg: whole("msg"), view: "" }
      : { ...given, view: "" };
    const { open } = await import(program.entry);
    open(unpack, page.data, setLanguage);
    document.body.toggleAttribute("inert", false);
  } catch (error) {
    const old = typeof DecompressionStream === "undefined";
    const why = old ? "This page needs a browser from 2023 or newer." : `This page could not be opened: ${/** @type {Error} */ (error).message}`;
    document.body.replaceChildren(why);
    document.body.toggleAttribute("inert", false);
    throw error;
  }
})();
