/** Pointer, focus and fields: everything a person does without a shortcut. */

import * as dialogs from "./dialogs.js";
import { keepDraft } from "./drafts.js";
import { notice } from "./page.js";
import * as screen from "./screen.js";

/** Bind the page to what the session does; `acts` are those of the keys, by the name in data-act. */
export function wireGestures({ session, acts, outbox, decide }) {
  document.addEventListener("pointerdown", (event) => {
    session.device = event.pointerType === "touch" ? "touch" : "mouse";
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-act]");
    const act = button?.dataset.act;
    if (act === "close-notice") notice("");
    if (button?.closest("[data-entry]")) actOnDraft(button, { outbox, decide });
    else if (act && acts[act]) {
      event.preventDefault();
      chooseCellOf(button);
      acts[act]();
    } else if (event.target.matches?.("[data-cell] input[type=radio]")) chosenByHand(event, session);
    else {
      chooseCellOf(event.target);
      const criterion = event.target.closest?.("[data-criterion]");
      if (criterion) screen.activate(criterion);
    }
  });

  document.addEventListener("focusin", (event) => {
    if (event.target.closest?.("[data-cell]")) chooseCellOf(event.target);
    const criterion = event.target.closest?.("[data-criterion]");
    if (criterion) screen.activate(criterion);
  });

  document.addEventListener("change", (event) => {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell) return;
    screen.noteLack(cell);
    if (event.target.matches("select") && event.target.value) session.graded(cell);
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches?.("[data-note]")) return;
    session.cancelTimer();
    keepDraft(Number(event.target.closest("[data-cell]").dataset.cell), { note: event.target.value });
  });

  document.querySelector("[data-label-form]").addEventListener("submit", (event) => {
    event.preventDefault();
    session.submit();
  });

  window.addEventListener("beforeunload", (event) => {
    if (outbox.waiting.length) event.preventDefault();
  });
}

function chooseCellOf(element) {
  const index = screen.indexOf(element);
  if (index >= 0) screen.choose(index);
}

/** A press of the pointer judges like a digit; a radio button chosen by arrow keys (no clicks counted) only chooses. */
function chosenByHand(event, session) {
  chooseCellOf(event.target);
  const { element } = screen.chosenCell();
  screen.noteAnswer(element);
  session.noteGrade(element, event.target.closest("[data-criterion]").dataset.criterion);
  if (event.detail > 0) session.graded(element);
}

/** In the list of what was not saved: send it again, or let it go. */
function actOnDraft(button, { outbox, decide }) {
  const item = button.closest("[data-entry]");
  const entry = outbox.entries.find((each) => each.id === item.dataset.entry);
  if (!entry) return;
  if (button.dataset.act === "retry-draft" && entry.failed?.code === "changed-elsewhere") {
    dialogs.dialog("drafts").close();
    decide(entry);
    return;
  }
  if (button.dataset.act === "drop-draft") outbox.drop(entry);
  else outbox.retry(entry);
  item.remove();
}
