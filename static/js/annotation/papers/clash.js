/** A paper that was saved in another window after it was opened here: both versions as a difference, and which counts. */

import { anyDialogOpen, part, show } from "../labelling/page.js";
import { wordDiff } from "../labelling/diff.js";
import { edit, saver, take, work } from "./work.js";
import { say } from "../../words.js";

const AROUND = 80; // characters of equal text that are shown on each side of a difference

let open = null; // the saved state that a decision is asked about

saver.addEventListener("clash", ({ detail }) => {
  open = detail.theirs;
  ask();
});

part("clash").addEventListener("cancel", (event) => event.preventDefault()); // one of the two is to be chosen

/** Show the dialog, or wait until another one is closed. */
function ask() {
  const dialog = part("clash");
  if (!open || dialog.open) return;
  if (anyDialogOpen()) return document.addEventListener("close", () => setTimeout(ask), { capture: true, once: true });
  const rows = differences(open.content, work.content).map(row);
  part("clash-list").replaceChildren(...rows);
  show(part("clash-same"), rows.length === 0);
  dialog.returnValue = "";
  dialog.onclose = () => decide(dialog.returnValue === "mine");
  dialog.showModal();
}

function decide(keepMine) {
  const [theirs, mine] = [open, work.content];
  open = null;
  work.undone = [];
  saver.follow(theirs);
  take(theirs);
  if (!keepMine) return;
  edit(mine, "kept over another window's");
  saver.flush();
}

/** What differs: [{name, pieces}], pieces as wordDiff has them, "removed" is only in the saved version. */
export function differences(theirs, mine) {
  return [
    ...compared(theirs.contexts, mine.contexts, (each) => say("Context {id}", { id: each.id }), textOf, wordDiff),
    ...compared(theirs.references, mine.references, (each) => say("Reference {number}", { number: each.number }), (each) => each.value ?? say("no identifier"), whole),
  ];
}

function compared(theirs, mine, nameOf, wordsOf, diff) {
  const [before, after] = [named(theirs, nameOf), named(mine, nameOf)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [old, fresh] = [before, after].map((all) => (all.has(name) ? wordsOf(all.get(name)) : ""));
    return old === fresh ? [] : [{ name, pieces: shortened(diff(old, fresh)) }];
  });
}

/** The records by name; a name that comes again is numbered. */
function named(records, nameOf) {
  const found = new Map();
  for (const each of records) {
    const name = nameOf(each);
    const again = [...found.keys()].filter((known) => known.startsWith(`${name} (`) || known === name).length;
    found.set(again ? `${name} (${again + 1})` : name, each);
  }
  return found;
}

function textOf({ section, sentences }) {
  const lines = sentences.map(({ text, cites, anonymised }) => {
    const more = [cites.length && say("cites {numbers}", { numbers: cites.join(", ") }), anonymised && say("anonymised")].filter(Boolean).join("; ");
    return more ? `${text} (${more})` : text;
  });
  return [say("Section: {section}.", { section: section || say("none") }), ...lines].join("\n");
}

const whole = (before, after) => [["removed", before], ["same", " "], ["added", after]].filter(([, text]) => text);

/** Long stretches that are equal, but for their ends. */
function shortened(pieces) {
  return pieces.map(([kind, text], i) => {
    if (kind !== "same" || text.length <= 2 * AROUND + 1) return [kind, text];
    const head = i > 0 ? text.slice(0, AROUND) : "";
    const tail = i < pieces.length - 1 ? text.slice(-AROUND) : "";
    return [kind, `${head}…${tail}`];
  });
}

function row({ name, pieces }) {
  const item = document.createElement("li");
  const heading = Object.assign(document.createElement("h3"), { className: "overline", textContent: name });
  const text = Object.assign(document.createElement("p"), { className: "extraction-diff", dir: "auto" });
  const tags = { same: "span", removed: "del", added: "ins" };
  text.append(...pieces.map(([kind, textContent]) => Object.assign(document.createElement(tags[kind]), { textContent })));
  item.append(heading, text);
  return item;
}
