/** Painting only what changed: an edit of a long paper must not paint all its sentences and references again. */

/** Make `wanted` the children of `root`, leaving those alone that stand there already; whether any was different. */
export function arrange(root, wanted) {
  const kept = new Set(wanted);
  const gone = [...root.children].filter((child) => !kept.has(child));
  for (const child of gone) child.remove();
  let changed = gone.length > 0;
  let here = root.firstElementChild;
  for (const element of wanted) {
    if (element === here) {
      here = here.nextElementSibling;
      continue;
    }
    root.insertBefore(element, here);
    changed = true;
  }
  return changed;
}

/** What was painted of records, each recognised by itself and by all else that its look depends on. */
export class Painted {
  constructor() {
    this.elements = new WeakMap(); // record → {looks, element}
  }

  /** The element of the record, created again where its look has changed. */
  of(record, looks, make) {
    const known = this.elements.get(record);
    if (known?.looks === looks) return known.element;
    const element = make();
    this.elements.set(record, { looks, element });
    return element;
  }

  /** The element of the record is to be created again. */
  forget(record) {
    this.elements.delete(record);
  }

  /** The element of the record was changed in place and looks so now. */
  look(record, looks) {
    const known = this.elements.get(record);
    if (known) known.looks = looks;
  }
}

/** `next` with every record of `last` that says the same, so that it need not be painted again. */
export function withSameRecords(last, next) {
  return {
    ...next,
    contexts: sameRecords(last.contexts, next.contexts),
    references: sameRecords(last.references, next.references),
  };
}

function sameRecords(last, next) {
  const known = new Map(last.map((each) => [JSON.stringify(each), each]));
  const taken = new Set(); // two records may say the same, and each has its own place
  return next.map((each) => {
    const same = known.get(JSON.stringify(each));
    if (!same || taken.has(same)) return each;
    taken.add(same);
    return same;
  });
}
