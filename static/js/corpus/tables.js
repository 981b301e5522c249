/** Rows of a table picked in bulk: all of a page at once, ranges with Shift, and how many are picked. */

const boxes = () => [...document.querySelectorAll('input[name="pick"]')];
let last = null;

function show() {
  const form = document.querySelector("[data-picks]");
  if (!form) return;
  const every = form.querySelector("[data-pick-everything]")?.checked;
  const all = boxes();
  const picked = all.filter((box) => box.checked).length;
  const head = document.querySelector("[data-pick-all]");
  if (head) {
    head.hidden = false;
    head.checked = picked > 0 && picked === all.length;
    head.indeterminate = picked > 0 && picked < all.length;
  }
  const words = form.querySelector("[data-picked]");
  words.hidden = every || picked === 0;
  words.textContent = `${picked} selected`;
  for (const button of form.querySelectorAll("button[name=step]")) button.disabled = !every && picked === 0;
}

document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = target.checked;
  if (target.matches('[data-pick-all], [data-pick-everything], input[name="pick"]')) show();
});

document.addEventListener("click", (event) => {
  const box = event.target;
  if (!box.matches?.('input[name="pick"]')) return;
  const all = boxes();
  if (event.shiftKey && all.includes(last)) {
    const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
    for (const each of all.slice(from, to + 1)) each.checked = box.checked;
    show();
  }
  last = box;
});

document.addEventListener("htmx:afterSwap", show);
window.addEventListener("pageshow", show);
show();
