/** The bar: how saving goes, how far the annotator is. */

import { announce, data, part, show, setText } from "./page.js";
import { dateLanguage, numeral, say, sayMany } from "../../words.js";

const clockTime = new Intl.DateTimeFormat(dateLanguage, { hour: "2-digit", minute: "2-digit" });
let last = "";
let wasTrouble = false; // what was announced and is not over

/** What the save state says, as [state, words]. */
function saveState(outbox) {
  const waiting = outbox.waiting.length;
  const failed = outbox.failed.length;
  const queued = say("{waiting} queued", { waiting });
  if (outbox.trouble === "signed-out") return ["bad", say("Signed out, {queued}", { queued })];
  if (failed) return ["bad", failed === 1 ? say("Not saved ({detail})", { detail: outbox.failed[0].failed.detail }) : say("{failed} not saved", { failed })];
  if (outbox.trouble === "offline") return ["warn", say("Offline, {queued}", { queued })];
  if (outbox.trouble && waiting) return ["warn", say("Not saved yet ({trouble}), {queued}", { trouble: outbox.trouble, queued })];
  if (waiting) return ["busy", waiting === 1 ? say("Saving…") : say("Saving {waiting}…", { waiting })];
  return outbox.savedAt ? ["ok", say("Saved {time}", { time: clockTime.format(outbox.savedAt) })] : ["idle", say("Nothing to save")];
}

export function showSaveState(outbox) {
  showProgress(outbox);
  const [state, words] = saveState(outbox);
  part("save-state").dataset.state = state;
  part("save-state").title = words;
  setText("save-text", words);
  show(part("drafts"), outbox.failed.length > 0);
  const isTrouble = ["bad", "warn"].includes(state);
  if (state !== last && (isTrouble || (wasTrouble && state === "ok"))) announce(words);
  if (isTrouble || state === "ok") wasTrouble = isTrouble;
  last = state;
}

/** Count finished items for ourselves; the server counted once, when the page was opened. */
export function countFinished(by, outbox) {
  const { progress } = data;
  progress.finished = Math.max(0, progress.finished + by);
  showProgress(outbox);
}

/** How far one is, with what waits to be sent; while sending is in trouble it says how many these are. */
export function showProgress(outbox) {
  const { progress } = data;
  const finished = progress.finished + outbox.finishing;
  const bar = part("progress");
  bar.value = finished;
  const done = numeral(finished);
  part("all-finished").textContent = done;
  const count = data.isQueue ? say("{done} done by you", { done }) : say("{done} of {mine} done", { done, mine: numeral(progress.mine) });
  const unsent = outbox.trouble ? outbox.waiting.length : 0;
  part("progress-text").textContent = unsent ? say("{count}, {unsent} not sent yet", { count, unsent: numeral(unsent) }) : count;
}

/** Next to Submit: how much is missing, where more than one grade is given at once. */
export function showMissing() {
  const criteria = [...part("cells").querySelectorAll("[data-cell]:not(.is-skipped) [data-criterion]")];
  const open = criteria.filter((criterion) => !criterion.querySelector(".level input:checked")).length;
  const lacksReason = !open && part("cells").querySelector("[data-lacks]");
  const words = open ? sayMany("{count} grade missing", "{count} grades missing", open) : lacksReason ? say("Reason missing") : "";
  setText("missing", criteria.length > 1 ? words : "");
}
