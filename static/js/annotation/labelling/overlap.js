/** Word overlap as engines/text/overlap.py has it; tests hold the two to equal numbers. */

const ACCENTS =
  "\\u0300-\\u036F\\u0483-\\u0487\\u0591-\\u05BD\\u05BF\\u05C1\\u05C2\\u05C4\\u05C5\\u05C7\\u0610-\\u061A\\u064B-\\u065F\\u0670" +
  "\\u06D6-\\u06DC\\u06DF-\\u06E4\\u06E7\\u06E8\\u06EA-\\u06ED\\u08CA-\\u08FF\\u180B-\\u180D\\u180F\\u1AB0-\\u1AFF\\u1DC0-\\u1DFF" +
  "\\u20D0-\\u20FF\\uFE00-\\uFE0F\\uFE20-\\uFE2F\\u{E0100}-\\u{E01EF}";
const SPACELESS =
  "\\u0E01-\\u0E3A\\u0E40-\\u0E4E\\u0E81-\\u0EBD\\u0EC0-\\u0ECE\\u0EDC-\\u0EDF\\u1000-\\u103F\\u1050-\\u1089\\u109A-\\u109D" +
  "\\u1780-\\u17D3\\u17D7\\u17DC\\u17DD\\u1100-\\u11FF\\u3131-\\u318E\\uAC00-\\uD7A3\\uD7B0-\\uD7FB\\u2E80-\\u2FD5\\u3005-\\u3007" +
  "\\u3021-\\u3029\\u3038-\\u303B\\u3041-\\u3096\\u3099\\u309A\\u309D-\\u309F\\u30A1-\\u30FA\\u30FC-\\u30FF\\u31F0-\\u31FF" +
  "\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF\\uFF66-\\uFF9F\\u{20000}-\\u{3FFFF}";
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc}\u200C\u200D]*/gu;
const PIECES = new RegExp(`[${SPACELESS}]+|[^${SPACELESS}]+`, "gu");
const IS_SPACELESS = new RegExp(`^[${SPACELESS}]`, "u");
const NO_LETTERS = new RegExp(`[^\\p{L}\\p{N}\\p{Mn}\\p{Mc}]|[${ACCENTS}]`, "gu");
const BASE = { ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ı: "i", ħ: "h", ŋ: "n", ك: "ک", ي: "ی", ى: "ی", ـ: "" };
const PLAIN = /^[\x00-\x7f]*$/;
// What Python splits at is listed: \s here has U+FEFF, and lacks U+001C to 1F and 85.
const RUN = /[^\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;

/** How words are cut, as [start, word], and compared. */
const DEFINITIONS = {
  "litsearch-code": { cut: (text) => found(text, RUN), fold: (word) => word },
  words: { cut: (text) => found(text, WORD).flatMap(terms), fold: foldWord },
};

const found = (text, pattern) => [...text.matchAll(pattern)].map((match) => [match.index, match[0]]);

/** The parts of a word: of scripts without spaces each two neighbours. */
function terms([start, word]) {
  return found(word, PIECES).flatMap(([at, piece]) => {
    const letters = [...piece];
    if (letters.length < 3 || !IS_SPACELESS.test(piece)) return [[start + at, piece]];
    let place = start + at;
    return letters.slice(1).map((letter, i) => {
      const pair = [place, letters[i] + letter];
      place += letters[i].length;
      return pair;
    });
  });
}

/** A word without case and accents. Going up first opens what has no single small letter: ß is ss. */
export function foldWord(word) {
  if (PLAIN.test(word)) return word.toLowerCase();
  const folded = foldCase(foldCase(word).normalize("NFKD"));
  return [...folded.replace(NO_LETTERS, "")].map((letter) => BASE[letter] ?? letter).join("");
}

const foldCase = (text) => [...text].map((letter) => foldLetter(letter)).join("");

function foldLetter(letter) {
  if (letter === "ı") return letter; // its capital is I, whose small letter is another
  return letter.toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

function words(text, definition) {
  const { cut, fold } = DEFINITIONS[definition];
  return cut(text).map(([, word]) => fold(word));
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

/** Start, end, start, end … of the words of a text that the question has too, but for those left out (folded); pairs
 * that overlap are joined. */
export function sharedSpans(text, question, definition, leftOut = []) {
  const { cut, fold } = DEFINITIONS[definition];
  const asked = new Set(words(question, definition));
  const unmarked = new Set(leftOut);
  const isLeftOut = (word) => unmarked.size > 0 && found(word, WORD).every(([, part]) => unmarked.has(foldWord(part)));
  const spans = [];
  for (const [start, word] of cut(text)) {
    if (!asked.has(fold(word)) || isLeftOut(word)) continue;
    if (spans.length && start < spans.at(-1)) spans[spans.length - 1] = start + word.length;
    else spans.push(start, start + word.length);
  }
  return spans;
}
