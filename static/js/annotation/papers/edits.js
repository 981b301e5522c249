/** Edits of an extraction, as functions from content to content: nothing here touches the page or the server. */

const NUMBERS = /\[(\d+[a-z]?(?:\s*[,;–-]\s*\d+[a-z]?)*)\]/g;
const LONGEST_RANGE = 20;

/** The numbers that stand in square brackets in a text, ranges written out, in order. */
export function citedIn(text) {
  const found = [];
  const joined = text.replace(/\]\s*([–-])\s*\[/g, "$1"); // [3]–[5] is [3–5]
  for (const [, inside] of joined.matchAll(NUMBERS)) {
    for (const part of inside.split(/\s*[,;]\s*/)) found.push(...numbersOf(part));
  }
  return found;
}

function numbersOf(part) {
  const [first, last] = part.split(/\s*[–-]\s*/);
  const [from, to] = [Number(first), Number(last)];
  if (last === undefined || !(from < to) || to - from >= LONGEST_RANGE) return last === undefined ? [first] : [first, last];
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}

/** Numbers as people type them ("3, 4 7-9"), each once. */
export function typedNumbers(text) {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  return [...new Set(parts.flatMap((part) => numbersOf(part.replace(/^\[|\]$/g, ""))))];
}

/** Places where a sentence can be split: the starts of its words but the first. */
export function places(text) {
  return [...text.matchAll(/(?<=\s)\S/g)].map((match) => match.index);
}

const plain = (text, cites) => ({ text, cites, anonymised: false, original: "" });

function withContext(content, c, change) {
  return { ...content, contexts: content.contexts.map((context, i) => (i === c ? change(context) : context)) };
}

const withSentences = (content, c, change) =>
  withContext(content, c, (context) => ({ ...context, sentences: change(context.sentences) }));

export const sentenceAt = (content, c, s) => content.contexts[c]?.sentences[s];

export function replaceSentence(content, c, s, sentence) {
  return withSentences(content, c, (all) => all.map((each, i) => (i === s ? sentence : each)));
}

/** Cut a sentence in two; each half keeps what is cited in it, the first also what no bracket shows. */
export function split(content, c, s, offset) {
  const whole = sentenceAt(content, c, s);
  const halves = [whole.text.slice(0, offset).trim(), whole.text.slice(offset).trim()];
  const second = citedIn(halves[1]).filter((number) => whole.cites.includes(number));
  const first = citedIn(halves[0]);
  const left = whole.cites.filter((number) => first.includes(number) || !second.includes(number));
  const originals = splitOriginal(whole.original, halves);
  const marks = whole.original ? originals.map(Boolean) : [whole.anonymised, false];
  const parts = [left, second].map((cites, i) => (
    { ...plain(halves[i], cites), anonymised: whole.anonymised && marks[i], original: originals[i] }
  ));
  return withSentences(content, c, (all) => [...all.slice(0, s), ...parts, ...all.slice(s + 1)]);
}

/** What stood in each half before names were taken out; "" for a half that reads as it did. */
function splitOriginal(original, halves) {
  const [first] = halves;
  // Names go from before a marker: the cut is behind the longest end of the first half that the original has as well.
  const start = Array.from(first, (_, at) => at).find((at) => original.includes(first.slice(at)));
  if (!original || start === undefined) return [original, ""];
  const cut = original.indexOf(first.slice(start)) + first.length - start;
  return [original.slice(0, cut), original.slice(cut)].map((text, i) => (text.trim() === halves[i] ? "" : text.trim()));
}

/** Join a sentence to the one above it. */
export function merge(content, c, s) {
  const [above, below] = [sentenceAt(content, c, s - 1), sentenceAt(content, c, s)];
  const anonymised = above.anonymised || below.anonymised;
  const joined = {
    text: `${above.text} ${below.text}`.trim(),
    cites: [...above.cites, ...below.cites],
    anonymised,
    original: anonymised ? `${above.original || above.text} ${below.original || below.text}` : "",
  };
  return withSentences(content, c, (all) => [...all.slice(0, s - 1), joined, ...all.slice(s + 1)]);
}

export function removeSentence(content, c, s) {
  return withSentences(content, c, (all) => all.filter((_, i) => i !== s));
}

/** Put a context where its first block stands in the paper, so that contexts keep the order of print. */
export function addContext(content, context) {
  const first = context.blocks[0] ?? Infinity;
  const after = content.contexts.findIndex((each) => (each.blocks[0] ?? -1) > first);
  const at = after < 0 ? content.contexts.length : after;
  return { ...content, contexts: [...content.contexts.slice(0, at), context, ...content.contexts.slice(at)] };
}

export function removeContext(content, c) {
  return { ...content, contexts: content.contexts.filter((_, i) => i !== c) };
}

export const setSection = (content, c, section) => withContext(content, c, (context) => ({ ...context, section }));

const ADDRESSES = [
  ["doi", /^10\.\d[\d.]*\/\S+$/],
  ["arxiv", /^https?:\/\/(?:\w+\.)?arxiv\.org\//i],
  ["pubmed", /^https?:\/\/(?:\w+\.)*(?:ncbi\.nlm\.nih\.gov|europepmc\.org)\//i],
  ["anthology", /^https?:\/\/(?:www\.)?(?:aclanthology\.org|aclweb\.org\/anthology)/i],
  ["pdf", /^https?:\/\/\S+\.pdf(?:[?#]\S*)?$/i],
  ["url", /^https?:\/\//i],
];

/** The kind of an identifier by its look: the same words as engines/definitions/extractions.py, kind_of. */
export function kindOf(value) {
  if (!value) return "none";
  return ADDRESSES.find(([, looks]) => looks.test(value.trim()))?.[0] ?? "other";
}

/** Give references their identifiers, [[place, identifier or null for none], …]: a person has said so. A DOI may come as
 * an address of doi.org. */
export function setValues(content, pairs) {
  const wanted = new Map(pairs);
  const change = (each, typed) => {
    const value = typed?.trim().replace(/^https?:\/\/(?:dx\.)?doi\.org\/(?=10\.)/i, "") || null;
    return { ...each, value, kind: kindOf(value), settled: true };
  };
  return { ...content, references: content.references.map((each, i) => (wanted.has(i) ? change(each, wanted.get(i)) : each)) };
}

/** Whether two contents say the same. */
export const sameContent = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** An edit as the server takes it: records that are new, and the places in the content before of those that are not. */
export function stepOf({ change, before, after }) {
  const step = { change };
  for (const part of ["contexts", "references"]) {
    if (before[part] === after[part]) continue;
    const places = new Map(before[part].map((record, place) => [record, place]));
    step[part] = after[part].map((record) => places.get(record) ?? record);
  }
  return step;
}

/** The number of the next context: the highest so far and one. */
export function nextNumber(content) {
  const numbers = content.contexts.map(({ id }) => (/^[0-9]+$/.test(id) ? Number(id) : 0));
  return Math.max(0, ...numbers) + 1;
}

export const contextId = (number) => String(number).padStart(2, "0");
