/** The form of a new campaign: what only some kinds ask (data-for-kinds="rubric extraction") is shown with these alone,
 * what only a copy asks (data-for-copies) with a copy. Without this script all of it is shown; the server reads what
 * belongs to the template that was chosen. */

const form = document.querySelector("form:has([name=template])");

/** The element that says what the campaign begins as: a template, or the campaign to copy. */
function chosen() {
  const button = form.querySelector("[name=template]:checked");
  return button?.value === "copy" ? form.elements.copied?.selectedOptions[0] : button;
}

function showOwn() {
  const { kind, overlap } = chosen()?.dataset ?? {};
  for (const part of form.querySelectorAll("[data-for-kinds]")) {
    part.toggleAttribute("data-shown", part.dataset.forKinds.split(" ").includes(kind));
  }
  const isCopy = form.querySelector("[name=template]:checked")?.value === "copy";
  for (const part of form.querySelectorAll("[data-for-copies]")) part.toggleAttribute("data-shown", isCopy);
  form.elements.overlap.placeholder = overlap ?? "";
}

form.addEventListener("change", showOwn);
showOwn();
