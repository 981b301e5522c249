/** The adjudication screen for papers: keys, taking versions and going on to the next paper without loading a page. Without this script the same forms work. */

import { announce, csrfToken } from "../base.js";
import { isLeaving } from "./leaving.js";
import { isOnTheWay, open } from "./papers.js";

const form = () => document.querySelector("[data-versions]");
const all = () => [...document.querySelectorAll("[data-difference]")];
const isOpen = (each) => each.dataset.state === "open";
let current = null; // name of the difference that keys are about
let queue = Promise.resolve();
let waiting = 0;

// --- where one is -------------------------------------------------------------------------------------------------------

const here = () => (current ? document.getElementById(`d-${current}`) : null);

function go(difference, { focus = true } = {}) {
  if (!difference) return;
  here()?.removeAttribute("aria-current");
  current = difference.dataset.difference;
  difference.setAttribute("aria-current", "true");
  if (!focus) return;
  difference.focus({ preventScroll: true });
  difference.scrollIntoView({ block: "center", behavior: "instant" });
}

function move(steps) {
  const found = all();
  const at = found.indexOf(here());
  go(found[at < 0 ? 0 : Math.max(0, Math.min(found.length - 1, at + steps))]);
}

/** The next undecided one, from the end back to the start; false where there is none. */
function goToOpen() {
  const found = all();
  const at = found.indexOf(here());
  const next = [...found.slice(at + 1), ...found.slice(0, at + 1)].find(isOpen);
  if (next) go(next);
  return Boolean(next);
}

// --- taking -------------------------------------------------------------------------------------------------------------

function takeHere(wanted) {
  if (!here()) move(0);
  const versions = [...(here()?.querySelectorAll("[data-version]") ?? [])];
  const version = versions.find((each, i) => each.dataset.version.split(" ").includes(wanted) || String(i + 1) === wanted);
  const button = version?.querySelector("button[name=take]");
  if (!button) return;
  take(button);
  if (!goToOpen()) document.querySelector("[data-go=accept]")?.focus();
}

/** Show the choice at once and send it; answers come in the order of the choices. */
function take(button) {
  const difference = button.closest("[data-difference]");
  for (const version of difference.querySelectorAll("[data-version]")) {
    const own = version.querySelector("button[name=take]");
    version.classList.toggle("is-chosen", own === button);
    own?.setAttribute("aria-pressed", String(own === button));
  }
  difference.dataset.state = "taken";
  send(form().action, { [button.name]: button.value });
}

function send(address, fields) {
  waiting += 1;
  form().toggleAttribute("data-busy", true);
  queue = queue.then(() => exchange(address, fields)).finally(() => {
    waiting -= 1;
    form()?.toggleAttribute("data-busy", waiting > 0);
  });
  return queue;
}

async function exchange(address, fields) {
  const body = new FormData(form());
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const headers = { "X-Requested-With": "XMLHttpRequest", "X-CSRFToken": csrfToken() };
  const answer = await fetch(address, { method: "POST", body, headers, redirect: "manual" }).catch(() => null);
  if (answer?.status === 200) return show(await answer.text());
  if (answer?.status === 422) announce(await answer.text(), "warn");
  else if (!answer) return announce("The server cannot be reached. The last choice is not saved: take it again in a moment.", "bad");
  window.location.reload(); // what is shown is no longer so
}

/** Put what changed into the page, and the focus back to where it was. */
function show(html) {
  const fragment = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  const focused = document.activeElement?.closest("[data-difference]")?.dataset.difference;
  const pressed = document.activeElement?.matches("button[name=take]") ? document.activeElement.value : null;
  for (const part of [...fragment.children]) document.getElementById(part.id)?.replaceWith(part);
  here()?.setAttribute("aria-current", "true");
  const again = pressed ? document.querySelector(`button[name=take][value="${CSS.escape(pressed)}"]`) : null;
  if (again) again.focus({ preventScroll: true });
  else if (focused && !document.activeElement?.closest("[data-difference]")) document.getElementById(`d-${focused}`)?.focus({ preventScroll: true });
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-versions]") || event.defaultPrevented) return;
  const button = event.submitter;
  if (button?.name === "take") {
    event.preventDefault();
    go(button.closest("[data-difference]"), { focus: false });
    take(button);
  } else if (button?.name === "step") {
    event.preventDefault();
    send(button.formAction, { step: button.value });
  } else if (["accept", "withdraw"].includes(button?.dataset.go)) {
    event.preventDefault();
    const body = new FormData(event.target, button);
    queue.then(() => open(button.formAction, { method: "POST", body }, start)); // what was taken goes first
  } else if (waiting > 0) {
    event.preventDefault(); // what was taken goes first
    queue.then(() => form()?.requestSubmit(document.querySelector(`[data-go="${button?.dataset.go}"]`) ?? undefined));
  }
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-exchange]") || event.defaultPrevented) return;
  event.preventDefault();
  open(event.target.action, { method: "POST", body: new FormData(event.target, event.submitter) }, start);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest(".adjudication-queue a, [data-go=earlier], [data-go=later]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open(link.href, {}, start);
});

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-key-help]")) document.querySelector("[data-key-dialog]").showModal();
  const version = event.target.closest("[data-version]");
  if (!version || event.target.closest("button, a") || !window.getSelection().isCollapsed) return;
  version.querySelector("button[name=take]")?.click();
});

document.addEventListener("focusin", (event) => {
  const difference = event.target.closest?.("[data-difference]");
  if (difference && difference.dataset.difference !== current) go(difference, { focus: false });
});

// --- keys ---------------------------------------------------------------------------------------------------------------

const press = (name) => document.querySelector(`[data-go="${name}"]:not(:disabled)`)?.click();

const KEYS = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  n: () => goToOpen() || announce("Nothing is undecided.", "ok"),
  u: () => press(document.querySelector("[data-go=withdraw]") ? "withdraw" : "undo"),
  e: () => press("edit"), ArrowLeft: () => press("earlier"), ArrowRight: () => press("later"),
  "?": () => document.querySelector("[data-key-dialog]").showModal(),
  Enter: () => goToOpen() || press("accept"),
};

document.addEventListener("keydown", (event) => {
  if (!form() && !["ArrowLeft", "ArrowRight"].includes(event.key)) return; // nothing to decide: to the papers around
  if (isLeaving() || isOnTheWay() || event.isComposing || event.altKey || document.querySelector("dialog[open], details.menu[open]")) return;
  if (event.target.matches?.("input:not([type=checkbox]), textarea, select")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") (event.preventDefault(), press(event.shiftKey ? "redo" : "undo"));
    return;
  }
  if (key === "Enter" && event.target.matches?.("a, button, summary, input")) return;
  if (event.repeat && !key.startsWith("Arrow") && key !== "j" && key !== "k") return;
  const letters = new Set([...document.querySelectorAll("[data-version]")].flatMap((each) => each.dataset.version.split(" ")));
  const wanted = event.key.toUpperCase();
  if (key === "u" && event.shiftKey) press("redo");
  else if (KEYS[key] && !(letters.has(wanted) && key.length === 1 && !"jknue".includes(key))) KEYS[key]();
  else if (!event.shiftKey && (letters.has(wanted) || /^[1-9]$/.test(key))) takeHere(wanted);
  else return;
  event.preventDefault();
});

/** A paper is there: its first undecided difference is the current one, or the one that the address names. */
function start() {
  current = null;
  const asked = document.getElementById(window.location.hash.slice(1));
  go(asked?.matches("[data-difference]") ? asked : (all().find(isOpen) ?? all()[0]), { focus: Boolean(asked) });
}

start();
