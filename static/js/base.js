/** What every page can do: menus that close, copying, confirmations, failed requests, the theme. */

import { say } from "./words.js";

const messages = () => document.getElementById("messages");

/** Put a message for the person into the page's live region. `level`: ok, warn, bad or info. */
export function announce(text, level = "info") {
  const template = document.getElementById("message-template");
  const message = template.content.firstElementChild.cloneNode(true);
  message.classList.add(level);
  message.querySelector("[data-text]").textContent = text;
  messages().append(message);
}

// What went well goes when there was time to read it twice: 3 words a second, 8 s at least. Time counts while the page
// is seen and no hand rests on the message. Warnings and failures stay until they are closed.
const LEAST_SECONDS = 8;
const WORDS_A_SECOND = 3;

function closeOnceRead(message) {
  const words = message.textContent.trim().split(/\s+/).length;
  let left = Math.max(LEAST_SECONDS, (2 * words) / WORDS_A_SECOND);
  const timer = setInterval(() => {
    if (!message.isConnected) clearInterval(timer);
    else if (!document.hidden && !message.matches(":hover, :focus-within") && (left -= 1) <= 0) message.remove();
  }, 1000);
}

function watchMessages() {
  const passing = ".alert:is(.ok, .info):not(:has(a))";
  for (const each of messages().querySelectorAll(passing)) closeOnceRead(each);
  const added = (records) => records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.matches?.(passing));
  new MutationObserver((records) => added(records).forEach(closeOnceRead)).observe(messages(), { childList: true });
}

watchMessages();

/** Until the style sheets are there, nothing takes the focus. */
function focusOnceDrawn(element) {
  requestAnimationFrame(() => element?.focus());
}

// A form that comes back refused begins at what is wrong, for those who see no red border.
focusOnceDrawn(document.querySelector('main [aria-invalid="true"]'));

/** The value of Django's CSRF token, as htmx sends it. */
export function csrfToken() {
  return JSON.parse(document.body.getAttribute("hx-headers"))["x-csrftoken"];
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
  const dismiss = event.target.closest("[data-dismiss]");
  if (dismiss) dismiss.closest(dismiss.dataset.dismiss).remove();
  const copy = event.target.closest("[data-copy]");
  if (copy) copyFrom(copy);
  const refused = event.target.closest('[aria-disabled="true"]');
  if (refused) event.preventDefault();
});

async function copyFrom(button) {
  const source = document.getElementById(button.dataset.copy);
  if (await writeToClipboard(source.value, button)) {
    announce(say("Copied."), "ok");
  } else {
    source.focus();
    source.select();
    announce(say("The browser does not let pages copy here. The text is selected: press Ctrl+C or ⌘C."), "warn");
  }
}

/** Where a page came without TLS from another computer, browsers have no clipboard: there the old command copies a selection. */
async function writeToClipboard(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const selected = Object.assign(document.createElement("textarea"), { value: text, className: "visually-hidden" });
    button.after(selected); // next to it: within a dialog, nothing outside can be selected
    selected.select();
    const isCopied = document.execCommand("copy");
    selected.remove();
    button.focus();
    return isCopied;
  }
}

// Text copied from a PDF may hold control characters, which the server refuses; nobody sees them, so they are taken out.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
document.addEventListener("input", ({ target }) => {
  if (target.matches("input, textarea") && target.type !== "file" && target.value.search(CONTROL) >= 0) {
    target.value = target.value.replace(CONTROL, "");
  }
}, true);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// Forms with data-confirm ask first; without JavaScript the server's own guards are what protects.
document.addEventListener("submit", (event) => {
  const asking = event.submitter?.dataset.confirm ? event.submitter : event.target;
  if (asking.dataset.confirm && !confirmed.delete(event.target)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    askFirst(asking, event.target, event.submitter);
    return;
  }
  if (event.target.matches("[data-theme-form]")) switchTheme(event);
}, true);

// What a form marked so makes is shown in the one answer, or made again by each sending: a second press sends nothing.
// After a while it may be sent again, as its loading may have been stopped; so may that of a page which the browser kept.
const PATIENCE = 10_000; // milliseconds
let sent = new WeakSet();
addEventListener("submit", (event) => {
  if (event.defaultPrevented || !event.target.matches("[data-sent-once]")) return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
  setTimeout(() => sent.delete(event.target), PATIENCE);
});
addEventListener("pageshow", () => (sent = new WeakSet()));

const confirmed = new Set(); // forms whose question was answered with yes

/** Ask in a dialog; on yes send the form, by the button that was pressed. `asking` carries the question. */
function askFirst(asking, form, submitter) {
  const dialog = document.getElementById("confirm-dialog");
  dialog.querySelector("[data-text]").textContent = asking.dataset.confirm;
  const yes = dialog.querySelector("button[value=yes]");
  yes.textContent = asking.dataset.confirmButton ?? submitter?.firstChild.textContent.trim() ?? say("Continue");
  yes.classList.toggle("danger", Boolean(submitter?.classList.contains("danger")));
  yes.classList.toggle("primary", !yes.classList.contains("danger"));
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "yes") return;
    confirmed.add(form);
    form.requestSubmit(submitter);
  };
  dialog.showModal();
}

// Selects and radios marked so send their form when they change (their button is hidden by .no-js-only).
document.addEventListener("change", ({ target }) => {
  if (target.closest("[data-submit-on-change]")) target.form.requestSubmit();
});

// A page that comes again, by a form on it or because its job has ended, goes on where the keyboard was: in the same
// field, else at the part of the page around it. Else a person without a mouse begins at the top each time.
const PLACE = "litmus-place";

