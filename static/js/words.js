// What scripts say, in the language of the page: the catalogue stands in it (templates/base.html), none for English.
// A text is looked up by its English words; {names} in it are filled with values.

const island = document.getElementById("catalogue");
const catalogue = island ? JSON.parse(island.textContent) : {};
export const language = document.documentElement.lang;
export const dateLanguage = language === "en" ? "en-GB" : language; // days before months, 24 hours

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

export function say(english, values = {}) {
  return filled(catalogue[english] ?? english, values);
}

// All languages here have one form for 1 and another for all other numbers; {count} is the number, as it is written.
export function sayMany(one, many, count, values = {}) {
  const forms = catalogue[one] ?? [one, many];
  return filled(forms[count === 1 ? 0 : 1], { count: numeral(count), ...values });
}

export function numeral(number) {
  return number.toLocaleString(language);
}
