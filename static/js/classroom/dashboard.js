/** A class, live: the grid of students, the bars of the exercises, the hardest one, and who was chosen. */
import { LETTERS } from "../model/messages.js";
import { fill, gettext, ngettext, number } from "../model/text.js";
import { dataOf, el, find, findAll, focused, keepChildren, need, setText, show } from "../view/base/dom.js";
import { countDown } from "./countdown.js";
import { sorted, sums, totals } from "./grid.js";
import { follow } from "./link.js";

/**
 * @import { Attributes } from "../view/base/dom.js"
 * @import { Cell, Student } from "./grid.js"
 * @import { GridMessage, Hardest, LinkStatus, VoteOfTeacher } from "./link.js"
 */

/**
 * An exercise as the page got it; `words` are its answers by their names, `between` stands between two of them.
 * @typedef {{ slug: string, unit: string, title: string, question: string, words: Record<string, string>, between: string, minutes: number }} Exercise
 */

const SVG = "http://www.w3.org/2000/svg";
const MIX_WIDTH = 120;
/** @type {[state: "none", attempts: number, minutes: number]} the cell of an exercise that is not begun */
const NOTHING = ["none", 0, 0];
/** All units in one view. */
const ALL = "*";
/** @type {Record<Cell[0] | "none", [name: string, attributes: Attributes][]>} */
const SHAPES = {
  first: [["path", { d: "M7 .6l1.900 4.200 4.600.500-3.400 3.100.900 4.500L7 10.700l-4 2.200.900-4.500L.5 5.300l4.600-.500z" }]],
  later: [["circle", { cx: 7, cy: 7, r: 6.5 }], ["path", { d: "M4 7.3l2.100 2.100L10.200 5" }]],
  working: [["circle", { cx: 7, cy: 7, r: 5.7 }], ["path", { d: "M7 1.3a5.7 5.7 0 010 11.4z" }]],
  wrong: [["circle", { cx: 7, cy: 7, r: 5.7 }], ["path", { d: "M4.600 4.600l4.800 4.800M9.400 4.600L4.600 9.400" }]],
  help: [["path", { d: "M7 1.200L13.200 12.700H.8z" }], ["path", { d: "M7 5.500v3M7 10v1.200" }]],
  none: [["circle", { cx: 7, cy: 7, r: 2.2 }]],
};
const NAMES = {
  first: () => gettext("right first time"),
  later: () => gettext("right later"),
  working: () => gettext("working"),
  wrong: () => gettext("answered wrong"),
  help: () => gettext("needs help"),
  none: () => gettext("not begun"),
};

const data = JSON.parse(need("#class-data").textContent);
/** @type {Exercise[]} */
const handed = data.exercises;
const slugs = handed.map((exercise) => exercise.slug);
const exercises = new Map(handed.map((exercise) => [exercise.slug, exercise]));
/** @type {Map<number, Student>} */
const students = new Map();
const unitButtons = findAll("[data-unit]");
let unit = unitButtons[0]?.dataset.unit ?? null;
let order = "need";
/** @type {number | null} */
let chosen = null;

/** The exercises of the unit that is shown, and how one is called: 2.1. */
const shownSlugs = () => slugs.filter((slug) => unit === ALL || exercises.get(slug)?.unit === unit);
/** @param {string} slug */
function label(slug) {
  const of = exercises.get(slug)?.unit;
  const button = unitButtons.find((each) => each.dataset.unit === of);
  const place = slugs.filter((each) => exercises.get(each)?.unit === of).indexOf(slug) + 1;
  return `${button?.firstChild?.textContent ?? ""}.${place}`;
}

/**
 * @param {string} name
 * @param {Attributes} attributes
 * @param {...Element} children
 */
function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * One cell: a shape, and in words what it means.
 * @param {string} slug
 * @param {Cell | undefined} found
 */
function cell(slug, found) {
  const [state, attempts, minutes] = found ?? NOTHING;
  const words = fill(gettext("exercise %(number)s: %(state)s, answers: %(attempts)s"), {
    number: label(slug),
    state: NAMES[state](),
    attempts,
  });
  const drawing = svg(
    "svg",
    { viewBox: "0 0 14 14", role: "img", "aria-label": words },
    ...SHAPES[state].map(([name, attributes]) => svg(name, attributes)),
  );
  let text = null;
  if (state === "help") text = fill(gettext("%(minutes)s min"), { minutes });
  else if (state === "wrong" && attempts > 1) text = `×${attempts}`;
  return el("td", {}, el(`span.cell.is-${state}`, {}, drawing, text));
}

/**
 * How a student's queue is made up at the moment.
 * @param {number[] | null | undefined} found
 */
