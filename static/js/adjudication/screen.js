/** Keys of the adjudication screen. Everything they do is a button or field on the page; without a script the forms work. */

import { digitOf } from "../keys.js";
import { isLeaving } from "./leaving.js";

const CAUSES = { a: "ambiguous", g: "guideline", e: "error", d: "edge", s: "subjective" };
const GOES = { ArrowLeft: "earlier", ArrowRight: "later", b: "back", u: "undo" };

/** What was pressed for the item that is on its way, {name: value} of its form; null while none is. */
let coming = null;

/** Keys pressed before htmx has taken forms and links over, which would load a whole page until then; null afterwards. */
let early = window.htmx ? [] : null;

const form = () => document.querySelector("[data-decision]");
const go = (name) => document.querySelector(`[data-go="${name}"]`);
const typing = (target) => target.matches?.("textarea, select, input:not([type=radio], [type=checkbox])");

document.addEventListener("keydown", (event) => {
  if (isLeaving() || event.isComposing || event.repeat || document.querySelector("dialog[open], details.menu[open]")) return;
  if (early && isForItem(event)) {
    event.preventDefault();
    early.push(event);
  } else hear(event);
});

/** Whether a key is about the item as a whole, not for the field, link or browser that has it. */
function isForItem(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return false;
  if (event.key === "Enter") return !event.target.matches?.("a, button, summary");
  return Boolean(answerOf(event) || event.key in GOES || GOES[event.key.toLowerCase()]);
}

function hear(event) {
  if (coming) return void keep(event);
  if (typing(event.target)) {
    if (event.key === "Escape") leave(event.target);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) decide(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") {
    if (!event.target.matches?.("a, button, summary")) decide(event);
    return;
  }
  const answer = answerOf(event);
  if (!answer) return act(event);
  choose(...answer, event);
  if (answer[0] === "value" && atOnce()) decide(event);
}

/** From a field to the decision as a whole, where a person sees that keys decide again. */
function leave(field) {
  field.blur();
  form()?.focus({ preventScroll: true });
}

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
  else if (key === "m") openMachines();
  else if (GOES[key] && !(onRadio && key.startsWith("Arrow"))) (go(GOES[key]) ?? (key === "u" ? go("withdraw") : null))?.click();
  else return;
  event.preventDefault();
}

/** Check the radio button of a group with this value, if there is one. A cause that is pressed again is none. */
function choose(name, value, event) {
  const radioOf = (wanted) => form()?.querySelector(`input[name="${name}"][value="${CSS.escape(wanted)}"]`);
  const radio = name === "cause" && radioOf(value)?.checked ? radioOf("") : radioOf(value);
  if (!radio) return;
  event?.preventDefault();
  radio.checked = true;
  radio.focus();
  showWhatIsNeeded();
}

/** Show what machines said, or fold it again. */
function openMachines() {
  const folds = [...document.querySelectorAll("[data-machine]")];
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
  folds.at(-1)?.scrollIntoView({ block: "nearest" });
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

let pressed = null; // the chosen cause on which the pointer went down
document.addEventListener("pointerdown", (event) => {
  pressed = event.target.closest(".decision-causes .chip")?.querySelector("input:checked") ?? null;
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-key-help]")) document.querySelector("[data-key-dialog]").showModal();
  if (pressed && event.target === pressed) choose("cause", pressed.value);
});

// --- one key a decision: a person's choice, kept in this browser -------------------------------------------------------

const AT_ONCE = "litmus-decides-at-once";
const atOnce = () => Boolean(form()?.querySelector("[data-at-once]")?.checked);

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-at-once]")) localStorage.setItem(AT_ONCE, event.target.checked ? "yes" : "no");
});

function showAtOnce() {
  const box = form()?.querySelector("[data-at-once]");
  const kept = localStorage.getItem(AT_ONCE);
  if (box && kept) box.checked = kept === "yes";
}

// --- from item to item --------------------------------------------------------------------------------------------------

/** A value or cause is kept for the item that comes. Nothing is decided and nobody goes on before it can be seen. */
function keep(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || coming.isText) return;
  if (event.key.length > 1 && event.key !== "Enter" && !event.key.startsWith("Arrow")) return;
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
  document.getElementById("content")?.focus({ preventScroll: true });
  arrive(event.detail.successful ? coming : {}); // else the same item is still shown: what was kept is not about it
});

document.addEventListener("htmx:load", (event) => {
  if (event.target === document.body) arriveFirst();
});

/** The page's own item is there. What was pressed early is done now, in the order of the keys. */
function arriveFirst() {
  const keys = early ?? [];
  early = null;
  arrive({});
  for (const key of keys) hear(key);
}

/** An item is there, and its keys work: choose what was pressed for it. */
function arrive(kept) {
  coming = null;
  showCauses();
  showAtOnce();
  for (const name of ["cause", "value"]) if (name in kept) choose(name, kept[name]);
  if (kept.isText) document.getElementById("comment")?.focus();
  document.body.dataset.ready = "true"; // for tests: keys work from now on
}

/** Write its key on each cause. */
function showCauses() {
  for (const label of document.querySelectorAll("[data-cause]")) {
    label.textContent = Object.keys(CAUSES).find((key) => CAUSES[key] === label.dataset.cause).toUpperCase();
  }
  showWhatIsNeeded();
}

if (!early) arriveFirst();
