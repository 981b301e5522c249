/** Back and forward again, and the two ways out of a paper: finished, or left to somebody else. */

import { announce, data, notice, part, show } from "../labelling/page.js";
import { isUnresolved } from "./references.js";
import { ask, contexts, work, edit, redoHere, saver, take, undoHere } from "./work.js";
import { say } from "../../words.js";

/** An edit that was not sent yet is undone and redone here; those before it on the server. */
export async function step(name) {
  const isHere = name === "undo" ? undoHere() : redoHere();
  if (isHere) return announce(name === "undo" ? say("Undone") : say("Redone"));
  if (!(await saver.flush())) return;
  const { status, body } = await ask(data.urls.move, { step: name, base: saver.base });
  if (status === 409) return saver.clash(body, work.content);
  if (status !== 200) return status && notice(body?.reason ?? say("That could not be undone or redone ({status}).", { status }));
  const meanwhile = saver.waiting.length && work.content; // a dialog that closed late: what was typed counts
  saver.follow(body);
  take(body);
  if (meanwhile) edit(meanwhile, "kept over a step back");
  else announce(name === "undo" ? say("Undone") : say("Redone"));
}

export async function finish() {
  if (!(await saver.flush())) return notice(say("Not everything is saved yet. Finish once it is."));
  const findings = work.state.findings.map((each) => Object.assign(document.createElement("li"), { textContent: each.text }));
  part("finish-findings").replaceChildren(...findings);
  show(part("finish-some"), findings.length > 0);
  show(part("finish-none"), findings.length === 0);
  const [naming, twice, open] = [stillNaming(), citedTwice(), work.content.references.filter(isUnresolved).length];
  part("finish-names").textContent = naming.length === 1
    ? say("1 sentence still names an author, which Anonymise takes out: {place}.", { place: naming[0] })
    : say("{count} sentences still name authors, which Anonymise takes out: {places}.", { count: naming.length, places: naming.join("; ") });
  part("finish-twice").textContent = say("{places}. Each time counts in the statistics.", { places: twice.join("; ") });
  part("finish-open").textContent = open === 1
    ? say("1 reference is open: it is not said yet which work it is. It may stay so.")
    : say("{open} references are open: it is not said yet which works they are. They may stay so.", { open });
  show(part("finish-names"), naming.length > 0);
  show(part("finish-twice"), twice.length > 0);
  show(part("finish-open"), open > 0);
  part("finish").showModal();
}

/** [sentence, where it stands] of all. */
const placed = () => work.content.contexts.flatMap((context) => context.sentences.map((each, s) => [each, say("context {id}, sentence {number}", { id: context.id, number: s + 1 })]));

const stillNaming = () => placed().filter(([sentence]) => contexts.isNaming(sentence)).map(([, where]) => where);

/** What is cited more than once in a sentence, with its place. */
function citedTwice() {
  return placed().flatMap(([{ cites }, where]) => {
    const again = [...new Set(cites.filter((number, i) => cites.indexOf(number) < i))];
    return again.length ? [say("{place} cites {numbers} more than once", { place: `${where[0].toUpperCase()}${where.slice(1)}`, numbers: again.join(", ") })] : [];
  });
}

/** Ask why the paper is left to somebody else; an adjudicator's paper is not. */
export async function skip() {
  if (!part("skip")) return;
  if (!(await saver.flush())) return notice(say("Not everything is saved yet. Skip the paper once it is."));
  part("skip").showModal();
}