/** `isReload`: the browser itself shows again what was looked at. */
function rememberPlace(part, isReload) {
  const id = document.activeElement.id || part.closest("main [id]")?.id;
  sessionStorage.setItem(PLACE, JSON.stringify([location.pathname, id, isReload]));
}

// At the window, after all that the page's scripts do themselves: what they send without leaving is prevented by then.
addEventListener("submit", ({ target, defaultPrevented }) => {
  const byKeys = document.activeElement.matches(":focus-visible"); // a hand on the mouse is where it looks
  if (byKeys && !defaultPrevented && target.method !== "dialog") rememberPlace(target, false);
});

const [path, place, preventScroll] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
sessionStorage.removeItem(PLACE);

function goOnInPlace() {
  const job = document.querySelector("[data-job-final]");
  for (const each of [document.getElementById(place), job, document.querySelector("main h1")]) {
    if (!each || document.activeElement !== document.body) continue;
    if (each.tabIndex < 0) each.tabIndex = -1;
    each.focus({ preventScroll });
  }
}

if (path === location.pathname) requestAnimationFrame(goOnInPlace);

// Details that belong to one choice of a form open when it is chosen.
document.addEventListener("change", ({ target }) => {
  const details = target.checked && target.form?.querySelector(`details[data-open-with="${CSS.escape(target.value)}"]`);
  if (details) details.open = true;
});

// What is changed in such details chooses it.
document.addEventListener("input", ({ target }) => {
  const choice = target.closest("details[data-open-with]")?.dataset.openWith;
  const button = choice && target.form?.querySelector(`[type="radio"][value="${CSS.escape(choice)}"]`);
  if (button) button.checked = true;
});

// A short name is proposed from the title until somebody types one.
document.addEventListener("input", ({ target }) => {
  delete target.dataset?.proposed;
  const slug = target.form?.querySelector(`[data-slug-of="${target.name}"]`);
  if (!slug || (slug.value && slug.dataset.proposed === undefined)) return;
  slug.value = proposedSlug(target.value, slug.maxLength);
  slug.dataset.proposed = "";
});

function proposedSlug(title, longest) {
  const words = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let slug = "";
  for (const word of words) {
    if (slug && slug.length + 1 + word.length > Math.min(longest, 40)) break;
    slug += (slug && "-") + word;
  }
  return slug.slice(0, longest);
}

async function switchTheme(event) {
  event.preventDefault();
  const form = event.target;
  const body = new FormData(form, event.submitter);
  const theme = body.get("theme");
  showTheme(theme);
  const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok) announce(say("The theme is shown but could not be stored; it will be the old one on the next page."), "warn");
}

function showTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const button of document.querySelectorAll("[data-theme-form] button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
}

// A table wider than its frame scrolls sideways: then, and only then, the frame can be reached with the keyboard.
const frames = new ResizeObserver((entries) => entries.forEach(({ target }) => markScrolling(target.closest(".table-scroll"))));

function markScrolling(frame) {
  const scrolls = frame.scrollWidth > frame.clientWidth;
  frame.toggleAttribute("data-scrolls", scrolls);
  for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", frameName(frame)]]) {
    if (scrolls) frame.setAttribute(name, value);
    else frame.removeAttribute(name);
  }
}

const frameName = (frame) => frame.querySelector("caption")?.textContent.trim() || "Table";

function watchFrames(root) {
  for (const each of root.querySelectorAll(".table-scroll, .table-scroll > table")) frames.observe(each);
}

watchFrames(document);
document.addEventListener("htmx:load", (event) => watchFrames(event.detail.elt.parentElement ?? document));

// What was typed before htmx listened (a slow page, a fast typist, a form the browser has filled in again) is heard now.
document.addEventListener("htmx:load", (event) => {
  if (event.target !== document.body) return;
  for (const field of document.querySelectorAll('[hx-trigger*="input"] :is(textarea, input)')) {
    if (field.value !== field.defaultValue) field.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

// A job that has just become final informs the rest of the page, which may want to fetch its result.
document.addEventListener("htmx:afterSwap", (event) => {
  const final = event.detail.elt.matches?.("[data-job-final]") ? event.detail.elt : null;
  if (!final) return;
  if (document.querySelector("[data-reload-when-finished]")) {
    rememberPlace(final, true);
    window.location.reload();
  } else window.htmx.trigger(document.body, "job-finished");
});

document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if ([403, 409, 422].includes(status)) return; // the answer itself says why and is shown
  if (status === 401) announce(say("You are signed out. Sign in again; what is on the page stays until you leave it."), "bad");
  else if (status === 404) announce(say("This is no longer there. Reload the page to see what is."), "bad");
  else if (status === 507) announce(say("The server's disk is full, so this was not stored. Tell its operator, then try again."), "bad");
  else announce(say("The server could not do this (error {status}). Nothing was changed; try again in a moment.", { status }), "bad");
});

document.addEventListener("htmx:timeout", () => {
  announce(say("The server has not answered yet. Reload the page to see what is saved."), "bad");
});

document.addEventListener("htmx:sendError", (event) => {
  if (event.detail.requestConfig.verb === "get" && !event.detail.boosted) return; // polls continue anyway; a link that was followed has led nowhere
  announce(say("The server cannot be reached. Nothing was changed; check the network and try again."), "bad");
});

// Nobody is signed in here: what was kept for judging without a network is forgotten, but not what waits to be sent.
if (document.body.dataset.signedOut !== undefined && "caches" in window) {
  caches.delete("litmus-pages");
  import("./annotation/labelling/store.js").then(({ forgetHands }) => forgetHands()).catch(() => {});
}
