"""Networks that come and go, for the tests of labelling."""

from tests.browser.labelling import title
from tests.processes import wait_for

HAS_PAGE = "caches.open('litmus-pages').then((kept) => kept.match(location.pathname)).then(Boolean)"
# Each that the page came with: the browser's own store would serve them as well, for as long as it likes.
HAS_FILES = """caches.open('litmus-files').then(async (kept) => {
    const asked = performance.getEntriesByType('resource').map(({ name }) => name);
    const files = asked.filter((name) => name.includes('/static/'));
    const found = await Promise.all(files.map((file) => kept.match(file)));
    return files.some((file) => /labelling.main/.test(file)) && found.every(Boolean);
})"""
HAS_ALL_UNITS = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/next/'))"
# What the browser's store has of the hand: how many units, the title of the one at work, how many are finished.
KEPT_HAND = """() => new Promise((resolve, reject) => {
    const opening = indexedDB.open("litmus-labelling");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
        const rows = opening.result.transaction("hand").objectStore("hand").getAll();
        rows.onerror = () => reject(rows.error);
        rows.onsuccess = () => {
            const [hand] = rows.result;
            opening.result.close();
            if (!hand) return resolve([0, "", 0]);
            const { ahead, current, progress } = hand;
            resolve([ahead.length + (current ? 1 : 0), current?.document.title ?? "", progress.finished]);
        };
    };
})"""


def kept_units(page) -> int:
    """How many units in hand the browser keeps."""
    return page.evaluate(KEPT_HAND)[0]


def await_kept(page, units: int) -> None:
    """Until the service worker has the page and the store so many units."""
    wait_for(lambda: kept_units(page) == units, what="the units that are kept")
    wait_for(lambda: page.evaluate(HAS_PAGE) and page.evaluate(HAS_FILES), what="the page that is kept")


def await_kept_at(page, number: int, finished: int) -> None:
    """Until the store knows that this unit is at work and so many are finished."""
    wait_for(lambda: page.evaluate(KEPT_HAND)[1:] == [title(number), finished], what="the unit that is kept")
