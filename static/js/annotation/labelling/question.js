/** A question on the screen: its words next to those of its targets, its rewrite, and the targets found meanwhile. */

import { wordDiff } from "./diff.js";
import { keepDraft } from "./drafts.js";
import { overlapWith, sharedSpans } from "./overlap.js";
import { announce, data, fromTemplate, marked, part, show, setText } from "./page.js";
import { language, say, sayMany } from "../../words.js";

const NO_ABSTRACT = say("No abstract is known for this document.");

let unit = null;
let found = []; // documents found while judging, as {docno, title}

const field = () => part("rewrite-text");
const text = () => unit.name;
const isChanged = () => Boolean(field().value.trim()) && field().value.trim() !== text();
export const wording = () => (isChanged() ? field().value.trim() : text());

/** Draw question, paragraph and targets, with what was entered before. */
export function draw(next) {
  unit = next;
  const { question, topic, cells } = unit;
  const entered = cells[0].draft ?? cells[0].answer ?? {};
  setText("number", topic.number);
  part("title").textContent = text();
  for (const section of document.querySelectorAll("[data-from]")) show(section, section.dataset.from === question.from);
  drawParagraph(question.paragraph);
  setText("topic-title", topic.title);
  setText("narrative", topic.narrative);
  field().value = entered.rewrite || text();
  show(part("rewrite"), Boolean(entered.rewrite));
  found = [...(entered.found ?? [])];
  part("hits").replaceChildren();
  part("find-words").value = "";
  setText("find-state", "");
  redraw();
}

function drawParagraph(paragraph) {
  const element = part("paragraph");
  show(element, Boolean(paragraph));
  if (paragraph) element.replaceChildren(...marked(paragraph.text, paragraph.marks));
}

/** What was entered in addition to the ratings. */
export const read = () => ({ rewrite: isChanged() ? field().value.trim() : "", found: [...found] });

/** Everything that follows from the wording and from the targets found. */
function redraw() {
  drawTargets();
  const changed = isChanged();
  drawMeters(changed);
  show(part("rewrite-badge"), changed);
  show(part("rewrite-diff"), changed);
  if (changed) part("rewrite-diff").replaceChildren(...wordDiff(text(), field().value.trim()).map(diffPiece));
  const count = unit.question.targets_count + found.length;
  setText("fit-count", `${fitWords(count)}: ${sizeWords(count)}`);
}

/** How many papers fit as far as is known, and who said so. */
function fitWords(count) {
  const papers = sayMany("{count} paper fits so far", "{count} papers fit so far", count);
  return found.length ? say("{papers}, {ticked} of them ticked by you", { papers, ticked: found.length }) : papers;
}

/** The count held against what the rubric calls few and too many. */
function sizeWords(count) {
  const { fewFitting: few, mostFitting: most } = data;
  if (count > most) return say("more than {most}, too many.", { most });
  return count > few ? say("more than {few}, at most {most}.", { few, most }) : say("at most {few}.", { few });
}

function diffPiece([kind, words]) {
  const element = document.createElement({ same: "span", removed: "del", added: "ins" }[kind]);
  element.textContent = words;
  return element;
}

// --- overlap -----------------------------------------------------------------------------------------------------------

function drawMeters(changed) {
  const { overlap, targets, targets_count: count, cutoff, definition } = unit.question;
  const isWhole = count === targets.length;
  const now = changed && isWhole ? overlapWith(wording(), targets, definition) : null;
  for (const name of ["titles", "texts"]) drawMeter(name, overlap[name], now?.[name], name === "titles" ? cutoff : null);
}

function drawMeter(name, before, now, cutoff) {
  const meter = document.querySelector(`[data-meter="${name}"]`);
  const share = now ?? before;
  part("meter-value", meter).textContent = shown(before);
  show(part("meter-now", meter), now !== undefined && now !== null);
  part("meter-now", meter).textContent = `→ ${shown(now)}`;
  part("meter-bar", meter).setAttribute("width", 100 * (share ?? 0));
  part("meter-cut", meter).toggleAttribute("hidden", cutoff === null);
  part("meter-cut", meter).setAttribute("x", 100 * (cutoff ?? 0));
  const isAbove = cutoff !== null && share !== null && share > cutoff;
  meter.toggleAttribute("data-above", isAbove);
  setText("meter-words", cutoff === null ? "" : isAbove ? say("above the cut-off {cutoff}", { cutoff: shown(cutoff) }) : say("within the cut-off {cutoff}", { cutoff: shown(cutoff) }), meter);
}

const DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
const shown = (share) => (share === null || share === undefined ? "–" : share.toLocaleString(language, DIGITS));

// --- targets -----------------------------------------------------------------------------------------------------------

function drawTargets() {
  const { targets } = unit.question;
  part("targets").replaceChildren(...targets.map(targetElement), ...found.map(foundElement));
  show(part("no-targets"), !targets.length && !found.length);
}

function targetElement({ docno, title, abstract }) {
  const element = fromTemplate("target");
  part("target-title", element).replaceChildren(...(title ? underlined(title) : [say("Untitled")]));
  setText("target-docno", docno, element);
  part("target-abstract", element).replaceChildren(...(abstract ? underlined(abstract) : [NO_ABSTRACT]));
  return element;
}

function foundElement({ docno, title }) {
  const element = fromTemplate("found");
  element.dataset.docno = docno;
  part("target-title", element).textContent = title || docno;
  setText("target-docno", docno, element);
  return element;
}

const underlined = (words) => marked(words, sharedSpans(words, wording(), unit.question.definition, data.grammar));

/** Add a document to the targets found, or take it off again. */
export function toggleFound(docno, title) {
  const isThere = found.some((each) => each.docno === docno);
  found = isThere ? found.filter((each) => each.docno !== docno) : [...found, { docno, title }];
  keep();
  redraw();
  markHits();
  announce(isThere ? say("No longer ticked: {title}", { title }) : say("Fits, and is added as a target: {title}", { title }));
  if (unit.question.targets_count + found.length > data.mostFitting) announce(say("More than {most} fit.", { most: data.mostFitting }));
}

/** The state of the button next to each hit. */
export function markHits() {
  const known = new Set(unit.question.targets.map((target) => target.docno));
  const chosen = new Set(found.map((target) => target.docno));
  for (const hit of part("hits").querySelectorAll("[data-docno]")) {
    const button = hit.querySelector("button");
    const { docno } = hit.dataset;
    button.setAttribute("aria-pressed", String(chosen.has(docno)));
    button.disabled = known.has(docno);
    button.textContent = known.has(docno) ? say("A target already") : chosen.has(docno) ? say("✓ Fits") : say("Fits");
  }
}

// --- the rewrite -------------------------------------------------------------------------------------------------------

/** Open the rewrite and go to it; from an unchanged one, close it again. */
export function toggleRewrite() {
  const panel = part("rewrite");
  if (!panel.hidden && !isChanged()) {
    show(panel, false);
    part("title").focus({ preventScroll: true });
    return;
  }
  show(panel);
  field().focus();
  field().setSelectionRange(field().value.length, field().value.length);
}

/** Back to the question as it was. */
export function dropRewrite() {
  field().value = text();
  keep();
  redraw();
  show(part("rewrite"), false);
  part("title").focus({ preventScroll: true });
  announce(say("The rewrite is gone. The question stands as it was."));
}

export function leaveRewrite() {
  if (!isChanged()) show(part("rewrite"), false);
}

export function noteRewrite() {
  keep();
  redraw();
}

/** Keep what was entered in this browser until it is sent. */
const keep = () => keepDraft(unit.cells[0].assignment, read());
