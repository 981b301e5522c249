/** Searches the documentation in the browser: all words must begin a word of a section; titles count more. */

const SHOWN = 20;
const results = document.getElementById("search-results");
const state = document.getElementById("search-state");
const field = document.querySelector("input[type=search]");
const root = new URL("..", new URL(results.dataset.index, location.href));
const sections = fetch(results.dataset.index).then((answer) => answer.json()).then(({ docs }) => {
  const titles = new Map(docs.map(({ location: address, title }) => [address, title]));
  return docs.map((each) => prepared(each, titles));
});

const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const wordsOf = (text) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

function prepared({ location: address, title, text }, titles) {
  const page = address.includes("#") ? titles.get(address.split("#")[0]) : "";
  return { address, title, page, text, title_words: wordsOf(title), text_words: new Set(wordsOf(text)) };
}

/** How well a section answers: 0 where a word is missing. */
function score(section, wanted) {
  let sum = 0;
  for (const word of wanted) {
    const titled = section.title_words.some((each) => each.startsWith(word));
    const exact = section.text_words.has(word);
    if (!titled && !exact && ![...section.text_words].some((each) => each.startsWith(word))) return 0;
    sum += titled ? 10 : exact ? 2 : 1;
  }
  return sum + (section.address.includes("#") ? 0 : 1);
}

async function search(query) {
  const wanted = wordsOf(query);
  if (wanted.join("").length < 2) {
    results.replaceChildren();
    state.textContent = "Type at least two letters into the field on top.";
    return;
  }
  const found = (await sections)
    .map((section) => ({ section, points: score(section, wanted) }))
    .filter(({ points }) => points)
    .sort((one, other) => other.points - one.points);
  results.replaceChildren(...found.slice(0, SHOWN).map(({ section }) => entry(section, wanted)));
  state.textContent = sentence(found.length);
}

function sentence(count) {
  if (!count) return "Nothing found. Try fewer or other words.";
  if (count > SHOWN) return `${count} sections found; the best ${SHOWN} are shown.`;
  return count === 1 ? "1 section found." : `${count} sections found.`;
}

function entry({ address, title, page, text }, wanted) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = new URL(address, root);
  link.textContent = page && page !== title ? `${title} (${page})` : title;
  const words = document.createElement("p");
  words.textContent = excerpt(text, wanted);
  item.append(link, words);
  return item;
}

/** Some words around the first hit. */
function excerpt(text, wanted) {
  const at = Math.max(0, plain(text).indexOf(wanted[0]) - 60);
  return (at ? "… " : "") + text.slice(at, at + 180).trim() + (text.length > at + 180 ? " …" : "");
}

field.value = new URLSearchParams(location.search).get("q") ?? "";
field.addEventListener("input", () => {
  history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
  search(field.value);
});
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search(field.value);
});
search(field.value);
