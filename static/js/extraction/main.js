/** The extraction screen: three panes, their keys, and every edit saved. Without this script the page still lets one
 * read, correct by file, and finish. */

import { GuidelinePane } from "../labelling/guideline.js";
import { announce, anyDialogOpen, data, notice, part, show, takesKeys } from "../labelling/page.js";
import { Offline, post } from "../labelling/server.js";
import { Contexts } from "./contexts.js";
import * as edits from "./edits.js";
import { withSameRecords } from "./painting.js";
import { References } from "./references.js";
import { Saver } from "./saver.js";
import { Sections } from "./sections.js";
import { askSignIn, onSignedIn } from "./session.js";
import { Sheet } from "./sheet.js";
import { inTurn, mustWait, typeInto } from "./turns.js";

let state = data.state;
let content = state.content;
const saver = new Saver(state);
const sheet = new Sheet();
const contexts = new Contexts();
const references = new References();
const sections = new Sections();
const guideline = new GuidelinePane(() => contexts.focus());
const asked = new Set(); // texts whose reading was asked for

// --- showing ------------------------------------------------------------------------------------------------------------

function render() {
  const known = new Set(content.references.map((each) => each.number));
  contexts.render(content, known);
  references.render(content, new Set(state.inside));
  sheet.use(content.contexts);
  sections.use(content.contexts);
  tellSection();
  const inside = content.references.filter((each) => state.inside.includes(each.value)).length;
  part("coverage").textContent = `${inside} of ${content.references.length} in the collection`;
  part("context-count").textContent = String(content.contexts.length);
  part("reference-count").textContent = String(content.references.length);
  part("undo").disabled = !(state.undo || !saver.isClean);
  part("redo").disabled = !state.redo;
  lookAhead();
}

/** Say what the section of the selected block was decided to be. */
function tellSection() {
  part("block-section").textContent = sheet.selected ? sections.words(sheet.selected.id) : "";
}

/** Take an edit: show it at once, save it soon. */
function edit(next, change) {
  if (next === content) return;
  content = next;
  state = { ...state, undo: true, redo: false };
  render();
  saver.save(content, change);
}

function take(newest) {
  state = newest;
  content = withSameRecords(content, newest.content);
  render();
}

/** Ask how the current sentence would read without names, so that A and its hint are there at once. */
async function lookAhead() {
  const sentence = contexts.sentence;
  if (!sentence || sentence.anonymised || asked.has(sentence.text)) return;
  asked.add(sentence.text);
  const reading = await readingOf(sentence.text);
  if (!reading) asked.delete(sentence.text);
  else if (contexts.sentence?.text === sentence.text && reading.anonymised) contexts.repaint(contexts.at);
}

async function readingOf(text) {
  const { status, body } = await ask(data.urls.read, { text });
  if (status !== 200) return null;
  contexts.proposals.set(text, body.anonymised ? body : null);
  return body;
}

/** POST and answer; a network that fails is said and answered with status 0. */
async function ask(url, json) {
  try {
    const answer = await post(url, json);
    if (answer.status === 401) askSignIn();
    return answer;
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    notice("The server cannot be reached just now. What you did is kept in this browser.");
    return { status: 0, body: null };
  }
}

// --- what can be done ------------------------------------------------------------------------------------------------

async function makeContext() {
  const block = sheet.selected;
  if (!block) return;
  if (!(await saver.flush())) return;
  const { status, body } = await ask(data.urls.propose, { blocks: [block.id] });
  if (status === 200) showCleaning(body.proposals[0], block);
  else if (body) notice(body.reason);
}

/** Include all citing paragraphs of a section; where all are contexts already, leave them out. */
async function changeSection(section) {
  if (!section) return announce("This section cites nothing");
  if (!(await saver.flush())) return;
  const missing = sections.outside(section);
  if (!missing.length) return leaveOut(section);
  const { status, body } = await ask(data.urls.propose, { blocks: missing });
  if (status !== 200) return body && notice(body.reason);
  // To ACM-CR, what is no introduction and counts is related work.
  const made = body.proposals.map(({ context }) => ({ ...context, section: context.section || "related work" }));
  edit(made.reduce(edits.addContext, content), `section ${section.heading} included`);
  announce(`${made.length} ${made.length === 1 ? "context" : "contexts"} from “${section.heading}” added. U removes them.`);
}

function leaveOut(section) {
  const gone = new Set(section.blocks);
  const kept = content.contexts.filter((context) => !context.blocks.some((id) => gone.has(id)));
  announce(`${content.contexts.length - kept.length} contexts from “${section.heading}” removed. U brings them back.`);
  edit({ ...content, contexts: kept }, `section ${section.heading} left out`);
}

/** The section that the focus is in: that of the context where the focus is among contexts, else of the selected block. */
function sectionHere() {
  const context = inPane("contexts") ? content.contexts[contexts.at.c] : null;
  return sections.of(context?.blocks[0] ?? sheet.selected?.id);
}

