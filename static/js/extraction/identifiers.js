/** What the references are: candidates picked, identifiers pasted or searched for. */

import { work, edit, prompt, references } from "./work.js";
import * as edits from "./edits.js";

export function pick(n) {
  const docno = references.candidate(n);
  if (docno) edit(edits.setValue(work.content, references.at, docno), `reference ${references.current.number}`);
  references.focus();
}

export function paste() {
  const reference = references.current;
  if (!reference) return;
  const at = references.at; // a key may have moved on before the dialog says that it has closed
  prompt("identifier", reference.value ?? "", (typed) => {
    edit(edits.setValue(work.content, at, typed), `reference ${reference.number}`);
    references.focus();
  });
}
