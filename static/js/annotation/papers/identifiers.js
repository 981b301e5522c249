/** What the references are: candidates picked, identifiers pasted, documents searched for, exact matches accepted. */

import { announce, anyDialogOpen, data, notice, part, takesKeys } from "../labelling/page.js";
import { ask, edit, inPane, references, work } from "./work.js";
import * as edits from "./edits.js";
import { isUnresolved } from "./references.js";
import { inTurn } from "./turns.js";
import { say, sayMany } from "../../words.js";

const LONGEST = 2_000; // characters of an identifier

function set(r, value) {
  edit(edits.setValues(work.content, [[r, value]]), `reference ${work.content.references[r].number}`);
  references.focus();
}

export function pick(n) {
  const docno = references.candidate(n);
  if (docno) set(references.at, docno);
}

export function setNone() {
  if (references.current) set(references.at, null);
}

export function nextUnresolved() {
  if (!references.goToUnresolved()) announce(say("Every reference is resolved"));
}

/** Type an identifier, or words to search for, where the identifier stands. */
export function typeIdentifier() {
  if (!references.current) return;
  const { at, current } = references;
  references.edit((typed) => {
    references.show();
    const isSearch = typed !== null && edits.kindOf(typed) === "other" && /\S\s+\S/.test(typed);
    if (isSearch) inTurn(() => search(typed, current));
    else if (typed !== null && typed.trim() !== (current.value ?? "")) set(at, typed);
    references.focus();
  });
}

/** Search for a reference by its own title and year, or by other words, in the collection and the registries. */
export async function search(words = "", reference = references.current) {
  if (!reference) return;
  const { number } = reference;
  const { status, body } = await ask(data.urls.search, { number, words });
  if (status !== 200) return body && notice(body.reason);
  references.take(number, body.found[number], body.documents);
  references.focus();
  announce(say("{found} found for reference {number}", { found: body.found[number].length, number }));
  if (body.failures.length) notice(say("Only the collection was searched. {failures}.", { failures: body.failures.join(". ") }));
}

/** Show which references one document of the collection fits exactly, to be accepted at once. */
export async function acceptExact() {
  const open = work.content.references.filter((each) => !each.settled && (isUnresolved(each) || !references.isInside(each)));
  const { status, body } = await ask(data.urls.search, { numbers: open.map((each) => each.number) });
  if (status !== 200) return body && notice(body.reason);
  const matches = open.map((each) => [each, body.found[each.number]?.[0]]).filter(([, docno]) => docno);
  if (!matches.length) return notice(say("No unresolved reference matches a document of the collection exactly."));
  Object.assign(data.paper.documents, body.documents);
  const dialog = part("exact");
  part("exact-list").replaceChildren(...matches.map(([reference, docno]) => exactRow(reference, docno)));
  dialog.returnValue = "";
  dialog.onclose = () => {
    const left = new Set([...part("exact-list").querySelectorAll("input:not(:checked)")].map((box) => box.value));
    const taken = matches.filter(([{ number }]) => !left.has(number));
    if (dialog.returnValue === "accept" && taken.length) takeExact(taken);
    references.focus();
  };
  dialog.showModal();
}

function exactRow({ number, raw }, docno) {
  const row = document.createElement("li");
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", value: number, checked: true });
  const { title, authors, venue, year } = data.paper.documents[docno];
  const lines = [[`[${number}] ${raw}`, "small muted"], [title, "extraction-candidate-title"], [[authors.join("; "), venue, year, docno].filter(Boolean).join(" · "), "small muted break"]];
  label.append(box, ...lines.map(([textContent, className]) => Object.assign(document.createElement("span"), { dir: "auto", textContent, className })));
  row.append(label);
  return row;
}

function takeExact(taken) {
  const places = new Map(work.content.references.map((each, r) => [each.number, r]));
  const pairs = taken.filter(([{ number }]) => places.has(number)).map(([{ number }, docno]) => [places.get(number), docno]);
  edit(edits.setValues(work.content, pairs), `${pairs.length} exact matches`);
  announce(sayMany("{count} exact match accepted. U takes it back.", "{count} exact matches accepted. U takes them back.", pairs.length));
}

document.addEventListener("paste", (event) => {
  if (!inPane("references") || anyDialogOpen() || takesKeys(event.target)) return;
  const text = event.clipboardData.getData("text/plain").trim();
  if (!text || text.length > LONGEST || !references.current) return;
  event.preventDefault();
  const r = references.at;
  inTurn(() => set(r, text));
});
