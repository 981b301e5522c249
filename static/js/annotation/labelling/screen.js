/** Draws a unit into the page and reads back what was entered. Knows nothing of the server or of history. */

import { announce, data, fromTemplate, marked, part, show, setText } from "./page.js";
import { showMissing } from "./status.js";
import { say } from "../../words.js";

/** The cells on the screen, each {element, cell}; the first is chosen when a unit is drawn. */
let cells = [];
let chosen = 0;
let shown = null;
const isQuestion = data.layout === "question";
const question = isQuestion ? await import("./question.js") : null;

export const currentUnit = () => shown;
export const chosenCell = () => cells[chosen] ?? null;
export const cellAt = (index) => cells[index] ?? null;
export const cellCount = () => cells.length;
export const indexOf = (element) => cells.findIndex((each) => each.element.contains(element));

/** Draw a unit: its document and query, and a cell for each thing to judge with what was entered before. */
export function draw(unit) {
  shown = unit;
  show(part("unit"), Boolean(unit));
  if (!unit) return;
  if (!isQuestion) drawDocument(unit);
  const drawn = unit.cells.map((cell) => ({ cell, element: cellElement(cell) }));
  part("cells").replaceChildren(...drawn.map(({ element }) => element));
  cells = drawn;
  if (isQuestion) question.draw(unit); // after the cell: its badge says that the wording is another
  for (const pane of document.querySelectorAll(".label-document, .label-work, .cells")) pane.scrollTop = 0;
  choose(Math.max(0, data.byDocument ? unit.cells.findIndex((cell) => !isAnswered(cell)) : 0));
  window.scrollTo(0, 0);
}

function drawDocument(unit) {
  setText("docno", unit.document.docno);
  setText("number", unit.topic.number);
  setText("topic-title", unit.topic.title);
  setText("narrative", unit.topic.narrative);
  const spans = unit.topic.sentences.map((sentence) => {
    const span = document.createElement("span");
    span.className = "sentence";
    span.textContent = sentence;
    return span;
  });
  part("query").replaceChildren(...spans.flatMap((span) => [span, " "]));
}

function cellElement(cell) {
  const element = fromTemplate("cell");
  const id = cell.assignment;
  element.dataset.cell = id;
  for (const named of element.querySelectorAll("[name]")) named.name = named.name.replace(/^0-/, `${id}-`);
  for (const labelled of element.querySelectorAll("[id], [for]")) {
    for (const attribute of ["id", "for"]) {
      const value = labelled.getAttribute(attribute);
      if (value) labelled.setAttribute(attribute, value.replace(/^0-/, `${id}-`));
    }
  }
  if (data.byDocument) {
    setText("parents", cell.parents.join(" · "), element);
    part("aspect", element).textContent = cell.aspect ?? part("aspect", element).textContent;
    element.classList.toggle("sub", cell.parents.length > 0);
  }
  fill(element, cell);
  return element;
}

/** Put what was entered (a draft, else the stored answer) into a cell's fields. */
function fill(element, cell) {
  const entered = cell.draft ?? cell.answer ?? {};
  for (const [key, value] of Object.entries(entered.answers ?? {})) {
    const radio = levelInput(element, key, value);
    if (radio) radio.checked = true;
    const reasons = element.querySelector(`[data-criterion="${CSS.escape(key)}"] [data-reason-for="${value}"]`);
    if (reasons) setReason(reasons, entered.reasons?.[key] ?? "");
  }
  element.querySelector("[data-flag]").checked = Boolean(entered.flagged);
  element.querySelector("[data-note]").value = entered.note ?? "";
  const skipped = entered.kind === "skip";
  showSkipReason(skipped ? entered.reason : "", element);
  show(part("skipped", element), skipped);
  element.classList.toggle("is-skipped", skipped);
  showReasons(element);
  fail(element, cell.error ?? "");
  activate(criterionOf(element, openCriterion(element) ?? data.criteria[0].key));
}

const criterionOf = (element, key) => element.querySelector(`[data-criterion="${CSS.escape(key)}"]`);
const levelInput = (element, key, value) => criterionOf(element, key)?.querySelector(`.level input[value="${value}"]`);
const levelOf = (criterion) => criterion.querySelector(".level input:checked");

