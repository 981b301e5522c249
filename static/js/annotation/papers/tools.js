/** The toolbars show what can be done to what is selected, and nothing else; their keys are in the dialog of keys. */

import { part } from "../labelling/page.js";
import { contexts, references, sheet, work } from "./work.js";
import { sectionHere } from "./paragraphs.js";
import { isUnresolved } from "./references.js";
import { say } from "../../words.js";

const isOpen = () => work.content.references.some(isUnresolved);
const APPLIES = {
  context: () => sheet.selected,
  section: () => sectionHere(),
  attach: () => contexts.sentence,
  edit: () => contexts.sentence,
  remove: () => contexts.sentence,
  anonymise: () => contexts.sentence && (contexts.sentence.anonymised || contexts.proposals.get(contexts.sentence.text) !== null),
  merge: () => contexts.sentence && contexts.at.s > 0,
  split: () => contexts.offset > 0,
  unresolved: isOpen,
  exact: isOpen,
  search: () => references.current,
  identifier: () => references.current,
};
const BUTTONS = [...part("panes").querySelectorAll(".extraction-tools [data-act]")].filter(({ dataset }) => dataset.act in APPLIES);

function update() {
  const focused = document.activeElement;
  for (const button of BUTTONS) button.hidden = !APPLIES[button.dataset.act]();
  part("anonymise-word").textContent = contexts.sentence?.anonymised ? say("Put names back") : say("Anonymise");
  if (focused.hidden) contexts.focus();
}

for (const name of ["moved", "rendered", "caret"]) contexts.addEventListener(name, update);
references.addEventListener("moved", update);
sheet.addEventListener("selected", update);
update();
