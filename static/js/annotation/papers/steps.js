/** Back and forward again, and the two ways out of a paper: finished, or left to somebody else. */

import { announce, data, notice, part, show } from "../labelling/page.js";
import { ask, work, edit, redoHere, saver, take, undoHere } from "./work.js";

/** An edit that was not sent yet is undone and redone here; those before it on the server. */
export async function step(name) {
  const isHere = name === "undo" ? undoHere() : redoHere();
  if (isHere) return announce(name === "undo" ? "Undone" : "Redone");
  if (!(await saver.flush())) return;
  const { status, body } = await ask(data.urls.move, { step: name, base: saver.base });
  if (status === 409) return saver.clash(body, work.content);
  if (status !== 200) return status && notice(body?.reason ?? `That could not be undone or redone (${status}).`);
  const meanwhile = saver.waiting.length && work.content; // a dialog that closed late: what was typed counts
  saver.follow(body);
  take(body);
  if (meanwhile) edit(meanwhile, "kept over a step back");
  else announce(name === "undo" ? "Undone" : "Redone");
}

export async function finish() {
  if (!(await saver.flush())) return notice("Not everything is saved yet. Finish once it is.");
  const findings = work.state.findings.map((each) => Object.assign(document.createElement("li"), { textContent: each.text }));
  part("finish-findings").replaceChildren(...findings);
  show(part("finish-some"), findings.length > 0);
  show(part("finish-none"), findings.length === 0);
  part("finish").showModal();
}

/** Ask why the paper is left to somebody else; an adjudicator's paper is not. */
export async function skip() {
  if (!part("skip")) return;
  if (!(await saver.flush())) return notice("Not everything is saved yet. Skip the paper once it is.");
  part("skip").showModal();
}