function mix(found) {
  const box = el("td.wide");
  const total = found ? found.slice(0, LETTERS.length).reduce((sum, count) => sum + count, 0) : 0;
  if (!found || !total) return box;
  const words = LETTERS.map((name, at) => `${name} ${found[at]}`).join(", ");
  const drawing = svg("svg", { class: "mix", viewBox: `0 0 ${MIX_WIDTH} 11`, role: "img", "aria-label": words });
  let x = 0;
  for (const [at, name] of LETTERS.entries()) {
    const width = (found[at] / total) * MIX_WIDTH;
    const shape = { class: name, x, width: Math.max(0, width - 1), height: 11, rx: 1.5 };
    if (found[at]) drawing.append(svg("rect", shape));
    x += width;
  }
  box.append(drawing);
  return box;
}

/** A mark on who has opened the state that is pushed. */
function followed() {
  const words = gettext("has opened the pushed state");
  return el("span.followed", { role: "img", "aria-label": words, title: words }, "⇣");
}

/**
 * The line of a student: the name, which is pressed, and all else, which changes.
 * @param {number} id
 */
function row(id) {
  const name = el("button", { type: "button", "data-student": id, onclick: () => choose(id) });
  return el("tr", {}, el("th", { scope: "row" }, name, el("span", { "data-marks": "" })));
}

/**
 * @param {Element} line
 * @param {Student} student
 */
function refresh(line, student) {
  line.classList.toggle("is-chosen", student.id === chosen);
  const name = need("[data-student]", line);
  name.classList.toggle("away", !student.online);
  setText(name, student.name);
  const away = student.online ? [] : [el("span.visually-hidden", {}, gettext("not connected"))];
  need("[data-marks]", line).replaceChildren(...away, ...(student.pushed ? [followed()] : []));
  for (const each of findAll("td", line)) each.remove();
  line.append(
    ...shownSlugs().map((slug) => cell(slug, student.cells[slug])),
    mix(student.mix),
    el("td.depth", {}, student.mix ? number(student.mix[4]) : ""),
  );
}

/** @param {number} id */
function choose(id) {
  chosen = chosen === id ? null : id;
  drawGrid();
  drawChosen();
}

function drawGrid() {
  const student = focused()?.dataset.student;
  const grid = need("[data-grid]");
  const all = sorted(students.values(), order);
  keepChildren(grid, all.map((each) => String(each.id)), (key) => row(Number(key)));
  for (const [at, each] of all.entries()) refresh(grid.children[at], each);
  show(find("[data-none]"), !students.size);
  if (student) find(`[data-student="${student}"]`)?.focus();
}

function drawHead() {
  const { online, help, share } = totals([...students.values()], slugs);
  setText(find("[data-online]"), number(online));
  setText(find("[data-students]"), number(students.size));
  setText(find("[data-done]"), share === null ? "–" : `${share} %`);
  setText(find("[data-help]"), number(help));
  need("[data-help]").classList.toggle("needs", help > 0); // nobody who needs help is no alarm
  setText(find("[data-help-label]"), ngettext("needs help", "need help", help));
}

function drawBars() {
  const counts = sums(students.values(), slugs);
  for (const line of findAll("[data-bar]")) {
    const sum = counts[dataOf(line, "bar")];
    const { first, later, help } = sum;
    for (const [name, count] of Object.entries(sum))
      need(`i.is-${name}`, line).style.width = `${students.size ? (100 * count) / students.size : 0}%`;
    let text = fill(gettext("%(done)s done"), { done: first + later });
    if (first) text += ` · ${fill(gettext("%(first)s first time"), { first })}`;
    if (help) text += ` · ${fill(ngettext("%(help)s needs help", "%(help)s need help", help), { help })}`;
    setText(find("[data-count]", line), text);
  }
}

/**
 * A tally in words, by the exercise's own names.
 * @param {Exercise} exercise
 * @param {string} tally
 */
function answerText(exercise, tally) {
  const parts = tally.split(" ").map((part) => exercise.words[part] ?? part);
  return parts.join(exercise.between);
}

/** @param {Hardest | null} hardest */
function drawHardest(hardest) {
  // The page was loaded before this exercise was handed out.
  const exercise = hardest ? exercises.get(hardest.exercise) : undefined;
  show(find("[data-hardest-none]"), !exercise);
  show(find("[data-hardest-body]"), Boolean(exercise));
  show(find("[data-hardest-chip]"), Boolean(exercise));
  for (const line of findAll("[data-bar]"))
    line.classList.toggle("is-hardest", line.dataset.bar === hardest?.exercise);
  if (!hardest || !exercise) return;
  setText(
    find("[data-hardest-chip]"),
    fill(gettext("exercise %(number)s"), { number: label(hardest.exercise) }),
  );
  setText(find("[data-hardest-question]"), exercise.question);
  const most = Math.max(...hardest.answers.map(([, count]) => count));
  need("[data-hardest-answers]").replaceChildren(
    ...hardest.answers.map(([tally, count, passed]) =>
      el(
        `li${passed ? ".is-right" : ""}`,
        {},
        el(
          "span.answer-row",
          {},
          el(
            "span.answer-text",
            {},
            passed ? el("span", { role: "img", "aria-label": gettext("right") }, "✓ ") : null,
            answerText(exercise, tally),
          ),
          el("b.num", {}, number(count)),
        ),
        el("meter", { min: 0, max: most, value: count, "aria-hidden": "true" }),
      ),
    ),
  );
  setText(
    find("[data-hardest-sum]"),
    fill(ngettext("%(failed)s of %(tried)s was wrong at the first try.", "%(failed)s of %(tried)s were wrong at the first try.", hardest.failed), hardest),
  );
}

