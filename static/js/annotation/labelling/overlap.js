/** Word overlap as corpus/text/overlap.py has it; tests hold the two to equal numbers. */

const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /[^\p{L}\p{N}]+/gu;
const BASE = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ħ: "h", ŋ: "n" };
const PLAIN = /^[\x00-\x7f]*$/;

/** A word without case and accents. Going up first opens what has no single small letter: ß is ss. */
export function foldWord(word) {
  if (PLAIN.test(word)) return word.toLowerCase();
  const folded = foldCase(foldCase(word).normalize("NFKD"));
  return [...folded.replace(MARKS, "")].map((letter) => BASE[letter] ?? letter).join("");
}

const foldCase = (text) => [...text].map((letter) => foldLetter(letter)).join("");

function foldLetter(letter) {
  if (letter === "ı") return letter; // its capital is I, whose small letter is another
  return letter.toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

export const words = (text) => (text.match(WORD) ?? []).map(foldWord);

/** Share of the distinct words of the question that stand in any of the texts; null where either side has none. */
export function wordOverlap(question, texts) {
  const asked = new Set(words(question));
  const known = new Set(texts.flatMap(words));
  if (!asked.size || !known.size) return null;
  return [...asked].filter((word) => known.has(word)).length / asked.size;
}

/** {titles, texts}: overlap with the targets' titles, and with their titles and abstracts. */
export function overlapWith(question, targets) {
  const titles = targets.map((target) => target.title);
  return {
    titles: wordOverlap(question, titles),
    texts: wordOverlap(question, [...titles, ...targets.map((target) => target.abstract)]),
  };
}

/** Start, end, start, end … of the words of a text that the question has too. */
export function sharedSpans(text, question) {
  const asked = new Set(words(question));
  return [...text.matchAll(WORD)]
    .filter((match) => asked.has(foldWord(match[0])))
    .flatMap((match) => [match.index, match.index + match[0].length]);
}
