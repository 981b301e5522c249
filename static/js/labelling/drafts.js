/** Notes being written, kept in this browser until they are sent: a reload or a crash loses no sentence. */

import { data } from "./page.js";

const PREFIX = `litmus-note:${data.desk}:`;
const KEPT_DAYS = 14;

export function keepNote(assignment, note) {
  try {
    if (note) localStorage.setItem(PREFIX + assignment, JSON.stringify({ note, at: Date.now() }));
    else localStorage.removeItem(PREFIX + assignment);
  } catch {
    // Without storage the note lives in the page alone; leaving the page warns.
  }
}

/** The note that was being written for this assignment, or "". Old ones are thrown away. */
export function keptNote(assignment) {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + assignment) ?? "null");
    if (kept && Date.now() - kept.at < KEPT_DAYS * 86_400_000) return kept.note;
    if (kept) localStorage.removeItem(PREFIX + assignment);
  } catch {
    // As above.
  }
  return "";
}
