"""Asking Crossref and OpenAlex for the DOIs of references, where settings say so."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from django.conf import settings

from accounts.caches import volatile
from engines.definitions.proposals import Link
from engines.endpoints.registries import Registered, Registry, RegistryClient, RegistryFailed
from engines.formats.papers import Reference
from engines.pdf.linking import WORTH_A_LOOK, registered_link

CACHE_SECONDS = 30 * 24 * 3600
PATIENCE = 5.0  # seconds that a registry has to answer while somebody waits
_PRINTED = frozenset({"doi", "acl", "pmid", "pmcid"})


class CachedAnswers:
    """Registries' answers in the cache, by the hash of the request, for a month."""

    def get(self, request: str, /) -> str | None:
        found = volatile.get(_key(request))
        return found if isinstance(found, str) else None

    def __setitem__(self, request: str, answer: str, /) -> None:
        volatile.set(_key(request), answer, CACHE_SECONDS)


def _with_registered(link: Link, reference: Reference, works: list[Registered]) -> Link:
    """The link with what the registries' works add: a DOI, a refereed version, candidates to pick from."""
    answer = registered_link(reference, works)
    others = (each.docno for each in answer.candidates if each.score >= WORTH_A_LOOK and each.docno.startswith("10."))
    named = filter(None, (answer.refereed, answer.docno, *others))
    candidates = tuple(dict.fromkeys((*link.candidates, *named)))
    return replace(
        link,
        doi=answer.docno,
        candidates=candidates,
        refereed=answer.refereed,
        is_ambiguous=link.is_ambiguous or answer.is_ambiguous,
        works=tuple({each.doi: each for each in works if each.doi in candidates}.values()),
    )


def _key(request: str) -> str:
    return f"registry:{hashlib.sha256(request.encode()).hexdigest()}"


def configured() -> list[Registry]:
    """The registries of the settings."""
    mailto = settings.REGISTRY_MAILTO
    found = []
    if settings.CROSSREF_URL:
        found.append(Registry("crossref", settings.CROSSREF_URL, mailto))
    if settings.OPENALEX_URL:
        found.append(Registry("openalex", settings.OPENALEX_URL, mailto, settings.OPENALEX_KEY))
    return found


def ask_now(reference: Reference) -> tuple[list[Registered], list[str]]:
    """What the configured registries find for a reference while somebody waits, and why some gave no answer.

    Each is asked once, for a few seconds at most.
    """
    registries = Registries(lambda: None, [replace(each, attempts=1, timeout=PATIENCE) for each in configured()])
    with registries.connections() as clients:
        return registries.find(clients, reference), registries.failures


class Registries:
    """All configured registries, for one job. `check` may raise to stop; one that fails is not asked again."""

    def __init__(self, check: Callable[[], None], left: list[Registry] | None = None) -> None:
        self.left = configured() if left is None else left
        self.check = check
        self.failures: list[str] = []

    def ask(self, references: Iterable[Reference], links: Mapping[str, Link]) -> dict[str, Link]:
        """New links, by key, of references that have no document and no identifier other than a preprint's."""
        found: dict[str, Link] = {}
        with self.connections() as clients:
            for reference in references if clients else ():
                link = links.get(reference.key, Link())
                if link.docno or link.refereed or _PRINTED & reference.ids.keys() or not reference.title:
                    continue
                found[reference.key] = _with_registered(link, reference, self.find(clients, reference))
        return found

    @contextmanager
    def connections(self) -> Iterator[list[RegistryClient]]:
        """Open connections to the registries that have not failed."""
        with ExitStack() as stack:
            yield [stack.enter_context(RegistryClient(each, CachedAnswers(), self.check)) for each in self.left]

    def find(self, clients: list[RegistryClient], reference: Reference) -> list[Registered]:
        """What these connections find for a reference; one that fails is not asked again."""
        found: list[Registered] = []
        author = reference.authors[0].partition(",")[0] if reference.authors else ""
        for client in list(clients):
            try:
                found += client.find(reference.title, author, reference.year)
            except RegistryFailed as failure:
                self.failures.append(failure.reason)
                self.left.remove(client.registry)
                clients.remove(client)
        return found
