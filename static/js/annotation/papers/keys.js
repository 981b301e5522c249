/** The keys of the screen: what each does where the focus is, in turn with what was asked for before. */

import { openAsking } from "../labelling/asking.js";
import { anyDialogOpen, part, takesKeys } from "../labelling/page.js";
import { contexts, guideline, inPane, references, saver, sheet } from "./work.js";
import { acceptExact, nextUnresolved, pick, search, setNone, typeIdentifier } from "./identifiers.js";
import { changeSection, makeContext, sectionHere } from "./paragraphs.js";
import { anonymise, attach, editText, mergeUp, remove, splitHere } from "./sentences.js";
import { finish, skip, step } from "./steps.js";
import { inTurn, mustWait, typeInto } from "./turns.js";

/** Keys that mean something in the pane that has the focus; the middle one is meant where none has. */
const KEYS = {
  sheet: {
    ArrowDown: () => sheet.move(1), ArrowUp: () => sheet.move(-1), j: () => sheet.move(1), k: () => sheet.move(-1),
    Enter: makeContext,
  },
  references: {
    ArrowDown: () => references.move(1), ArrowUp: () => references.move(-1), j: () => references.move(1), k: () => references.move(-1),
    ...Object.fromEntries([1, 2, 3, 7, 8, 9].map((n) => [n, () => pick(n)])), p: typeIdentifier, n: setNone, s: () => search(),
  },
  contexts: {
    ArrowDown: () => contexts.move(1), ArrowUp: () => contexts.move(-1), j: () => contexts.move(1), k: () => contexts.move(-1),
    ArrowRight: () => contexts.moveCaret(1), ArrowLeft: () => contexts.moveCaret(-1),
    s: splitHere, m: mergeUp, a: anonymise, t: attach, e: editText, Enter: editText, x: remove,
  },
};
const EVERYWHERE = {
  c: makeContext, r: nextUnresolved, i: () => changeSection(sectionHere()), u: () => step("undo"), "?": () => part("help").showModal(),
  "[": () => sheet.open(sheet.page - 1), "]": () => sheet.open(sheet.page + 1),
  z: () => sheet.zoom.toggle(), q: openAsking, f: finish, g: () => guideline.toggle(), 4: () => focusPane("sheet"), 5: () => focusPane("contexts"), 6: () => focusPane("references"),
};

function focusPane(name) {
  if (name === "sheet") sheet.select(sheet.selected?.id, { focus: true });
  else (name === "contexts" ? contexts : references).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || anyDialogOpen() || takesKeys(event.target) || event.altKey) return;
  const pressed = { key: event.key, withControl: event.ctrlKey || event.metaKey, withShift: event.shiftKey };
  const isControl = event.target.matches?.("a, button:not([data-block]), summary");
  if (isControl && (event.key === "Enter" || event.key === " ")) return;
  const act = meant(pressed);
  const isMove = event.key.startsWith("Arrow") || /^[jk]$/i.test(event.key);
  // What follows a key that waits may be text for the field that it will open.
  const mayBeText = mustWait() && !pressed.withControl && (event.key.length === 1 || event.key === "Backspace" || event.key === "Escape");
  if ((!act && !mayBeText) || (event.repeat && !isMove)) return;
  event.preventDefault();
  if (mustWait()) inTurn(() => pressLater(pressed));
  else inTurn(act);
});

/** What the key means where the focus is now. */
function meant({ key, withControl, withShift }) {
  const small = key.length === 1 ? key.toLowerCase() : key;
  const redo = () => step("redo");
  if (withControl) return { s: () => saver.flush(), z: withShift ? redo : () => step("undo"), y: redo }[small];
  if (small === "u" && withShift) return redo;
  if (small === "x" && withShift) return skip;
  if (small === "r" && withShift) return acceptExact;
  const pane = ["sheet", "references"].find(inPane) ?? "contexts";
  return KEYS[pane][small] ?? EVERYWHERE[small];
}

function pressLater(pressed) {
  const field = document.activeElement;
  if (takesKeys(field)) return typeInto(field, pressed.key);
  if (!anyDialogOpen()) return meant(pressed)?.();
}
