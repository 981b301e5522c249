/** What is being written, kept in this browser until it is sent: a reload or a crash loses no sentence. */

import { data } from "./page.js";

const PREFIX = `litmus-note:${data.owner}:`;
const KEPT_DAYS = 14;

/** Keep these parts of an assignment's draft (note, rewrite, found) in addition to those that are kept already. */
export function keepDraft(assignment, parts) {
  const draft = { ...keptDraft(assignment), ...parts };
  try {
    if (Object.values(draft).some((part) => part?.length)) {
      localStorage.setItem(PREFIX + assignment, JSON.stringify({ ...draft, at: Date.now() }));
    } else dropDraft(assignment);
  } catch {
    // Without storage the draft lives in the page alone; leaving the page warns.
  }
}

export function dropDraft(assignment) {
  try {
    localStorage.removeItem(PREFIX + assignment);
  } catch {
    // As above.
  }
}

/** The parts that were being written for this assignment: {note?, rewrite?, found?}. Old ones are thrown away. */
export function keptDraft(assignment) {
  try {
    const { at, ...draft } = JSON.parse(localStorage.getItem(PREFIX + assignment) ?? "{}");
    if (at && Date.now() - at < KEPT_DAYS * 86_400_000) return draft;
    if (at) localStorage.removeItem(PREFIX + assignment);
  } catch {
    // As above.
  }
  return {};
}
