/** Where a sentence of a block stands on the page. A block has boxes for its columns and, as `lines`, how many letters
 * and digits each printed line has: cleaning changes white space, hyphens and signs, but hardly ever those. */

const LETTER = /[\p{L}\p{N}]/gu;
const CHARACTERISTIC = 40; // characters of a sentence's beginning or end that find it where it was changed in between
const TALLEST_LINE = 24; // points

const lettersIn = (text) => text.match(LETTER)?.length ?? 0;

/** [start, end] of a sentence in the text of its block, also where its middle was changed; null where it is not found. */
export function rangeOfSentence(text, sentence) {
  if (!sentence) return null;
  const start = text.indexOf(sentence.slice(0, CHARACTERISTIC));
  const exact = text.indexOf(sentence);
  if (exact >= 0) return [exact, exact + sentence.length];
  const tail = sentence.slice(-CHARACTERISTIC);
  const end = text.indexOf(tail, Math.max(0, start));
  if (start < 0 && end < 0) return null;
  const stop = end < 0 ? Math.min(text.length, start + sentence.length) : end + tail.length;
  return [start < 0 ? Math.max(0, stop - sentence.length) : start, stop];
}

/** The boxes of a sentence, one for each line it runs through; none where that cannot be known. */
export function placeOfSentence(block, sentence) {
  const range = rangeOfSentence(block.text, sentence);
  const lines = range ? linesOf(block) : [];
  const whole = lines.reduce((sum, line) => sum + line.letters, 0);
  if (!whole) return [];
  const stretch = whole / (lettersIn(block.text) || 1);
  const [from, to] = range.map((at) => lettersIn(block.text.slice(0, at)) * stretch);
  const boxes = [];
  let before = 0;
  for (const line of lines) {
    const [start, end] = [from, to].map((at) => Math.min(1, Math.max(0, (at - before) / (line.letters || 1))));
    if (end > start) boxes.push({ page: line.page, x: line.x + start * line.width, y: line.y, width: (end - start) * line.width, height: line.height });
    before += line.letters;
  }
  return boxes;
}

/** The lines of a block with their letters, spread evenly over its boxes. */
function linesOf({ boxes = [], lines }) {
  if (!lines) return boxes.every((box) => box.height <= TALLEST_LINE) ? boxes.map((box) => ({ ...box, letters: box.width })) : [];
  const height = boxes.reduce((sum, box) => sum + box.height, 0);
  const longest = Math.max(...lines);
  const placed = [];
  let above = 0;
  for (const box of boxes) {
    above += box.height;
    const own = lines.slice(placed.length, Math.round((lines.length * above) / height));
    own.forEach((letters, i) => {
      const isLast = placed.length === lines.length - 1; // it ends before the edge of the column
      const width = box.width * (isLast ? letters / longest : 1);
      placed.push({ page: box.page, x: box.x, y: box.y + (i * box.height) / own.length, width, height: box.height / own.length, letters });
    });
  }
  return placed;
}
