/** Keys of the adjudication screen. Everything they do is a button or field on the page; without a script the forms work. */

import { digitOf } from "../keys.js";
import { isLeaving } from "./leaving.js";

const CAUSES = { a: "ambiguous", g: "guideline", e: "error", d: "edge", s: "subjective" };
const GOES = { ArrowLeft: "earlier", ArrowRight: "later", b: "back", u: "undo" };

/** What was pressed for the item that is on its way, {name: value} of its form; null while none is. */
let coming = null;

const form = () => document.querySelector("[data-decision]");
const go = (name) => document.querySelector(`[data-go="${name}"]`);
const typing = (target) => target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

document.addEventListener("keydown", (event) => {
  if (isLeaving() || event.isComposing || event.repeat || document.querySelector("dialog[open], details.menu[open]")) return;
  if (coming) return void keep(event);
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) decide(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") {
    if (!event.target.matches?.("a, button, summary")) decide(event);
    return;
  }
  const answer = answerOf(event);
  if (answer) choose(...answer, event);
  else act(event);
});

/** [name, value] of the radio button that a key stands for, or null. */
function answerOf(event) {
  const digit = digitOf(event);
  if (digit !== null) return ["value", String(digit)];
  const cause = CAUSES[event.key.toLowerCase()];
  return cause ? ["cause", cause] : null;
}

function act(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const onRadio = event.target.matches?.("input[type=radio]");
  if (key === "?") document.querySelector("[data-key-dialog]").showModal();
  else if (key === "c") document.getElementById("comment")?.focus();
  else if (GOES[key] && !(onRadio && key.startsWith("Arrow"))) (go(GOES[key]) ?? (key === "u" ? go("withdraw") : null))?.click();
  else return;
  event.preventDefault();
}

/** Check the radio button of a group with this value, if there is one. */
function choose(name, value, event) {
  const radio = form()?.querySelector(`input[name="${name}"][value="${CSS.escape(value)}"]`);
  if (!radio) return;
  event?.preventDefault();
  radio.checked = true;
  radio.focus();
  showWhatIsNeeded();
}

function decide(event) {
  if (!form()) return;
  event.preventDefault();
  if (lacking()) return;
  form().requestSubmit();
}

/** Whether something is missing before the decision can be sent; the page then says what, and goes there. */
function lacking() {
  const value = form().elements.value.value;
  const refused = document.getElementById("refused");
  if (!value) {
    refused.textContent = "Choose a value first: press its digit.";
    return true;
  }
  if (!needsComment(value)) return false;
  refused.textContent = "Nobody voted for this value. Say in the comment why it is right.";
  document.getElementById("comment").focus();
  return true;
}

function needsComment(value) {
  return value !== "" && !form().dataset.voted.split(",").includes(value) && !form().elements.comment.value.trim();
}

function showWhatIsNeeded() {
  if (!form()) return;
  const needed = needsComment(form().elements.value.value);
  form().classList.toggle("comment-needed", needed);
  document.getElementById("comment").required = needed;
  if (form().elements.value.value) document.getElementById("refused").textContent ||= "";
}

document.addEventListener("input", (event) => {
  if (event.target.closest("[data-decision]")) showWhatIsNeeded();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-key-help]")) document.querySelector("[data-key-dialog]").showModal();
});

// --- from item to item --------------------------------------------------------------------------------------------------

/** A value or cause is kept for the item that comes. Nothing is decided and nobody goes on before it can be seen. */
function keep(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || coming.isText) return;
  const answer = answerOf(event);
  if (answer) coming[answer[0]] = answer[1];
  else if (event.key.toLowerCase() === "c") coming.isText = true; // what follows is a comment
  event.preventDefault();
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target.id !== "content") return;
  coming = {};
  document.activeElement?.blur(); // or what is typed would still go into the comment of the old item
});

document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.target.id !== "content") return;
  const kept = coming;
  coming = null;
  showCauses();
  document.getElementById("content").focus({ preventScroll: true });
  if (!event.detail.successful) return; // the same item is still shown: what was kept is not about it
  for (const name of ["cause", "value"]) if (name in kept) choose(name, kept[name]);
  if (kept.isText) document.getElementById("comment")?.focus();
});

/** Write its key on each cause. */
function showCauses() {
  for (const label of document.querySelectorAll("[data-cause]")) {
    label.textContent = Object.keys(CAUSES).find((key) => CAUSES[key] === label.dataset.cause).toUpperCase();
  }
  showWhatIsNeeded();
}

showCauses();
document.body.dataset.ready = "true"; // for tests: keys work from now on