// --- criteria: where there are several, one of them is the one that digits answer ----------------------------------------

/** Make a criterion the one that digits answer. */
export function activate(criterion) {
  for (const other of criterion.closest("[data-cell]").querySelectorAll("[data-criterion]")) {
    other.toggleAttribute("data-active", other === criterion);
  }
}

/** Key of the criterion that a digit answers, or null: the one in focus, the active one, the first open one. */
export function activeCriterion(element) {
  const focused = document.activeElement?.closest?.("[data-criterion]");
  const active = focused ?? element.querySelector("[data-criterion][data-active]");
  return active?.dataset.criterion ?? openCriterion(element);
}

/** Go to a criterion; the focus comes along when it is on a criterion already. */
export function goToCriterion(element, key, { focus = false } = {}) {
  const criterion = criterionOf(element, key);
  activate(criterion);
  if (focus || document.activeElement?.closest?.("[data-criterion]")) {
    (levelOf(criterion) ?? criterion.querySelector(".level input")).focus({ preventScroll: true });
  }
  if (isQuestion) criterion.scrollIntoView({ block: "nearest" });
}

/** Up and down between criteria. */
export function moveCriterion(step) {
  const chosenNow = chosenCell();
  if (!chosenNow) return false;
  const all = [...chosenNow.element.querySelectorAll("[data-criterion]")];
  const index = all.findIndex((criterion) => criterion.hasAttribute("data-active")) + step;
  if (!all[index]) return true;
  goToCriterion(chosenNow.element, all[index].dataset.criterion);
  announce(data.criteria[index].label);
  return true;
}

/** From the question to the ratings. */
export function enterCriteria() {
  const chosenNow = chosenCell();
  if (!chosenNow) return false;
  goToCriterion(chosenNow.element, activeCriterion(chosenNow.element), { focus: true });
  return true;
}

/** Take the grade of one criterion back (of all, where none is named). */
export function takeBack(element, key) {
  for (const criterion of element.querySelectorAll("[data-criterion]")) {
    if (key && criterion.dataset.criterion !== key) continue;
    for (const radio of criterion.querySelectorAll("input[type=radio]")) radio.checked = false;
    for (const select of criterion.querySelectorAll("select")) select.value = "";
    activate(criterion);
  }
  noteAnswer(element);
}

// --- reasons: a list to choose from, or numbered marks that digits choose -------------------------------------------------

const reasonIn = (choice) =>
  choice.querySelector("select")?.value ?? choice.querySelector("input:checked")?.value ?? "";

function setReason(choice, text) {
  const select = choice.querySelector("select");
  if (select) select.value = text;
  for (const radio of choice.querySelectorAll("input")) radio.checked = radio.value === text;
}

/** Choose a reason by its number; false where there is none of this number. `waiting` is from `wantedReason`. */
export function chooseReason(waiting, number) {
  const radio = waiting.closest("[data-reason-for]").querySelector(`[data-number="${number}"] input`);
  if (!radio) return false;
  radio.checked = true;
  return true;
}

/** Give a grade with one of its reasons. */
export function gradeWithReason(element, { criterion, value, reason }) {
  if (!grade(element, criterion, value)) return;
  setReason(criterionOf(element, criterion).querySelector(`[data-reason-for="${value}"]`), reason);
}

/** Make a cell the one that keys act on; in a grid its sentence and its words light up. */
export function choose(index, { focus = false } = {}) {
  if (!cells[index]) return;
  chosen = index;
  cells.forEach(({ element }, i) => element.toggleAttribute("data-chosen", i === index));
  const { cell, element } = cells[index];
  if (!isQuestion) drawMarks(cell);
  if (data.byDocument) element.scrollIntoView({ block: "nearest" });
  if (focus) (element.querySelector("input[type=radio]:checked") ?? element.querySelector("input[type=radio]")).focus();
}

function drawMarks(cell) {
  part("title").replaceChildren(...marked(shown.document.title || say("Untitled"), cell.marks.title));
  const abstract = shown.document.abstract;
  part("abstract").replaceChildren(...marked(abstract || say("No abstract is known for this document."), cell.marks.abstract));
  part("query")
    .querySelectorAll(".sentence")
    .forEach((span, index) => {
      span.classList.toggle("lit", cell.lit.includes(index));
      span.classList.toggle("guessed", Boolean(cell.guessed));
    });
  showLit();
  drawJudged(cell);
  const breadcrumb = part("breadcrumb");
  if (!breadcrumb) return;
  show(breadcrumb, Boolean(cell.aspect));
  setText("parents", cell.parents.join(" · "), breadcrumb);
  setText("aspect", cell.aspect, breadcrumb);
}

