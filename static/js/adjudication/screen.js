/** Keys of the adjudication screen. Everything they do is a button or field on the page; without a script the forms work. */

import { isLeaving } from "./leaving.js";

const CAUSES = { a: "ambiguous", g: "guideline", e: "error", d: "edge", s: "subjective" };
const GOES = { ArrowLeft: "earlier", ArrowRight: "later", b: "back", u: "undo" };

const form = () => document.querySelector("[data-decision]");
const go = (name) => document.querySelector(`[data-go="${name}"]`);
const typing = (target) => target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

for (const label of document.querySelectorAll("[data-cause]")) {
  label.textContent = Object.keys(CAUSES).find((key) => CAUSES[key] === label.dataset.cause).toUpperCase();
}
showWhatIsNeeded();

document.addEventListener("keydown", (event) => {
  if (isLeaving() || event.isComposing || event.repeat || document.querySelector("dialog[open], details.menu[open]")) return;
  if (typing(event.target)) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) decide(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") {
    if (!event.target.matches?.("a, button, summary")) decide(event);
  } else if (/^\d$/.test(event.key)) choose("value", event.key, event);
  else if (CAUSES[event.key.toLowerCase()]) choose("cause", CAUSES[event.key.toLowerCase()], event);
  else act(event);
});

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
  event.preventDefault();
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

document.body.dataset.ready = "true"; // for tests: keys work from now on
