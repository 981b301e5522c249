/** What the parts of the screen share: the extraction as it is now, its panes, and the one way to change it. */

import { GuidelinePane } from "../labelling/guideline.js";
import { data, notice, part } from "../labelling/page.js";
import { Offline, post } from "../labelling/server.js";
import { Contexts } from "./contexts.js";
import { sameContent } from "./edits.js";
import { withSameRecords } from "./painting.js";
import { isUnresolved, References } from "./references.js";
import { Saver } from "./saver.js";
import { Sections } from "./sections.js";
import { askSignIn } from "./session.js";
import { Sheet } from "./sheet.js";
import { say } from "../../words.js";

/** `state` is what the server said last, `undone` what was taken back here before it was sent, newest last. */
export const work = { state: data.state, content: data.state.content, undone: [] };
export const saver = new Saver(data.state);
export const sheet = new Sheet();
export const contexts = new Contexts();
export const references = new References();
export const sections = new Sections();
export const guideline = new GuidelinePane(() => contexts.focus());
learn(data.paper.readings);

/** Whether the focus is in the pane of that name. */
export const inPane = (name) => part(name).contains(document.activeElement);

export function render() {
  const known = new Set(work.content.references.map((each) => each.number));
  contexts.render(work.content, known);
  references.render(work.content, new Set(work.state.inside));
  sheet.use(work.content.contexts);
  sections.use(work.content.contexts);
  tellSection();
  const all = work.content.references;
  part("coverage").textContent = all.length === 0 ? say("No references") : say("{inside} of {all} references in the collection", { inside: all.filter((each) => references.isInside(each)).length, all: all.length });
  part("context-count").textContent = String(work.content.contexts.length);
  part("reference-count").textContent = all.length === 0 ? "" : say("{open} of {all} open", { open: all.filter(isUnresolved).length, all: all.length });
  part("undo").disabled = !(work.state.undo || !saver.isClean);
  part("redo").disabled = !(work.undone.length || (work.state.redo && saver.isClean));
  contexts.dispatchEvent(new CustomEvent("rendered"));
}

/** Say what the section of the selected block was decided to be. */
export function tellSection() {
  part("block-section").textContent = sheet.selected ? sections.words(sheet.selected.id) : "";
}

/** Take an edit: show it at once, save it soon. */
export function edit(next, change) {
  if (next === work.content) return;
  work.undone = [];
  apply(next, change);
}

function apply(next, change) {
  const before = work.content;
  work.content = next;
  saver.save(change, before, next);
  render();
}

/** Take back the last edit that was not sent; false where there is none. */
export function undoHere() {
  const last = saver.takeBack();
  if (!last) return false;
  work.undone.push(last);
  work.content = last.before;
  render();
  return true;
}

/** Make the edit again that was taken back here, where the content is what it was made of; else false. */
export function redoHere() {
  const last = work.undone.at(-1);
  if (!last || !sameContent(last.before, work.content)) return false;
  work.undone.pop();
  apply(withSameRecords(work.content, last.after), last.change);
  return true;
}

export function take(newest) {
  work.state = newest;
  work.content = withSameRecords(work.content, newest.content);
  render();
}

/** What A would do to sentences, by their text: as it came with the page, with new contexts, or with what was saved. */
export function learn(readings) {
  for (const [text, reading] of Object.entries(readings)) contexts.proposals.set(text, reading);
}

/** The reading of a sentence; asked for where it was changed and not saved since. Null where that fails. */
export async function readingOf(text) {
  if (contexts.proposals.get(text)) return contexts.proposals.get(text);
  const { status, body } = await ask(data.urls.read, { text });
  if (status !== 200) return null;
  learn({ [text]: body.anonymised ? body : null });
  return body;
}

/** POST and answer; a network that fails is said and answered with status 0. */
export async function ask(url, json) {
  try {
    const answer = await post(url, json);
    if (answer.status === 401) askSignIn();
    return answer;
  } catch (error) {
    if (!(error instanceof Offline)) throw error;
    notice(say("The server cannot be reached just now. What you did is kept in this browser."));
    return { status: 0, body: null };
  }
}

/** Ask for one line of text in the dialog of that name. */
export function prompt(name, value, done) {
  const dialog = part(name);
  const field = dialog.querySelector("input");
  field.value = value;
  dialog.returnValue = "";
  dialog.onclose = () => (dialog.returnValue === "keep" ? done(field.value) : render());
  dialog.showModal();
  field.select();
}
