/** The palette: Ctrl+K or its button opens it; arrows go through what was found, Enter opens, Esc closes. */

import { announce } from "../base.js";
import { say } from "../words.js";

const dialog = document.getElementById("palette");
const form = dialog.querySelector("form");
const field = form.elements.q;
const links = () => [...dialog.querySelectorAll("[data-palette-results] a")];

async function open() {
  if (document.querySelector("dialog[open]")) return; // another question waits for its answer
  dialog.showModal();
  field.select();
  if (await htmxLoaded()) window.htmx.trigger(form, "palette-open");
  else showUnreachable();
}

let loading = null;

/** Whether htmx is there: the labelling screen comes without it, and it is fetched when the palette is first opened. */
function htmxLoaded() {
  if (window.htmx) return true;
  loading ??= new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = dialog.dataset.htmx;
    script.onload = () => resolve(true);
    script.onerror = () => {
      loading = null;
      script.remove();
      resolve(false);
    };
    // Added earlier, htmx would wait for an event of loading that may be over.
    if (document.readyState === "complete") document.head.append(script);
    else window.addEventListener("load", () => document.head.append(script), { once: true });
  });
  return loading;
}

function showUnreachable() {
  dialog.close();
  announce(say("The server cannot be reached. Check the network and try again."), "bad");
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  if (dialog.open) dialog.close();
  else open();
});

document.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // outside of it, where `closedby` is not known
  if (!event.target.closest("[data-palette-button]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});

// What is shown may be the answer to fewer letters than were typed: Enter waits for the answer to all of them.
let opensFirst = false;

const typed = () => field.value.split(/\s+/).filter(Boolean).join(" ");

function isAnswered() {
  return dialog.querySelector("[data-palette-results]")?.dataset.text === typed();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (isAnswered()) links()[0]?.click();
  else opensFirst = true;
});

dialog.addEventListener("htmx:afterSettle", () => {
  if (opensFirst && isAnswered()) links()[0]?.click();
  opensFirst = false;
});

dialog.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    move(step);
  } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && document.activeElement !== field) {
    field.focus(); // typing on narrows what is shown
  }
});

/** To the next or the previous link; above the first is the field, whose Enter opens the first. */
function move(step) {
  const found = links();
  const at = found.indexOf(document.activeElement);
  const from = at < 0 && step > 0 && found.length > 1 && document.activeElement === field ? 0 : at;
  const next = found[Math.min(from + step, found.length - 1)];
  if (from + step < 0) field.focus();
  else next?.focus();
}
