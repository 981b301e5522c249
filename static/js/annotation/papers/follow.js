/** The three panes follow each other: what one moves to, the others show, without taking the focus. */

import { data } from "../labelling/page.js";
import { contexts, work, inPane, references, sheet, tellSection } from "./work.js";

const entries = data.paper.entries; // number of a reference → boxes of its entry in the bibliography
let isFollowing = false; // what follows leads nowhere further
let shown = null; // the sentence whose place was shown last

function following(act) {
  return () => {
    if (isFollowing) return;
    isFollowing = true;
    act();
    isFollowing = false;
    tellSection();
  };
}

/** Show the place of the current sentence on the page, and what it cites. */
const followSentence = following(() => {
  const { sentence } = contexts;
  shown = sentence;
  contexts.showCiting(null);
  references.showCited(sentence?.cites ?? []);
  if (sentence) sheet.showSentence(work.content.contexts[contexts.at.c].blocks, sentence.original || sentence.text);
});

const followReference = following(() => {
  const { number } = references.current;
  contexts.showCiting(number);
  sheet.choose(work.content.contexts[contexts.at.c]?.blocks ?? []);
  references.showCited(contexts.sentence?.cites.includes(number) ? contexts.sentence.cites : []);
  sheet.showEntry(entries[number]);
});

const followBlock = following(() => {
  contexts.showBlock(sheet.selected.id);
  const isHere = work.content.contexts[contexts.at.c]?.blocks.includes(sheet.selected.id);
  references.showCited((isHere && contexts.sentence?.cites) || []);
});

contexts.addEventListener("moved", followSentence);
contexts.addEventListener("rendered", () => {
  if (contexts.sentence !== shown && !inPane("references") && !inPane("sheet")) followSentence();
});
references.addEventListener("moved", followReference);
sheet.addEventListener("selected", followBlock);
