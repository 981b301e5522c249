/** What is done to the sentences of the contexts, and to a context as a whole. */

import { announce, notice } from "../labelling/page.js";
import { contexts, work, edit, prompt, readingOf } from "./work.js";
import * as edits from "./edits.js";
import { say } from "../../words.js";

/** Put another sentence in the place of one. Where that one no longer exists, say so and show what would be lost. */
function replaceSentence(sentence, next, change) {
  const c = work.content.contexts.findIndex((context) => context.sentences.includes(sentence));
  if (c < 0) return notice(say("That sentence was changed in another window meanwhile. Not kept: “{text}”", { text: next.text }));
  const s = work.content.contexts[c].sentences.indexOf(sentence);
  edit(edits.replaceSentence(work.content, c, s, next), change);
}

export function splitHere() {
  const { c, s } = contexts.at;
  if (!contexts.sentence || contexts.offset <= 0) return announce(say("Only one word: nothing to split"));
  edit(edits.split(work.content, c, s, contexts.offset), "split");
  contexts.go(c, s + 1, { focus: true });
}

export function mergeUp() {
  const { c, s } = contexts.at;
  if (!contexts.sentence || s === 0) return announce(say("There is no sentence above in this context"));
  contexts.at = { c, s: s - 1 };
  edit(edits.merge(work.content, c, s), "merge");
  contexts.focus();
}

export async function anonymise() {
  const sentence = contexts.sentence;
  if (!sentence) return;
  if (sentence.anonymised) {
    const text = sentence.original || sentence.text;
    const cites = contexts.proposals.get(text)?.cites ?? (await readingOf(text))?.cites ?? sentence.cites;
    return replaceSentence(sentence, { text, cites, anonymised: false, original: "" }, "names put back");
  }
  const known = contexts.proposals.get(sentence.text);
  const reading = known === undefined ? await readingOf(sentence.text) : known;
  if (!reading?.anonymised) return announce(say("No names of cited authors stand before a marker here"));
  const next = { text: reading.anonymised, cites: reading.anonymised_cites, anonymised: true, original: sentence.text };
  replaceSentence(sentence, next, "anonymised");
}

export function editText() {
  const sentence = contexts.sentence;
  if (!sentence) return;
  contexts.edit((text) => {
    if (text !== null) replaceSentence(sentence, withText(sentence, text), "text");
    contexts.repaint(contexts.at); // the field goes, also where nothing was changed
    contexts.focus();
  });
}

/** The sentence with another text: it cites what stands there now, and still what no bracket ever showed. */
function withText(sentence, text) {
  const before = edits.citedIn(sentence.text);
  const unseen = sentence.cites.filter((number) => !before.includes(number));
  const known = new Set(work.content.references.map((each) => each.number));
  const seen = edits.citedIn(text).filter((number) => known.has(number) || sentence.cites.includes(number));
  const original = sentence.anonymised ? sentence.original : "";
  return { ...sentence, text, cites: [...seen, ...unseen], original };
}

export function attach() {
  const sentence = contexts.sentence;
  if (!sentence) return;
  prompt("numbers", sentence.cites.join(", "), (typed) => {
    replaceSentence(sentence, { ...sentence, cites: edits.typedNumbers(typed) }, "references");
    contexts.focus();
  });
}

export function remove() {
  const { c, s } = contexts.at;
  const context = work.content.contexts[c];
  if (!context) return;
  if (context.sentences.length <= 1) return removeContext(c);
  edit(edits.removeSentence(work.content, c, s), "sentence removed");
  announce(say("Sentence removed. U brings it back."));
  contexts.focus();
}

export function setSection({ context, section }) {
  const c = placeOf(context);
  if (c >= 0) edit(edits.setSection(work.content, c, section), "section");
}

export function removeContext(c) {
  if (c < 0) return;
  announce(say("Context {id} removed. U brings it back.", { id: work.content.contexts[c].id }));
  edit(edits.removeContext(work.content, c), `context ${work.content.contexts[c].id} removed`);
  contexts.focus();
}

/** The place of a context that was seen a moment ago; -1 where it no longer exists. */
export function placeOf(context) {
  const c = work.content.contexts.indexOf(context);
  if (c < 0) announce(say("That context has changed meanwhile"));
  return c;
}
