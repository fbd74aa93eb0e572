/** Slides that one presents with the keys; without this script they stand below each other. Imports nothing: a file takes it along. */
(() => {
  const body = document.body;
  const slides = [...document.querySelectorAll(".slide")];
  let now = 0;

  /** @param {number} at */
  function show(at) {
    now = Math.max(0, Math.min(slides.length - 1, at));
    for (const [number, slide] of slides.entries()) slide.classList.toggle("is-shown", number === now);
    if (!body.classList.contains("presented")) return;
    const shown = /** @type {HTMLElement} */ (slides[now]);
    shown.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  /** @param {boolean} on */
  function present(on) {
    body.classList.toggle("presented", on);
    show(now);
    if (!on) slides[now]?.scrollIntoView();
  }

  const notes = document.querySelector("[data-notes]");
  function turnNotes() {
    notes?.setAttribute("aria-pressed", String(body.classList.toggle("with-notes")));
  }

  document.querySelector("[data-present]")?.addEventListener("click", () => present(true));
  notes?.addEventListener("click", turnNotes);
  document.querySelector("[data-print]")?.addEventListener("click", () => print());
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowRight: () => show(now + 1),
    PageDown: () => show(now + 1),
    ArrowLeft: () => show(now - 1),
    PageUp: () => show(now - 1),
    Home: () => show(0),
    End: () => show(slides.length - 1),
    Escape: () => present(false),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = event.key.toLowerCase() === "n" ? turnNotes : body.classList.contains("presented") ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
})();
