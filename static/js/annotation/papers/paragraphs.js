/** From paragraphs of the paper to contexts: one with its cleaning looked at, or all that cite of a section. */

import { announce, data, notice, part, show } from "../labelling/page.js";
import { ask, contexts, work, edit, inPane, learn, sections, sheet } from "./work.js";
import * as edits from "./edits.js";
import { say, sayMany } from "../../words.js";

export async function makeContext() {
  const block = sheet.selected;
  if (!block) return;
  const { status, body } = await ask(data.urls.propose, { blocks: [block.id] });
  if (status !== 200) return body && notice(body.reason);
  learn(body.readings);
  const { context, cleaning } = body.proposals[0];
  showCleaning({ context: { ...context, id: edits.contextId(edits.nextNumber(work.content)) }, cleaning }, block);
}

function showCleaning({ context, cleaning }, block) {
  const dialog = part("cleaning");
  const pieces = cleaning.map(([kind, text]) => piece(kind, text));
  part("cleaning-diff").replaceChildren(...pieces);
  show(part("cleaning-same"), !cleaning.some(([kind]) => kind !== "same"));
  part("cleaning-sentences").replaceChildren(...context.sentences.map((each) => Object.assign(document.createElement("li"), { dir: "auto", textContent: each.text })));
  show(part("cleaning-again"), work.content.contexts.some((each) => each.blocks.includes(block.id)));
  dialog.returnValue = "";
  dialog.onclose = () => {
    if (dialog.returnValue !== "accept") return sheet.select(block.id, { focus: true });
    edit(edits.addContext(work.content, context), `context ${context.id}`);
    const c = work.content.contexts.findIndex((each) => each.id === context.id);
    contexts.go(c, 0, { focus: true });
    announce(sayMany("Context {id} with {count} sentence", "Context {id} with {count} sentences", context.sentences.length, { id: context.id }));
  };
  dialog.showModal();
}

function piece(kind, text) {
  const element = document.createElement(kind === "same" ? "span" : kind === "removed" ? "del" : "ins");
  element.textContent = text;
  return element;
}

/** Include all citing paragraphs of a section; where all are contexts already, leave them out. */
export async function changeSection(section) {
  if (!section) return announce(say("This section cites nothing"));
  const missing = sections.outside(section);
  if (!missing.length) return leaveOut(section);
  const { status, body } = await ask(data.urls.propose, { blocks: missing });
  if (status !== 200) return body && notice(body.reason);
  // To ACM-CR, what is no introduction and counts is related work.
  const first = edits.nextNumber(work.content);
  const made = body.proposals.map(({ context }, i) => ({ ...context, id: edits.contextId(first + i), section: context.section || "related work" }));
  learn(body.readings);
  edit(made.reduce(edits.addContext, work.content), `section ${section.heading} included`);
  announce(sayMany("{count} context from “{heading}” added. U removes it.", "{count} contexts from “{heading}” added. U removes them.", made.length, { heading: section.heading }));
}

function leaveOut(section) {
  const gone = new Set(section.blocks);
  const kept = work.content.contexts.filter((context) => !context.blocks.some((id) => gone.has(id)));
  announce(sayMany(
    "{count} context from “{heading}” removed. U brings it back.",
    "{count} contexts from “{heading}” removed. U brings them back.",
    work.content.contexts.length - kept.length,
    { heading: section.heading },
  ));
  edit({ ...work.content, contexts: kept }, `section ${section.heading} left out`);
}

/** The section that the focus is in: that of the context where the focus is among contexts, else of the selected block. */
export function sectionHere() {
  const context = inPane("contexts") ? work.content.contexts[contexts.at.c] : null;
  return sections.of(context?.blocks[0] ?? sheet.selected?.id);
}