/** In one column the text of what is judged may be out of sight: its first line stands with the grades, all of it when pressed. */
function drawJudged({ aspect }) {
  const { number, title, sentences } = shown.topic;
  const place = cells.length > 1 ? say("Aspect {number} of {count}", { number: chosen + 1, count: cells.length }) : say("Aspect");
  part("judged").open = false;
  setText("judged-name", aspect ? place : say("Query {number}", { number }));
  setText("judged-text", aspect ?? (title || sentences.join(" ")));
}

/** A long query scrolls on its own, with its narrative: bring its lit sentence in sight, after a line of what stands before it if there is room. */
function showLit() {
  const texts = part("query-texts");
  const lit = texts.querySelector(".lit");
  if (texts.scrollHeight > texts.clientHeight) texts.tabIndex = 0; // else keys could not scroll it
  else texts.removeAttribute("tabindex");
  const line = parseFloat(getComputedStyle(texts).lineHeight);
  const before = texts.clientHeight > 4 * line ? line : 0;
  texts.scrollTop = lit ? lit.offsetTop - before : 0;
}

/** Choose a level of a criterion; false when the scale has no such level. */
export function grade(element, key, value) {
  const radio = levelInput(element, key, value);
  if (!radio) return false;
  radio.checked = true;
  noteAnswer(element);
  return true;
}

/** After a level was chosen by whatever means: an answer ends a skip, and some levels ask for a reason. */
export function noteAnswer(element) {
  show(part("skipped", element), false);
  showSkipReason("", element);
  element.classList.remove("is-skipped");
  fail(element, "");
  showReasons(element);
}

function showReasons(element) {
  for (const choice of element.querySelectorAll("[data-reason-for]")) {
    const criterion = choice.closest("[data-criterion]");
    const isWanted = levelOf(criterion)?.value === choice.dataset.reasonFor;
    show(choice, isWanted);
    if (isWanted && isQuestion) choice.scrollIntoView({ block: "nearest" });
  }
  noteGiven(element);
  noteLack(element);
}

/** On a phone the grades are a bar: the text above names the one that was chosen there. */
function noteGiven(element) {
  for (const criterion of element.querySelectorAll("[data-criterion]")) {
    const place = criterion.querySelector(".criterion-question") ?? criterion;
    const level = levelOf(criterion)?.closest(".level");
    if (level) place.dataset.given = `${level.dataset.grade} ${level.querySelector("strong").textContent}`;
    else delete place.dataset.given;
  }
}

/** Submit is quiet as long as a cell lacks a grade or a reason, and says so. */
export function noteLack(element) {
  element.toggleAttribute("data-lacks", Boolean(lacking(element)));
  showMissing();
}

/** The reason field (the first mark of it) that waits for an answer in this cell, or null. */
export function wantedReason(element) {
  const waiting = [...element.querySelectorAll("[data-reason-for]:not([hidden])")].find((choice) => !reasonIn(choice));
  return waiting?.querySelector('select, [data-number="1"] input') ?? null;
}

export function markSkipped(element, reason) {
  for (const radio of element.querySelectorAll("input[type=radio]")) radio.checked = false;
  element.classList.add("is-skipped");
  showReasons(element);
  showSkipReason(reason, element);
  show(part("skipped", element));
  fail(element, "");
}

export function fail(element, reason) {
  setText("error", reason, element);
  element.toggleAttribute("data-failed", Boolean(reason));
}