function showCleaning({ context, cleaning }, block) {
  const dialog = part("cleaning");
  const pieces = cleaning.map(([kind, text]) => piece(kind, text));
  part("cleaning-diff").replaceChildren(...pieces);
  show(part("cleaning-same"), !cleaning.some(([kind]) => kind !== "same"));
  part("cleaning-sentences").replaceChildren(...context.sentences.map((each) => Object.assign(document.createElement("li"), { textContent: each.text })));
  show(part("cleaning-again"), content.contexts.some((each) => each.blocks.includes(block.id)));
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "accept") return sheet.select(block.id, { focus: true });
    edit(edits.addContext(content, context), `context ${context.id}`);
    const c = content.contexts.findIndex((each) => each.id === context.id);
    contexts.go(c, 0, { focus: true });
    announce(`Context ${context.id} with ${context.sentences.length} sentences`);
  };
  dialog.showModal();
}

function piece(kind, text) {
  const element = document.createElement(kind === "same" ? "span" : kind === "removed" ? "del" : "ins");
  element.textContent = text;
  return element;
}

/** Put another sentence in the place of one. Where that one no longer exists, say so and show what would be lost. */
function replaceSentence(sentence, next, change) {
  const c = content.contexts.findIndex((context) => context.sentences.includes(sentence));
  if (c < 0) return notice(`That sentence was changed in another window meanwhile. Not kept: “${next.text}”`);
  const s = content.contexts[c].sentences.indexOf(sentence);
  edit(edits.replaceSentence(content, c, s, next), change);
}

function splitHere() {
  const { c, s } = contexts.at;
  if (!contexts.sentence || contexts.offset <= 0) return announce("There is one word only");
  edit(edits.split(content, c, s, contexts.offset), "split");
  contexts.go(c, s + 1, { focus: true });
}

function mergeUp() {
  const { c, s } = contexts.at;
  if (!contexts.sentence || s === 0) return announce("There is no sentence above in this context");
  contexts.at = { c, s: s - 1 };
  edit(edits.merge(content, c, s), "merge");
  contexts.focus();
}

async function anonymise() {
  const sentence = contexts.sentence;
  if (!sentence) return;
  if (sentence.anonymised) {
    const text = sentence.original || sentence.text;
    const cites = (await readingOf(text))?.cites ?? sentence.cites;
    return replaceSentence(sentence, { text, cites, anonymised: false, original: "" }, "names put back");
  }
  const known = contexts.proposals.get(sentence.text);
  const reading = known === undefined ? await readingOf(sentence.text) : known;
  if (!reading?.anonymised) return announce("No names of cited authors stand before a marker here");
  const next = { text: reading.anonymised, cites: reading.anonymised_cites, anonymised: true, original: sentence.text };
  replaceSentence(sentence, next, "anonymised");
}

function editText() {
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
  const known = new Set(content.references.map((each) => each.number));
  const seen = edits.citedIn(text).filter((number) => known.has(number) || sentence.cites.includes(number));
  const original = sentence.anonymised ? sentence.original : "";
  return { ...sentence, text, cites: [...seen, ...unseen], original };
}

function attach() {
  const sentence = contexts.sentence;
  if (!sentence) return;
  prompt("numbers", sentence.cites.join(", "), (typed) => {
    replaceSentence(sentence, { ...sentence, cites: edits.typedNumbers(typed) }, "references");
    contexts.focus();
  });
}

function remove() {
  const { c, s } = contexts.at;
  const context = content.contexts[c];
  if (!context) return;
  if (context.sentences.length <= 1) return removeContext(c);
  edit(edits.removeSentence(content, c, s), "sentence removed");
  announce("Sentence removed. U brings it back.");
  contexts.focus();
}

/** The place of a context that was seen a moment ago; -1 where it no longer exists. */
const placeOf = (context) => {
  const c = content.contexts.indexOf(context);
  if (c < 0) announce("That context has changed meanwhile");
  return c;
};

function setSection({ context, section }) {
  const c = placeOf(context);
  if (c >= 0) edit(edits.setSection(content, c, section), "section");
}

function removeContext(c) {
  if (c < 0) return;
  announce(`Context ${content.contexts[c].id} removed. U brings it back.`);
  edit(edits.removeContext(content, c), `context ${content.contexts[c].id} removed`);
  contexts.focus();
}

function pick(n) {
  const docno = references.candidate(n);
  if (docno) edit(edits.setValue(content, references.at, docno), `reference ${references.current.number}`);
  references.focus();
}

function paste() {
  const reference = references.current;
  if (!reference) return;
  const at = references.at; // a key may have moved on before the dialog says that it has closed
  prompt("identifier", reference.value ?? "", (typed) => {
    edit(edits.setValue(content, at, typed), `reference ${reference.number}`);
    references.focus();
  });
}

/** Ask for one line of text in the dialog of that name. */
function prompt(name, value, done) {
  const dialog = part(name);
  const field = dialog.querySelector("input");
  field.value = value;
  dialog.returnValue = "";
  dialog.onclose = () => (dialog.returnValue === "keep" ? done(field.value) : render());
  dialog.showModal();
  field.select();
}

