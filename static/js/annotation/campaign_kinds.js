/** The form of a new campaign: what only some kinds ask (data-for-kinds="rubric extraction") is shown with these alone.
 * Without this script all of it is shown; the server reads what belongs to the chosen kind. */

const form = document.querySelector("form:has([name=kind])");

function showOwn() {
  const kind = form.querySelector("[name=kind]:checked")?.value;
  for (const part of form.querySelectorAll("[data-for-kinds]")) {
    part.toggleAttribute("data-shown", part.dataset.forKinds.split(" ").includes(kind));
  }
}

form.addEventListener("change", showOwn);
showOwn();