/** What stands in a cell now: {kind, answers, reasons, reason, note, flagged}. */
export function read(element) {
  const answers = {};
  const reasons = {};
  for (const criterion of element.querySelectorAll("[data-criterion]")) {
    const radio = levelOf(criterion);
    if (!radio) continue;
    answers[criterion.dataset.criterion] = Number(radio.value);
    const choice = criterion.querySelector("[data-reason-for]:not([hidden])");
    const reason = choice ? reasonIn(choice) : "";
    if (reason) reasons[criterion.dataset.criterion] = reason;
  }
  const skipped = element.classList.contains("is-skipped");
  return {
    kind: skipped ? "skip" : "answer",
    answers: skipped ? {} : answers,
    reasons: skipped ? {} : reasons,
    reason: skipped ? part("skip-reason", element).dataset.reason : "",
    note: element.querySelector("[data-note]").value,
    flagged: element.querySelector("[data-flag]").checked,
    ...(isQuestion && (skipped ? { rewrite: "", found: [] } : question.read())),
  };
}

/** The first criterion of a cell without an answer, else null. */
export function openCriterion(element) {
  const found = [...element.querySelectorAll("[data-criterion]")].find((each) => !levelOf(each));
  return found?.dataset.criterion ?? null;
}

/** Why a cell cannot be submitted yet, or "". */
export function lacking(element) {
  if (element.classList.contains("is-skipped")) return "";
  const open = openCriterion(element);
  if (open) {
    return say("Choose a grade for {label} first.", data.criteria.find((criterion) => criterion.key === open));
  }
  return wantedReason(element) ? say("This grade needs a reason.") : "";
}

const isAnswered = (cell) => Object.keys((cell.draft ?? cell.answer)?.answers ?? {}).length > 0;

/** How many letters of the end of a name stay in sight where its middle is left out: names of one kind often differ only there. */
const END_IN_SIGHT = 12;

/** Write a name in quotes where it belongs, without as many letters of its middle as its place is too narrow for. */
function fitName(place, name) {
  const letters = [...name];
  const text = document.createRange();
  const widthOf = (each) => each.getBoundingClientRect().width;
  const write = (kept) => {
    const end = Math.min(END_IN_SIGHT, kept - 1);
    const shown = kept < letters.length ? [...letters.slice(0, kept - end), "…", ...letters.slice(-end)] : letters;
    place.textContent = `“${shown.join("")}”`;
    text.selectNodeContents(place);
    return widthOf(text) <= widthOf(place) + 0.1;
  };
  place.style.textOverflow = "clip"; // else the text is as wide as its place
  let kept = letters.length;
  if (!write(kept)) {
    kept = Math.min(kept, Math.ceil((kept * widthOf(place)) / widthOf(text)) + 3); // letters are not equally wide
    while (!write(kept) && kept > 2) kept -= 1;
  }
  place.style.textOverflow = "";
}

/** Say what was given to a unit that has just been left. */
export function showGiven(unit) {
  const answers = unit.cells.map(({ answer }) => (answer.kind === "skip" ? "" : gradeWords(answer)));
  const given = [...new Set(answers.filter(Boolean))];
  show(part("gave"));
  setText("gave-answer", given.join(" · ") || "skipped");
  fitName(part("gave-name"), unit.name);
}

/** In training: what is right about the unit of this name, which has just been left. */
export function showFeedback(name, words) {
  const said = words.filter(Boolean).join(" ");
  if (!said) return;
  setText("learned-name", name);
  setText("feedback", said);
  show(part("learned"));
}

/** A reason to skip, as the dialog has it. */
export function reasonWords(reason) {
  const choice = document.querySelector(`[data-dialog="skip"] [name="reason"][value="${CSS.escape(reason)}"]`);
  return (reason && choice?.parentElement.textContent.trim()) || reason;
}

function showSkipReason(reason, element) {
  part("skip-reason", element).dataset.reason = reason;
  setText("skip-reason", reasonWords(reason), element);
}

/** "1 Partly", as the levels of the scale are called; with several criteria each by its name. */
export function gradeWords(answer) {
  const template = document.querySelector('[data-template="cell"]').content;
  const words = Object.entries(answer.answers ?? {}).map(([key, value]) => {
    const label = levelInput(template, key, value)?.closest(".level").querySelector("strong")?.textContent ?? "";
    const criterion = data.criteria.length > 1 ? `${data.criteria.find((each) => each.key === key).label} ` : "";
    return `${criterion}${value} ${label}`.trim();
  });
  return words.join(", ");
}

/** Keep what is entered with the unit, so that it is there again when the unit is. */
export function keepDrafts() {
  if (!shown) return;
  for (const { cell, element } of cells) cell.draft = read(element);
}
