/** The extraction screen: three panes, their keys, and every edit saved. Without this script the page still lets one
 * read, correct by file, and finish. */

import { closeAsking, turnTo, wireAsking } from "../labelling/asking.js";
import { data, notice, part, show } from "../labelling/page.js";
import { contexts, work, edit, guideline, learn, references, render, saver, sections, sheet, take } from "./work.js";
import { acceptExact, nextUnresolved, pick, search, typeIdentifier } from "./identifiers.js";
import "./clash.js";
import "./follow.js";
import "./keys.js";
import "./leaving.js";
import { changeSection, makeContext, sectionHere } from "./paragraphs.js";
import { anonymise, attach, editText, mergeUp, placeOf, remove, removeContext, setSection, splitHere } from "./sentences.js";
import { askSignIn, onSignedIn } from "./session.js";
import { sameContent } from "./edits.js";
import { finish, skip, step } from "./steps.js";
import "./tools.js";
import { inTurn } from "./turns.js";
import { say } from "../../words.js";

const ACTS = {
  context: makeContext, section: () => changeSection(sectionHere()), undo: () => step("undo"), redo: () => step("redo"), finish, skip, help: () => part("help").showModal(),
  "page-before": () => sheet.open(sheet.page - 1), "page-after": () => sheet.open(sheet.page + 1), zoom: () => sheet.zoom.toggle(),
  split: splitHere, merge: mergeUp, anonymise, attach, edit: editText, remove,
  unresolved: nextUnresolved, exact: acceptExact, search: () => search(), identifier: typeIdentifier,
  "close-notice": () => notice(""), asking_close: closeAsking,
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  const act = button && ACTS[button.dataset.act];
  if (act) inTurn(act);
});

sections.addEventListener("change", ({ detail }) => inTurn(() => changeSection(detail)));
sections.addEventListener("block", ({ detail }) => sheet.select(detail, { focus: true }));
contexts.addEventListener("section", ({ detail }) => inTurn(() => setSection(detail)));
contexts.addEventListener("reference", ({ detail }) => references.goTo(detail.number));
contexts.addEventListener("do", ({ detail }) => inTurn(() => removeContext(placeOf(detail.context))));
references.addEventListener("pick", ({ detail }) => inTurn(() => pick(detail)));

saver.addEventListener("state", ({ detail }) => {
  part("save-state").dataset.state = detail.state;
  part("save-text").textContent = detail.text;
});
saver.addEventListener("settled", ({ detail }) => {
  work.state = detail;
  learn(detail.readings ?? {});
  if (detail.content) take(detail);
  if (detail.guideline) guideline.noteVersion(detail.guideline);
  render();
});
saver.addEventListener("signedout", askSignIn);
onSignedIn(() => saver.flush());
saver.addEventListener("refused", ({ detail }) => notice(say("{detail} Undo the edit (U) or reload the page.", { detail })));

show(part("panes"));
render();
sheet.start();
restore(saver.kept());
contexts.focus();
if (part("asking")) {
  wireAsking(() => data.assignment, () => contexts.focus());
  turnTo({ paper: data.paperKey, cells: [{ assignment: data.assignment, aspect: null }] });
}

/** Go on with what this browser kept when it was closed before the server had it. */
function restore(kept) {
  if (!kept || sameContent(kept.content, work.content)) return;
  const saved = work.state;
  if (kept.base === saver.base) {
    edit(kept.content, kept.change);
    notice(say("What you did before the page was closed was not saved yet. It is here again, and is being saved now."));
    saver.flush();
  } else {
    work.content = kept.content;
    render();
    saver.clash(saved, kept.content);
  }
}
