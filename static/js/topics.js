/** Topics in order and aspects in their tree: moved by dragging and by keys. Buttons do the same without this script. */

import { announce } from "./base.js";

const WAYS = { ArrowUp: "up", ArrowDown: "down", ArrowRight: "indent", ArrowLeft: "outdent" };
let dragged = null;
let drop = null;

/** Send a change and put the answer in the place of `target`. */
function post(source, url, values, target) {
  window.htmx.ajax("POST", url, { source, target, swap: "outerHTML", values });
}

// --- keys on an aspect ------------------------------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  const node = event.target.closest?.("[data-node]");
  if (!node || node !== event.target || event.repeat || event.ctrlKey || event.metaKey) return;
  if (event.altKey && WAYS[event.key]) post(node, node.dataset.placeUrl, { way: WAYS[event.key] }, "#aspects");
  else if (event.altKey) return;
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
  if (button) button.form.requestSubmit(button);
  else announce("This aspect cannot be deleted: a campaign needs it.", "warn");
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
  if (where === "into") return post(node, node.dataset.placeUrl, { parent: over.dataset.node }, "#aspects");
  const siblings = [...over.parentElement.children].filter((each) => each !== node);
  const place = siblings.indexOf(over) + (where === "after" ? 1 : 0);
  return post(node, node.dataset.placeUrl, { parent: over.dataset.parent, place }, "#aspects");
}

function dropTopic(row, { over, where }) {
  const first = Number(row.closest("[data-sortable]").dataset.sortable) - 1;
  const rows = [...over.parentElement.children].filter((each) => each !== row);
  const place = first + rows.indexOf(over) + (where === "after" ? 1 : 0);
  post(row, row.dataset.placeUrl + window.location.search, { place }, "#topics");
}

// --- after a change ---------------------------------------------------------------------------------------------------

// The focus stays with what was moved; after adding it is in the field for the next one.
document.addEventListener("htmx:afterSettle", () => {
  const tree = document.querySelector("[data-aspects]");
  if (!tree) return;
  const { focus, adding } = tree.dataset;
  delete tree.dataset.focus;
  delete tree.dataset.adding;
  if (focus) document.querySelector(`[data-node="${focus}"]`)?.focus();
  if (adding === "top") document.getElementById("aspect-new").focus();
  else if (adding) {
    open(document.querySelector(`[data-node="${adding}"]`));
    document.getElementById(`below-${adding}`).focus();
  }
});
