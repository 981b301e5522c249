/** Lists: rows that unfold, rows picked in bulk, filters that apply as soon as they change. */

import { say } from "./words.js";

document.addEventListener("click", (event) => {
  const row = event.target.closest?.("tr");
  const button = row?.querySelector(":scope > .opener > button:not([hidden])");
  if (!button) return;
  const isText = !event.target.closest("a, button, input, select, textarea, label, summary, .pick");
  if (button.contains(event.target) || (isText && getSelection().isCollapsed)) {
    button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true"));
  }
});

/** A row without details has its button only where something in it is cut. */
function offerOpeners() {
  const buttons = [...document.querySelectorAll(".opener > button:not([aria-expanded='true'])")];
  const needed = buttons.map((button) => {
    const row = button.closest("tr");
    const cells = [...row.querySelectorAll(":scope > :is(.fills, .cut)")];
    return row.nextElementSibling?.matches(".more") || cells.some((cell) => cell.scrollWidth > cell.clientWidth);
  });
  buttons.forEach((button, index) => {
    button.hidden = !needed[index];
  });
}

document.addEventListener("htmx:afterSwap", offerOpeners);
window.addEventListener("resize", offerOpeners);
offerOpeners();

// --- filters ----------------------------------------------------------------------------------------------------------

// What is not filled in does not stand in the address.
document.addEventListener("htmx:configRequest", ({ target, detail }) => {
  if (!target.matches?.("[data-filters]")) return;
  for (const name of new Set(detail.formData.keys())) {
    const isKept = target.querySelector(`input[type="hidden"][name="${CSS.escape(name)}"]`);
    if (!isKept && detail.formData.getAll(name).every((value) => value === "")) detail.formData.delete(name);
  }
});

// What was found is read out to those who do not see the rows change: by an element that no answer replaces.
const found = Object.assign(document.createElement("p"), { className: "visually-hidden", id: "found" });
found.setAttribute("role", "status");
document.body.append(found);

document.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (!detail.requestConfig?.elt.matches("[data-filters]")) return;
  found.textContent = document.querySelector("[data-filters]")?.dataset.found || say("The list has changed.");
});

// --- rows picked in bulk: all of a page at once, ranges with Shift, and how many --------------------------------------

const boxes = () => [...document.querySelectorAll('input[name="pick"]')];
let last = null;

function show() {
  const form = document.querySelector("[data-picks]");
  if (!form) return;
  const every = form.querySelector("[data-pick-everything]");
  const all = boxes();
  const picked = all.filter((box) => box.checked).length;
  const head = document.querySelector("[data-pick-all]");
  if (head) {
    head.hidden = false;
    head.checked = picked > 0 && picked === all.length;
    head.indeterminate = picked > 0 && picked < all.length;
  }
  if (every && picked === 0) every.checked = false; // the bar goes with the last box
  form.querySelector("[data-picked]").textContent = every?.checked ? say("All selected") : say("{picked} selected", { picked });
}

function clear() {
  for (const box of boxes()) box.checked = false;
  show();
  document.querySelector("[data-pick-all]").focus(); // the button goes with the bar
}

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = target.checked;
  if (target.matches('[data-pick-all], [data-pick-everything], input[name="pick"]')) show();
});

document.addEventListener("click", (event) => {
  const box = event.target;
  if (box.closest?.("[data-pick-none]")) clear();
  if (!box.matches?.('input[name="pick"]')) return;
  const all = boxes();
  if (event.shiftKey && all.includes(last)) {
    const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
    for (const each of all.slice(from, to + 1)) each.checked = box.checked;
    show();
  }
  last = box;
});

document.addEventListener("htmx:afterSwap", show);
window.addEventListener("pageshow", show);
show();
