/** Searching the collection next to the question: how many papers fit, and which belong to its targets. */

import { announce, data, fromTemplate, part, show, setText } from "./page.js";
import { markHits, toggleFound, wording } from "./question.js";
import { get, Offline } from "./server.js";
import { say } from "../../words.js";

const PAUSE = 400; // milliseconds without a key until what is typed is searched for
let timer = null;
let asked = 0; // number of the newest request; older answers are thrown away
let page = 1;

/** Open the search on the question's own words, unless others stand there already. */
export function openSearch() {
  const field = part("find-words");
  field.focus({ preventScroll: true });
  if (!field.value.trim()) {
    field.value = wording();
    search(1);
  }
  field.select();
  const section = part("find");
  const pane = section.closest(".label-document");
  if (pane.scrollHeight > pane.clientHeight) pane.scrollTop = section.offsetTop - pane.offsetTop;
  else section.scrollIntoView({ block: "start" });
}

/** Bind the search field, its results, and the list of targets. */
export function wireSearch() {
  const form = document.querySelector('[data-form="find"]');
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search(1);
  });
  part("find-words").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(1), PAUSE);
  });
  part("find").addEventListener("keydown", walk);
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-found]");
    if (button) {
      const item = button.closest("[data-docno]");
      toggleFound(item.dataset.docno, part("target-title", item).textContent);
    } else if (event.target.closest?.('[data-act="find-more"]')) search(page + 1);
  });
}

/** ↓ and ↑ lead from the search field through the hits and back. */
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  const stops = [part("find-words"), ...part("hits").querySelectorAll("button:enabled"), part("find-more")];
  const here = stops.indexOf(document.activeElement);
  const next = stops.slice(0, stops.at(-1).hidden ? -1 : undefined)[here + step];
  if (here < 0 || !next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

async function search(number) {
  clearTimeout(timer);
  asked += 1;
  const mine = asked;
  const words = part("find-words").value.trim();
  page = number;
  if (!words) {
    part("hits").replaceChildren();
    show(part("find-more"), false);
    setText("find-state", "");
    return;
  }
  setText("find-state", say("Searching…"));
  const found = await ask(words, number);
  if (mine !== asked) return;
  if (number === 1) part("hits").replaceChildren();
  setText("find-state", found.words);
  part("hits").append(...(found.hits ?? []).map(hitElement));
  show(part("find-more"), Boolean(found.more));
  markHits();
  announce(found.words);
}

async function ask(words, number) {
  try {
    const { status, body } = await get(`${data.urls.label_search}?${new URLSearchParams({ q: words, page: number })}`);
    if (status !== 200) return { words: body?.detail ?? say("The server answered {status}. Try again.", { status }) };
    return body;
  } catch (error) {
    if (error instanceof Offline) return { words: say("The network is away, so the collection cannot be searched now.") };
    throw error;
  }
}

function hitElement(hit) {
  const element = fromTemplate("hit");
  element.dataset.docno = hit.docno;
  part("target-title", element).textContent = hit.title || hit.docno;
  setText("hit-about", hit.about, element);
  part("hit-extract", element).replaceChildren(...lit(hit.extract));
  return element;
}

/** [[text, is a hit], …] as nodes. */
const lit = (pieces) =>
  pieces.map(([text, isHit]) => {
    if (!isHit) return text;
    const mark = document.createElement("mark");
    mark.textContent = text;
    return mark;
  });
