/** How two wordings differ, word by word. */

const PIECES = /\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;
const MOST_CELLS = 4_000_000; // beyond, texts are shown as replaced whole

/** [["same" | "removed" | "added", text], …]; neighbours of one kind are joined. */
export function wordDiff(before, after) {
  const old = before.match(PIECES) ?? [];
  const fresh = after.match(PIECES) ?? [];
  if (old.length * fresh.length > MOST_CELLS) return joined([["removed", before], ["added", after]]);
  const longest = lengths(old, fresh);
  const found = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      found.push(["same", old[i]]);
      i += 1;
      j += 1;
    } else if (j >= fresh.length || (i < old.length && longest[i + 1][j] >= longest[i][j + 1])) {
      found.push(["removed", old[i]]);
      i += 1;
    } else {
      found.push(["added", fresh[j]]);
      j += 1;
    }
  }
  return joined(found);
}

/** longest[i][j]: the length of the longest common subsequence of what follows old[i] and fresh[j]. */
function lengths(old, fresh) {
  const longest = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      longest[i][j] = old[i] === fresh[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  return longest;
}

function joined(pieces) {
  const found = [];
  for (const [kind, text] of pieces) {
    if (!text) continue;
    if (found.at(-1)?.[0] === kind) found.at(-1)[1] += text;
    else found.push([kind, text]);
  }
  return found;
}
