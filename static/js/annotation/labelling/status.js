/** The bar: how saving goes, how far the annotator is, their own pace. */

import { announce, data, part, show, setText } from "./page.js";

const KEPT = 50; // newest answers that the pace is the median of
const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
let last = "";
let wasTrouble = false; // what was announced and is not over

/** What the save state says, as [state, words]. */
function saveState(outbox) {
  const waiting = outbox.waiting.length;
  const failed = outbox.failed.length;
  const queued = `${waiting} queued`;
  if (outbox.trouble === "signed-out") return ["bad", `Signed out, ${queued}`];
  if (failed) return ["bad", failed === 1 ? `Not saved (${outbox.failed[0].failed.detail})` : `${failed} not saved`];
  if (outbox.trouble === "offline") return ["warn", `Offline, ${queued}`];
  if (outbox.trouble && waiting) return ["warn", `Not saved yet (${outbox.trouble}), ${queued}`];
  if (waiting) return ["busy", waiting === 1 ? "Saving…" : `Saving ${waiting}…`];
  return outbox.savedAt ? ["ok", `Saved ${clockTime.format(outbox.savedAt)}`] : ["idle", "Nothing to save"];
}

export function showSaveState(outbox) {
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
export function countFinished(by) {
  const { progress } = data;
  progress.finished = Math.max(0, progress.finished + by);
  const bar = part("progress");
  bar.value = progress.finished;
  const done = progress.finished.toLocaleString("en");
  part("all-finished").textContent = done;
  part("progress-text").textContent = data.isQueue
    ? `${done} done by you`
    : `${done} of ${progress.mine.toLocaleString("en")} done`;
}

export function notePace(milliseconds) {
  data.recentMs = [...data.recentMs, milliseconds].slice(-KEPT);
  if (data.recentMs.length < 3) return;
  const sorted = [...data.recentMs].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  part("pace-text").textContent = `${(median / 1000).toFixed(1)} s`;
  show(part("pace"));
}
