/** Topics in order and aspects in their tree: moved, tied to sentences and taken back by dragging and by keys.
 * Buttons and forms do the same without this script. */

import { announce } from "../base.js";

const WAYS = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" };
let dragged = null;
let drop = null;
let chosen = null; // the id of the aspect whose sentences are shown
let returnTo = null; // the id of what gets the focus after the change that is sent next, instead of the aspect
const pressed = new WeakMap(); // of requests: the same, once they are sent

/** Send a change and put the answer in the place of `target`. */
function post(source, url, values, target) {
  window.htmx.ajax("POST", url, { source, target, swap: "outerHTML", values });
}

// --- keys on an aspect ------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  const node = event.target.closest?.("[data-node]");
  if (!node || node !== event.target || event.repeat || event.ctrlKey || event.metaKey) return;
  if (event.altKey && WAYS[event.key]) post(node, node.dataset.placeUrl, { way: WAYS[event.key] }, "#workshop");
  else if (event.altKey) return;
  else if (/^[1-9]$/.test(event.key)) tie(node, Number(event.key) - 1);
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") step(node, event.key === "ArrowDown" ? 1 : -1);
  else if (event.key === "Enter" || event.key === "F2") open(node);
  else if (event.key === "Delete") remove(node);
  else if (event.key.toLowerCase() === "n") document.getElementById("aspect-new").focus();
  else return;
  event.preventDefault();
});

/** Go to the aspect before or after in reading order. */
function step(node, by) {
  const all = [...document.querySelectorAll("[data-node]")];
  all[all.indexOf(node) + by]?.focus();
}

function open(node) {
  const menu = node.querySelector(":scope > .aspect-row > details");
  menu.open = true;
  menu.querySelector("textarea").focus();
}

function remove(node) {
  const button = node.querySelector(":scope > .aspect-row [data-delete]");
  const all = [...document.querySelectorAll("[data-node]")];
  const after = all.slice(all.indexOf(node)).find((each) => !node.contains(each));
  if (button) {
    returnTo = (after ?? all[all.indexOf(node) - 1])?.id ?? "aspect-new";
    button.form.requestSubmit(button);
  } else announce("This aspect cannot be deleted: a campaign needs it.", "warn");
}

// Ctrl+Z takes the last change back, with Shift (or Ctrl+Y) it is done again; in a field they are the browser's own.
document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key)) return;
  if (!document.querySelector("[data-workshop]") || event.target.closest("input, textarea, select")) return;
  const way = key === "y" || event.shiftKey ? "redo" : "undo";
  event.preventDefault();
  const button = document.getElementById(`step-${way}`);
  if (button) button.click(); // a click, so that htmx knows which of the two buttons it was
  else announce(`There is nothing to ${way}.`);
});

// --- ties to sentences ------------------------------------------------------------------------------------------------

/** Tie the aspect to the sentence (from 0), or untie it. */
function tie(node, sentence) {
  if (!document.querySelector(`[data-tie="${sentence}"]`)) return announce(`There is no sentence ${sentence + 1}.`);
  return post(node, node.dataset.tieUrl, { sentence }, "#workshop");
}

document.addEventListener("focusin", (event) => {
  const node = event.target.closest?.("[data-node]");
  if (node) choose(node);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-tie]");
  const node = chosen && document.querySelector(`[data-node="${chosen}"]`);
  if (button && node) {
    returnTo = button.id;
    tie(node, Number(button.dataset.tie));
  }
  const from = event.target.closest?.("[data-aspect-from]");
  if (from) beginAspect(from.dataset.aspectFrom);
});

/** Show which sentences this aspect comes from, and let them be pressed. */
function choose(node) {
  chosen = node.dataset.node;
  const ties = node.dataset.ties.split(" ");
  for (const each of document.querySelectorAll("[data-node].is-chosen")) each.classList.remove("is-chosen");
  node.classList.add("is-chosen");
  for (const button of document.querySelectorAll("[data-tie]")) {
    const isTied = ties.includes(button.dataset.tie);
    button.disabled = false;
    button.setAttribute("aria-pressed", String(isTied));
    button.closest("[data-sentence]").classList.toggle("is-lit", isTied);
  }
  const words = document.querySelector("[data-chosen-words]");
  if (words) words.textContent = `Lit: where “${shortened(node.getAttribute("aria-label"))}” comes from`;
}

const shortened = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

function beginAspect(sentence) {
  for (const box of document.querySelectorAll("[data-new-tie]")) box.checked = box.dataset.newTie === sentence;
  document.getElementById("new-ties").open = true;
  document.getElementById("aspect-new").focus();
}

// Pointing at a sentence shows the aspects that come from it.
for (const [name, isLit] of [["pointerover", true], ["pointerout", false]]) {
  document.addEventListener(name, (event) => {
    const sentence = event.target.closest?.("[data-workshop] [data-sentence]");
    if (!sentence || sentence.contains(event.relatedTarget)) return;
    for (const node of document.querySelectorAll(`[data-ties~="${sentence.dataset.sentence}"]`)) {
      node.classList.toggle("is-lit", isLit);
    }
  });
}

