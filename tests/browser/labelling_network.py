"""Networks that come and go, for the tests of labelling."""

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
SETTLED = 200  # milliseconds after which what is in hand has been kept


def await_kept(page) -> None:
    """Until the service worker has the page and the store what is in hand."""
    wait_for(lambda: page.evaluate(HAS_ALL_UNITS), 30, "the other units")
    wait_for(lambda: page.evaluate(HAS_PAGE) and page.evaluate(HAS_FILES), 30, "the page that is kept")
    page.wait_for_timeout(SETTLED)