function drawChosen() {
  const student = chosen === null ? undefined : students.get(chosen);
  show(find("[data-who]"), Boolean(student));
  if (!student) return;
  setText(find("[data-who-name]"), student.name);
  const slug = student.now ?? "";
  const now = exercises.get(slug);
  const found = student.cells[slug];
  setText(
    find("[data-who-now]"),
    now
      ? fill(ngettext("%(title)s, %(n)s answer", "%(title)s, %(n)s answers", found?.[1] ?? 0), {
          title: now.title,
          n: found?.[1] ?? 0,
        })
      : gettext("Nothing begun yet."),
  );
  setText(
    find("[data-who-help]"),
    found?.[0] === "help" ? fill(gettext("%(minutes)s min"), { minutes: found[2] }) : "",
  );
  const address = data.student.replace("/0/", `/${student.id}/`);
  const watch = need("[data-who-watch]", HTMLAnchorElement);
  show(watch, Boolean(student.session));
  if (student.session) watch.href = `/s/${student.session}/`;
  show(find("[data-who-fork]"), Boolean(student.session));
  need("[data-who-fork]", HTMLFormElement).action = `${address}fork`;
  need("[data-who-more]", HTMLAnchorElement).href = address;
}

/** @param {GridMessage} message */
function receive(message) {
  if (message.t !== "grid") return;
  if (message.whole) students.clear();
  for (const student of message.changed) students.set(student.id, student);
  for (const id of message.gone) students.delete(id);
  drawGrid();
  drawHead();
  drawBars();
  drawHardest(message.hardest);
  drawChosen();
  drawVote(message.vote);
  const finished = find("[data-finished-test]");
  if (finished) setText(finished, `${message.finished_test ?? 0} / ${students.size}`);
}

/**
 * The vote that is on, live: who has not voted, the answers so far, and what the teacher can do next.
 * @param {VoteOfTeacher | null} vote
 */
function drawVote(vote) {
  const lead = find("[data-vote-lead]");
  const key = vote ? `${vote.id} ${vote.stage}` : null;
  if ((lead?.dataset.voteLead ?? null) !== key) {
    location.reload();
    return;
  }
  if (!vote || !lead) return;
  const lines = findAll("[data-option]", lead);
  if (Object.keys(vote.results).some((name) => !lines.some((line) => line.dataset.option === name))) {
    location.reload(); // a number that has no votes from the first round
    return;
  }
  setText(find("[data-votes]", lead), `${vote.votes} / ${students.size}`);
  setText(find("[data-missing-names]", lead), vote.missing.join(", "));
  show(find("[data-missing]", lead), vote.missing.length > 0);
  for (const line of lines) {
    const [first, firstShare, second, secondShare] = vote.results[dataOf(line, "option")] ?? [0, 0, 0, 0];
    /** @type {Record<string, [count: number, share: number]>} */
    const rounds = { first: [first, firstShare], second: [second, secondShare] };
    for (const round of findAll("[data-round]", line)) {
      const [count, share] = rounds[dataOf(round, "round")];
      need("meter", HTMLMeterElement, round).value = share;
      setText(find("b", round), number(count));
    }
  }
  for (const advice of findAll("[data-advice-for]", lead)) show(advice, advice.dataset.adviceFor === vote.recommended);
}

countDown(() => find("[data-vote-lead]")?.classList.add("is-over"));

const STATUS = {
  connecting: () => gettext("connecting"),
  live: () => gettext("live"),
  lost: () => gettext("reconnecting"),
  ended: () => gettext("ended"),
};

/** @param {LinkStatus} name */
function status(name) {
  const chip = need("[data-link]");
  chip.dataset.state = name;
  setText(chip.lastElementChild, STATUS[name]());
  show(find("[data-class-gone]"), name === "ended");
}

/**
 * Show one unit: its bars, and its columns of the grid.
 * @param {string} name
 */
function showUnit(name) {
  unit = name;
  for (const each of unitButtons) each.setAttribute("aria-pressed", String(each.dataset.unit === unit));
  for (const part of findAll("[data-of]")) part.hidden = unit !== ALL && part.dataset.of !== unit;
  drawGrid();
}

for (const line of findAll("[data-bar]")) setText(find("[data-no]", line), label(dataOf(line, "bar")));
for (const [at, head] of findAll("th [data-no]").entries()) setText(head, label(slugs[at]));
for (const button of unitButtons) button.addEventListener("click", () => showUnit(dataOf(button, "unit")));

for (const button of findAll("[data-sort] button"))
  button.addEventListener("click", () => {
    order = dataOf(button, "by");
    for (const each of findAll("[data-sort] button")) each.setAttribute("aria-pressed", String(each === button));
    drawGrid();
  });

follow(data.websocket, receive, status);