// --- dragging ---------------------------------------------------------------------------------------------------------

// Only the handle starts a drag, so that texts can still be selected.
document.addEventListener("pointerdown", (event) => {
  const thing = event.target.closest(".handle")?.closest("[data-node], [data-row]");
  if (thing) thing.draggable = true;
});

document.addEventListener("dragstart", (event) => {
  const thing = event.target.closest?.("[data-node][draggable=true], [data-row][draggable=true]");
  if (!thing) return;
  dragged = thing;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
  thing.classList.add("is-dragged");
});

document.addEventListener("dragover", (event) => {
  if (!dragged) return;
  const sentence = dragged.dataset.node ? event.target.closest("[data-sentence]") : null;
  if (sentence) {
    mark({ over: sentence, where: "tie" });
    event.preventDefault();
    return;
  }
  const over = event.target.closest(dragged.dataset.node ? "[data-node]" : "[data-row]");
  const where = over && !dragged.contains(over) ? placeOver(over, event.clientY) : null;
  mark(where ? { over, where } : null);
  if (where) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  if (!dragged || !drop) return;
  event.preventDefault();
  if (dragged.dataset.node) dropAspect(dragged, drop);
  else dropTopic(dragged, drop);
});

document.addEventListener("dragend", () => {
  if (!dragged) return;
  dragged.classList.remove("is-dragged");
  dragged.draggable = false;
  dragged = null;
  mark(null);
});

/** before, after or into the thing under the pointer; null where the dragged one cannot go. */
function placeOver(over, y) {
  const row = over.querySelector(":scope > .aspect-row") ?? over;
  const box = row.getBoundingClientRect();
  const part = (y - box.top) / box.height;
  if (!over.dataset.node) return part < 0.5 ? "before" : "after";
  const hasChildren = Boolean(dragged.querySelector("[data-node]"));
  const overIsBelow = Boolean(over.dataset.parent);
  if (hasChildren && overIsBelow) return null;
  if (!overIsBelow && !hasChildren && part > 0.3 && part < 0.7) return "into";
  return part < 0.5 ? "before" : "after";
}

function mark(next) {
  if (drop) delete drop.over.dataset.drop;
  drop = next;
  if (drop) drop.over.dataset.drop = drop.where;
}

function dropAspect(node, { over, where }) {
  if (where === "tie") return tie(node, Number(over.dataset.sentence));
  if (where === "into") return post(node, node.dataset.placeUrl, { parent: over.dataset.node }, "#workshop");
  const siblings = [...over.parentElement.children].filter((each) => each !== node);
  const place = siblings.indexOf(over) + (where === "after" ? 1 : 0);
  return post(node, node.dataset.placeUrl, { parent: over.dataset.parent, place }, "#workshop");
}

function dropTopic(row, { over, where }) {
  const first = Number(row.closest("[data-sortable]").dataset.sortable) - 1;
  const rows = [...over.parentElement.children].filter((each) => each !== row);
  const place = first + rows.indexOf(over) + (where === "after" ? 1 : 0);
  post(row, row.dataset.placeUrl + window.location.search, { place }, "#topics");
}

// --- after a change ---------------------------------------------------------------------------------------------------

// What is typed in other fields of the workshop outlives a change: each change brings all of it back from the server.
let drafts = new Map();

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "workshop") return;
  const sent = event.detail.requestConfig.elt.closest("form");
  const failed = event.detail.xhr.status >= 400;
  drafts = new Map();
  for (const field of event.detail.target.querySelectorAll("input[id]:not([type=hidden]), textarea[id]")) {
    if ((field.value !== field.defaultValue || "draft" in field.dataset) && (failed || field.form !== sent)) drafts.set(field.id, field.value);
  }
});

function putBackDrafts() {
  for (const [id, value] of drafts) {
    const field = document.getElementById(id);
    if (!field || field.readOnly) continue;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const sheet = field.closest("details");
    if (sheet && !sheet.matches(".menu")) sheet.open = true;
  }
  drafts = new Map();
}

// The focus stays with what was moved; after adding it is in the field for the next one.
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  const workshop = document.querySelector("[data-workshop]");
  if (!workshop) return;
  putBackDrafts();
  const { focus, adding } = workshop.dataset;
  delete workshop.dataset.focus;
  delete workshop.dataset.adding;
  if (focus) document.querySelector(`[data-node="${focus}"]`)?.focus();
  if (adding === "top") document.getElementById("aspect-new").focus();
  else if (adding) {
    open(document.querySelector(`[data-node="${adding}"]`));
    document.getElementById(`below-${adding}`).focus();
  }
  const again = chosen && document.querySelector(`[data-node="${chosen}"]`);
  if (again) choose(again);
  const button = pressed.get(detail.xhr);
  if (button) document.getElementById(button)?.focus();
});

// The button belongs to its own request: an answer that is still settling when it is pressed must not use it up.
document.addEventListener("htmx:beforeSend", ({ detail }) => {
  if (returnTo) pressed.set(detail.xhr, returnTo);
  returnTo = null;
});