async function step(name) {
  if (!(await saver.flush())) return;
  const { status, body } = await ask(data.urls.move, { step: name, base: saver.base });
  if (status === 409) return saver.clash(body);
  if (status !== 200) return status && notice(body?.reason ?? `That could not be taken back or done again (${status}).`);
  const meanwhile = saver.waiting && content; // a dialog that closed late: what was typed counts
  saver.follow(body);
  take(body);
  if (meanwhile) edit(meanwhile, "kept over a step back");
  else announce(name === "undo" ? "Taken back" : "Done again");
}

async function finish() {
  if (!(await saver.flush())) return notice("Not everything is saved yet. Finish once it is.");
  const findings = state.findings.map((each) => Object.assign(document.createElement("li"), { textContent: each.text }));
  part("finish-findings").replaceChildren(...findings);
  show(part("finish-some"), findings.length > 0);
  show(part("finish-none"), findings.length === 0);
  part("finish").showModal();
}

/** Ask why the paper is left to somebody else; an adjudicator's paper is not. */
async function skip() {
  if (!part("skip")) return;
  if (!(await saver.flush())) return notice("Not everything is saved yet. Skip the paper once it is.");
  part("skip").showModal();
}

// --- keys -----------------------------------------------------------------------------------------------------------

const inPane = (name) => part(name).contains(document.activeElement);

/** Keys that mean something in the pane that has the focus; the middle one is meant where none has. */
const KEYS = {
  sheet: {
    ArrowDown: () => sheet.move(1), ArrowUp: () => sheet.move(-1), j: () => sheet.move(1), k: () => sheet.move(-1),
    Enter: makeContext,
  },
  references: {
    ArrowDown: () => references.move(1), ArrowUp: () => references.move(-1), j: () => references.move(1), k: () => references.move(-1),
    1: () => pick(1), 2: () => pick(2), 3: () => pick(3), p: paste, n: () => edit(edits.setValue(content, references.at, null), "no identifier"),
  },
  contexts: {
    ArrowDown: () => contexts.move(1), ArrowUp: () => contexts.move(-1), j: () => contexts.move(1), k: () => contexts.move(-1),
    ArrowRight: () => contexts.moveCaret(1), ArrowLeft: () => contexts.moveCaret(-1),
    s: splitHere, m: mergeUp, a: anonymise, t: attach, e: editText, Enter: editText, x: remove,
  },
};
const EVERYWHERE = {
  c: makeContext, i: () => changeSection(sectionHere()), u: () => step("undo"), "?": () => part("help").showModal(),
  "[": () => sheet.open(sheet.page - 1), "]": () => sheet.open(sheet.page + 1),
  z: () => part("sheet").classList.toggle("is-large"), f: finish, g: () => guideline.toggle(), 4: () => focusPane("sheet"), 5: () => focusPane("contexts"), 6: () => focusPane("references"),
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
  if (withControl) return { z: withShift ? redo : () => step("undo"), y: redo }[small];
  if (small === "u" && withShift) return redo;
  if (small === "x" && withShift) return skip;
  const pane = ["sheet", "references"].find(inPane) ?? "contexts";
  return KEYS[pane][small] ?? EVERYWHERE[small];
}

function pressLater(pressed) {
  const field = document.activeElement;
  if (takesKeys(field)) return typeInto(field, pressed.key);
  if (!anyDialogOpen()) return meant(pressed)?.();
}

// --- wiring ---------------------------------------------------------------------------------------------------------

const ACTS = {
  context: makeContext, section: () => changeSection(sectionHere()), undo: () => step("undo"), redo: () => step("redo"), finish, skip, help: () => part("help").showModal(),
  "page-before": () => sheet.open(sheet.page - 1), "page-after": () => sheet.open(sheet.page + 1),
  split: splitHere, merge: mergeUp, anonymise, attach, edit: editText, remove, paste,
  "close-notice": () => notice(""),
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  const act = button && ACTS[button.dataset.act];
  if (act) inTurn(act);
});

contexts.addEventListener("moved", lookAhead);
sheet.addEventListener("selected", tellSection);
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
  state = detail;
  guideline.noteVersion(detail.guideline);
  render();
});
saver.addEventListener("signedout", askSignIn);
onSignedIn(() => saver.flush());
saver.addEventListener("refused", ({ detail }) => notice(`${detail} Undo the edit (U) or reload the page.`));
saver.addEventListener("clash", ({ detail }) => {
  const dialog = part("clash");
  dialog.onclose = () => {
    const mine = content;
    saver.follow(detail);
    if (dialog.returnValue === "mine") edit(mine, "kept over another window's");
    else take(detail);
  };
  if (!anyDialogOpen()) dialog.showModal();
});
window.addEventListener("beforeunload", (event) => {
  if (!saver.isClean) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") saver.flush();
});

show(part("panes"));
sheet.start();
render();
const kept = saver.kept();
if (kept) {
  edit(kept.content, kept.change);
  notice("What you did before the page was closed was not saved yet. It is here again, and is being saved now.");
}
contexts.focus();
