/** Questions to the managers about the item on the screen, and what was answered; on every screen of annotators. */

import { announce, data, fromTemplate, newUuid, part, setText, show } from "./page.js";
import { get, Offline, post } from "./server.js";
import { say } from "../../words.js";

const KEPT = `litmus-question:${data.user}:`;
const LOOK_EVERY = 180_000; // milliseconds, while a question waits
const AWAY = say("The network is away. Your question is kept in this browser and is sent when the network is back.");

const panel = part("asking-panel");
const form = document.querySelector('[data-form="asking"]');
let notes = data.asked;
let here = null;
let chosenNow = () => null;
let leave = () => {};

/** `chosen()` gives the assignment that a new question is about first; `back()` gives the focus back to the work. */
export function wireAsking(chosen, back) {
  chosenNow = chosen;
  leave = back;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  form.text.addEventListener("input", keep);
  form.assignment.addEventListener("change", restore);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeAsking();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  panel.addEventListener("toggle", () => panel.open && document.activeElement !== form.text && begin());
  window.addEventListener("online", sendKept);
  setInterval(look, LOOK_EVERY);
  void sendKept();
}

/** The item on the screen: {cells: [{assignment, aspect}], topic, docno, paper}; null where there is none. */
export function turnTo(item) {
  here = item;
  panel.open = false;
  if (item) fillChoice();
  drawNotes();
}

export function openAsking() {
  if (!here) return;
  panel.open = true;
  begin(); // at once: what is typed before the toggle event would be keys of the screen
}

export function closeAsking() {
  panel.open = false;
  leave();
}

function fillChoice() {
  form.assignment.replaceChildren(...here.cells.map(({ assignment, aspect }) => new Option(aspect || say("this item"), assignment)));
  show(form.assignment.parentElement, here.cells.length > 1);
}

function begin() {
  if (!here) return;
  form.assignment.value = String(chosenNow() ?? here.cells[0].assignment);
  restore();
  form.text.focus();
  panel.scrollIntoView({ block: "nearest" });
}

// --- what is next to the item -------------------------------------------------------------------------------------------

const isHere = (note) =>
  here !== null &&
  (here.paper ? note.paper === here.paper : note.topic === here.topic && (note.whole_topic || isItem(note)));
const isItem = (note) => note.docno === here.docno && here.cells.some(({ aspect }) => (aspect ?? null) === note.aspect);

function drawNotes() {
  const shown = notes.filter(isHere);
  part("asking-notes").replaceChildren(...shown.map(noteElement));
  show(part("asking-notes"), shown.length > 0);
  const fresh = shown.filter((note) => note.is_new);
  if (fresh.length) void noteSeen(fresh);
  const answered = notes.find((note) => note.is_new && note.href && !shown.includes(note));
  setText("answered-name", answered?.name);
  part("answered-link").href = answered?.href ?? "";
  show(part("answered"), Boolean(answered));
}

function noteElement(note) {
  const item = fromTemplate("asked");
  const aspect = here.cells.length > 1 && note.aspect && !note.whole_topic ? ` (${note.aspect})` : "";
  setText("asked-text", note.text, item);
  show(part("asked-mine", item), note.is_mine);
  setText("asked-whose", note.is_mine ? say("Answer{aspect}:", { aspect }) : say("Note to all annotators{aspect}:", { aspect }), item);
  setText("asked-answer", note.answer, item);
  show(part("asked-given", item), Boolean(note.answer));
  setText("asked-open", note.answer ? "" : note.kept ? AWAY : say("Not answered yet."), item);
  return item;
}

async function noteSeen(fresh) {
  for (const note of fresh) note.is_new = false;
  await post(data.urls.label_answers_seen, { seen: fresh.map((note) => note.uuid) }).catch(() => {}); // then it is announced again
}

function take(body) {
  if (!body?.asked) return;
  const known = new Set(notes.filter((note) => note.answer).map((note) => note.uuid));
  notes = body.asked;
  drawNotes();
  if (notes.some((note) => note.is_new && !known.has(note.uuid))) announce(say("A manager answered a question of yours."));
}

/** Ask for answers while a question waits for one. */
async function look() {
  await sendKept();
  if (document.hidden || !notes.some((note) => note.is_mine && !note.answer)) return;
  take((await get(data.urls.label_questions).catch(() => null))?.body);
}

// --- asking -------------------------------------------------------------------------------------------------------------

const keyOf = (assignment) => KEPT + assignment;

/** What was being asked about an assignment: {assignment, uuid, text, isSent}; `isSent` once it only lacks the network. */
function kept(assignment) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(assignment)));
  } catch {
    return null;
  }
}

/** Keep the question under its assignment until the server has it: a reload, or the next item, loses no word. */
function keep(_event, isSent = false) {
  const assignment = Number(form.assignment.value);
  const draft = { assignment, uuid: kept(assignment)?.uuid ?? newUuid(), text: form.text.value, isSent };
  try {
    if (draft.text.trim()) localStorage.setItem(keyOf(assignment), JSON.stringify(draft));
    else localStorage.removeItem(keyOf(assignment));
  } catch {
    // Without storage the question lives in the page alone.
  }
  return draft;
}

function restore() {
  form.text.value = kept(form.assignment.value)?.text ?? "";
  setText("asking-error", "");
}

async function send() {
  if (!form.text.value.trim()) {
    setText("asking-error", say("Write your question first."));
    form.text.focus();
    return;
  }
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  const reason = await deliver(keep(null, true));
  button.disabled = false;
  setText("asking-error", reason);
  if (reason) return;
  form.text.value = "";
  closeAsking();
  announce(say("Question sent. The answer appears next to the item."));
}

/** Send one question; "" when the server has it, else why not. What the network kept back stays to be sent. */
async function deliver({ assignment, uuid, text, isSent }) {
  let answer;
  try {
    answer = await post(data.urls.label_questions, { assignment, uuid, text });
  } catch (error) {
    if (error instanceof Offline) return AWAY;
    throw error;
  }
  if (answer.status === 200) {
    localStorage.removeItem(keyOf(assignment));
    take(answer.body);
    return "";
  }
  const reason = answer.body?.detail ?? say("The server could not take the question. Try again in a moment.");
  if (isSent && answer.status >= 400 && answer.status < 500 && answer.status !== 401) {
    localStorage.setItem(keyOf(assignment), JSON.stringify({ assignment, uuid: newUuid(), text, isSent: false }));
  }
  return reason;
}

/** Questions that were sent while the network was away, one after the other. */
async function sendKept() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(KEPT));
  for (const key of keys) {
    const draft = kept(key.slice(KEPT.length));
    if (draft?.isSent && (await deliver(draft)) === AWAY) return;
  }
}
