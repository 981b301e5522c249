"""Networks that come and go, for the tests of labelling."""

from tests.processes import wait_for

HAS_PAGE = "caches.open('litmus-pages').then((kept) => kept.match(location.pathname)).then(Boolean)"
HAS_FILES = """caches.open('litmus-files').then((kept) => kept.keys())
    .then((files) => files.some(({ url }) => /labelling.main/.test(url)))"""
HAS_ALL_UNITS = "performance.getEntriesByType('resource').some(({ name }) => name.includes('/next/'))"
SETTLED = 200  # milliseconds after which what is in hand has been kept


def await_kept(page) -> None:
    """Until the service worker has the page and the store what is in hand."""
    wait_for(lambda: page.evaluate(HAS_ALL_UNITS), 30, "the other units")
    wait_for(lambda: page.evaluate(HAS_PAGE) and page.evaluate(HAS_FILES), 30, "the page that is kept")
    page.wait_for_timeout(SETTLED)
