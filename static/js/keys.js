/** What keys mean on any layout. */

/** The digit of a key event, also on the number pad and where digits need Shift, or null. */
export function digitOf(event) {
  if (/^\d$/.test(event.key)) return Number(event.key);
  const place = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  return place && !event.shiftKey && event.key.length === 1 ? Number(place[1]) : null;
}
