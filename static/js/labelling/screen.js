/** Draws a unit into the page and reads back what was entered. Knows nothing of the server or of history. */

import { data, fromTemplate, marked, part, show, tell } from "./page.js";

/** The cells on the screen, each {element, cell}; the first is chosen when a unit is drawn. */
let cells = [];
let chosen = 0;
let shown = null;

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
  tell("docno", unit.document.docno);
  drawQuery(unit);
  const drawn = unit.cells.map((cell) => ({ cell, element: cellElement(cell) }));
  part("cells").replaceChildren(...drawn.map(({ element }) => element));
  cells = drawn;
  choose(Math.max(0, data.byDocument ? unit.cells.findIndex((cell) => !isAnswered(cell)) : 0));
  for (const pane of document.querySelectorAll(".label-document, .label-work")) pane.scrollTop = 0;
  window.scrollTo(0, 0);
}

function drawQuery(unit) {
  tell("number", unit.topic.number);
  tell("narrative", unit.topic.narrative);
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
    tell("parents", cell.parents.join(" · "), element);
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
    const radio = element.querySelector(`[data-criterion="${CSS.escape(key)}"] input[value="${value}"]`);
    if (radio) radio.checked = true;
    const reason = element.querySelector(`[data-criterion="${CSS.escape(key)}"] [data-reason-for="${value}"] select`);
    if (reason) reason.value = entered.reasons?.[key] ?? "";
  }
  element.querySelector("[data-flag]").checked = Boolean(entered.flagged);
  element.querySelector("[data-note]").value = entered.note ?? "";
  const skipped = entered.kind === "skip";
  tell("skip-reason", skipped ? entered.reason : "", element);
  show(part("skipped", element), skipped);
  element.classList.toggle("is-skipped", skipped);
  showReasons(element);
  fail(element, cell.error ?? "");
}

/** Make a cell the one that keys act on; in a grid its sentence and its words light up. */
export function choose(index, { focus = false } = {}) {
  if (!cells[index]) return;
  chosen = index;
  cells.forEach(({ element }, i) => element.toggleAttribute("data-chosen", i === index));
  const { cell, element } = cells[index];
  drawMarks(cell);
  if (data.byDocument) element.scrollIntoView({ block: "nearest" });
  if (focus) (element.querySelector("input[type=radio]:checked") ?? element.querySelector("input[type=radio]")).focus();
}

function drawMarks(cell) {
  part("title").replaceChildren(...marked(shown.document.title || "Untitled", cell.marks.title));
  const abstract = shown.document.abstract;
  part("abstract").replaceChildren(...marked(abstract || "No abstract is known for this document.", cell.marks.abstract));
  part("query")
    .querySelectorAll(".sentence")
    .forEach((span, index) => span.classList.toggle("lit", cell.lit.includes(index)));
  showLit();
  const breadcrumb = part("breadcrumb");
  if (!breadcrumb) return;
  show(breadcrumb, Boolean(cell.aspect));
  tell("parents", cell.parents.join(" · "), breadcrumb);
  tell("aspect", cell.aspect, breadcrumb);
}

/** A long query scrolls by itself: bring its lit sentence in sight, with a line of what stands before it. */
function showLit() {
  const query = part("query");
  const lit = query.querySelector(".lit");
  if (query.scrollHeight > query.clientHeight) query.tabIndex = 0; // else keys could not scroll it
  else query.removeAttribute("tabindex");
  const line = parseFloat(getComputedStyle(query).lineHeight);
  query.scrollTop = lit ? lit.offsetTop - query.offsetTop - line : 0;
}

/** Choose a level of a criterion; false when the scale has no such level. */
export function grade(element, key, value) {
  const radio = element.querySelector(`[data-criterion="${CSS.escape(key)}"] input[value="${value}"]`);
  if (!radio) return false;
  radio.checked = true;
  noteAnswer(element);
  return true;
}

/** After a level was chosen by whatever means: an answer ends a skip, and some levels ask for a reason. */
export function noteAnswer(element) {
  show(part("skipped", element), false);
  tell("skip-reason", "", element);
  element.classList.remove("is-skipped");
  fail(element, "");
  showReasons(element);
}

function showReasons(element) {
  for (const choice of element.querySelectorAll("[data-reason-for]")) {
    const criterion = choice.closest("[data-criterion]");
    show(choice, criterion.querySelector("input:checked")?.value === choice.dataset.reasonFor);
  }
}

/** The reason field that waits for an answer in this cell, or null. */
export function wantedReason(element) {
  const waiting = [...element.querySelectorAll("[data-reason-for]:not([hidden]) select")];
  return waiting.find((select) => !select.value) ?? null;
}

export function markSkipped(element, reason) {
  for (const radio of element.querySelectorAll("input[type=radio]")) radio.checked = false;
  showReasons(element);
  tell("skip-reason", reason, element);
  show(part("skipped", element));
  element.classList.add("is-skipped");
  fail(element, "");
}

export function fail(element, reason) {
  tell("error", reason, element);
  element.toggleAttribute("data-failed", Boolean(reason));
}

/** What stands in a cell now: {kind, answers, reasons, reason, note, flagged}. */
export function read(element) {
  const answers = {};
  const reasons = {};
  for (const criterion of element.querySelectorAll("[data-criterion]")) {
    const radio = criterion.querySelector("input:checked");
    if (!radio) continue;
    answers[criterion.dataset.criterion] = Number(radio.value);
    const reason = criterion.querySelector("[data-reason-for]:not([hidden]) select");
    if (reason?.value) reasons[criterion.dataset.criterion] = reason.value;
  }
  const skipped = element.classList.contains("is-skipped");
  return {
    kind: skipped ? "skip" : "answer",
    answers: skipped ? {} : answers,
    reasons: skipped ? {} : reasons,
    reason: skipped ? part("skip-reason", element).textContent : "",
    note: element.querySelector("[data-note]").value,
    flagged: element.querySelector("[data-flag]").checked,
  };
}

/** The first criterion of a cell without an answer, else null. */
export function openCriterion(element) {
  const found = [...element.querySelectorAll("[data-criterion]")].find((each) => !each.querySelector("input:checked"));
  return found?.dataset.criterion ?? null;
}

/** Why a cell cannot be submitted yet, or "". */
export function lacking(element) {
  if (element.classList.contains("is-skipped")) return "";
  const open = openCriterion(element);
  if (open) {
    const { label } = data.criteria.find((criterion) => criterion.key === open);
    return `Choose a grade for ${label} first.`;
  }
  return wantedReason(element) ? "This grade needs a reason." : "";
}

const isAnswered = (cell) => Object.keys((cell.draft ?? cell.answer)?.answers ?? {}).length > 0;

/** Keep what is entered with the unit, so that it is there again when the unit is. */
export function keepDrafts() {
  if (!shown) return;
  for (const { cell, element } of cells) cell.draft = read(element);
}
