/** Word overlap as engines/text/overlap.py has it; tests hold the two to equal numbers. */

const MARKS = /[^\p{L}\p{N}]+/gu;
const BASE = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ħ: "h", ŋ: "n" };
const PLAIN = /^[\x00-\x7f]*$/;

/** How words are cut and compared. What Python splits at is listed: \s here has U+FEFF, and lacks U+001C to 1F and 85. */
const DEFINITIONS = {
  "litsearch-code": {
    word: /[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu,
    fold: (word) => word,
  },
  words: { word: /[\p{L}\p{N}]+/gu, fold: foldWord },
};

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

function words(text, definition) {
  const { word, fold } = DEFINITIONS[definition];
  return (text.match(word) ?? []).map(fold);
}

/** Share of the distinct words of the question that stand in any of the texts; null where either side has none. */
export function wordOverlap(question, texts, definition) {
  const asked = new Set(words(question, definition));
  const known = new Set(texts.flatMap((text) => words(text, definition)));
  if (!asked.size || !known.size) return null;
  return [...asked].filter((word) => known.has(word)).length / asked.size;
}

/** {titles, texts}: overlap with the targets' titles, and with their titles and abstracts. */
export function overlapWith(question, targets, definition) {
  const titles = targets.map((target) => target.title);
  const texts = [...titles, ...targets.map((target) => target.abstract)];
  return {
    titles: wordOverlap(question, titles, definition),
    texts: wordOverlap(question, texts, definition),
  };
}

/** Start, end, start, end … of the words of a text that the question has too. */
export function sharedSpans(text, question, definition) {
  const { word, fold } = DEFINITIONS[definition];
  const asked = new Set(words(question, definition));
  return [...text.matchAll(word)]
    .filter((match) => asked.has(fold(match[0])))
    .flatMap((match) => [match.index, match.index + match[0].length]);
}
