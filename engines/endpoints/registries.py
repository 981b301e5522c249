"""Registries of publications over HTTP: what Crossref and OpenAlex know of a title.

Polite: one request at a time with a pause between two, an address for questions in each, Retry-After and Crossref's
own rate obeyed, answers kept in a cache that the caller passes in. Shapes: Crossref REST API (`/works`, message type
work-list), OpenAlex API (`/works`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engines.endpoints.connections import (
    LONGEST_PAUSE,
    LONGEST_TIMES,
    WORTH_ANOTHER_TRY,
    Busy,
    Connection,
    EndpointError,
    broken_connections,
    nobody_cancels,
    object_in,
    open_client,
    read_body,
    rest_until,
    whole_number,
)
from engines.formats.characters import carriable

if TYPE_CHECKING:
    import httpx2  # loaded when a registry is asked, not by every process

MOST_BYTES = 5_000_000  # of an answer
MOST_FOUND = 5
LONGEST_QUERY = 400  # characters
LONGEST_TEXT = 5_000  # characters of a title or a name; the rest is cut off

Kind = Literal["crossref", "openalex"]


class Cache(Protocol):
    """Stored answers by their requests: a dict, or what stores them for longer."""

    def get(self, request: str, /) -> str | None: ...
    def __setitem__(self, request: str, answer: str, /) -> None: ...


_NAMES = {"crossref": "Crossref", "openalex": "OpenAlex"}
_FIELDS = "DOI,title,author,issued,container-title,type,subtype,relation"
_DOI_HOST = re.compile(r"^https?://(?:dx\.)?doi\.org/", re.IGNORECASE)
_DOI = re.compile(r"10\.\d[\d.]{0,20}/[!-~]{1,200}").fullmatch
_TAGS = re.compile(r"<[^<>]{1,40}>")


@dataclass(frozen=True, slots=True)
class Registry:
    """Where a registry is and how it is asked: seconds between two requests, seconds to wait, tries."""

    kind: Kind
    base_url: str
    mailto: str = ""
    key: str = field(default="", repr=False)
    pause: float = 0.4
    timeout: float = 20.0
    attempts: int = 4

    @property
    def name(self) -> str:
        """Its name for people."""
        return _NAMES[self.kind]


@dataclass(frozen=True, slots=True)
class Registered:
    """A publication that a registry knows; `refereed` is the DOI of what this preprint became, where that is known."""

    registry: Kind
    doi: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    is_preprint: bool = False
    refereed: str = ""
    address: str = ""


class RegistryFailed(EndpointError):
    """The registry gave no usable answer; `reason` is for people."""


class RegistryClient(Connection["httpx2.Client"]):
    """An open connection to a registry; a context manager, for one thread.

    `cache` maps requests to answers and may be kept for as long as one likes. `check` is called before each request
    and several times a second in pauses; it may raise to stop.
    """

    def __init__(
        self, registry: Registry, cache: Cache | None = None, check: Callable[[], None] = nobody_cancels
    ) -> None:
        contact = f" (mailto:{registry.mailto})" if registry.mailto else ""
        super().__init__(open_client(registry.timeout, {"User-Agent": f"Litmus/1.0{contact}"}))
        self.registry = registry
        self.cache: Cache = {} if cache is None else cache
        self.check = check
        self.pause = registry.pause
        self.ready_at = 0.0

    def find(self, title: str, author: str = "", year: int | None = None) -> list[Registered]:
        """Return up to five publications with a title like this, best first as the registry ranks them.

        An empty title finds nothing. Raises `RegistryFailed`.
        """
        words = " ".join(title.split())[:LONGEST_QUERY]
        if not words:
            return []
        if self.registry.kind == "crossref":
            parts = " ".join(filter(None, (words, author, str(year or ""))))
            query = {"query.bibliographic": parts, "rows": str(MOST_FOUND), "select": _FIELDS}
            return list(_crossref(self._get(query)))
        # Commas and such are operators in OpenAlex's search.
        query = {"search": re.sub(r"[^\w\s'-]+", " ", words), "per-page": str(MOST_FOUND)}
        return list(_openalex(self._get(query)))

    # --- asking -----------------------------------------------------------------------------------------------------

    def _get(self, query: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the answer to a question, from the cache where it was asked before."""
        import httpx2

        key = f"{self.registry.base_url}/works?{httpx2.QueryParams(query)}"
        cached = self.cache.get(key)
        text = self._fetch(query) if cached is None else cached
        answer = _object(text, self.registry)
        if cached is None:
            self.cache[key] = text
        return answer

    def _fetch(self, query: Mapping[str, str]) -> str:
        reason = ""
        for attempt in range(self.registry.attempts):
            rest_until(self.ready_at, self.check)
            try:
                return self._ask(query)
            except Busy as busy:
                reason = busy.reason
                pause = self.registry.pause * 2 ** (attempt + 1) if busy.retry_after is None else busy.retry_after
                if pause > LONGEST_PAUSE:
                    break
                self.ready_at = time.monotonic() + pause
        raise RegistryFailed(f"{self.registry.name} gave no answer: {reason}")

    def _ask(self, query: Mapping[str, str]) -> str:
        """Ask once. Raises `Busy` or `RegistryFailed`."""
        import httpx2

        parameters = dict(query)
        if self.registry.mailto:
            parameters["mailto"] = self.registry.mailto
        if self.registry.key:
            parameters["api_key"] = self.registry.key
        url = f"{self.registry.base_url}/works"
        try:
            with (
                broken_connections(self.registry.timeout),
                self.client.stream("GET", url, params=parameters) as response,
            ):
                self._obey(response)
                seconds = LONGEST_TIMES * self.registry.timeout
                body = read_body(response.iter_bytes(), MOST_BYTES, seconds, check=self.check)
        except httpx2.InvalidURL:
            raise RegistryFailed(f"the address of {self.registry.name} is not a valid address") from None
        if body is None:
            raise RegistryFailed(f"{self.registry.name} sent more than {MOST_BYTES // 1_000_000} MB")
        return body.decode("utf-8", "replace")

    def _obey(self, response: httpx2.Response) -> None:
        """Take over the rate that Crossref states and raise for what is no answer."""
        limit = whole_number(response.headers.get("x-rate-limit-limit", ""))
        seconds = whole_number(response.headers.get("x-rate-limit-interval", "").rstrip("s"))
        if limit and seconds is not None:
            self.pause = min(max(self.registry.pause, seconds / limit), LONGEST_PAUSE)
        self.ready_at = time.monotonic() + self.pause
        status = response.status_code
        if status in WORTH_ANOTHER_TRY:
            raise Busy(f"status {status}", whole_number(response.headers.get("retry-after", "")))
        if status != 200:
            raise RegistryFailed(f"{self.registry.name} refused the request with status {status}")


def _object(text: str, registry: Registry) -> Mapping[str, Any]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise RegistryFailed(f"{registry.name} sent an invalid answer")
    return answer


# --- reading ----------------------------------------------------------------------------------------------------------


def _crossref(answer: Mapping[str, Any]) -> Iterator[Registered]:
    for item in _list(object_in(answer.get("message")).get("items")):
        doi, title = _doi(item.get("DOI")), _first_text(item.get("title"))
        if not doi or not title:
            continue
        authors = (_crossref_name(each) for each in _list(item.get("author")))
        is_preprint = item.get("type") == "posted-content"
        became = _list(object_in(item.get("relation")).get("is-preprint-of"))
        yield Registered(
            "crossref",
            doi,
            _plain(title),
            tuple(name for name in authors if name),
            _crossref_year(item),
            _first_text(item.get("container-title")),
            is_preprint,
            next((_doi(each.get("id")) for each in became if each.get("id-type") == "doi"), ""),
            f"https://doi.org/{doi}",
        )


def _crossref_name(author: Mapping[str, Any]) -> str:
    family, given = _text(author.get("family")), _text(author.get("given"))
    return f"{family}, {given}" if family and given else family or _text(author.get("name"))


def _crossref_year(item: Mapping[str, Any]) -> int | None:
    """Return the year of `{"date-parts": [[2019, 7]]}`; Crossref writes [[null]] for none."""
    parts = object_in(item.get("issued")).get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    return first[0] if first and isinstance(first[0], int) else None


def _openalex(answer: Mapping[str, Any]) -> Iterator[Registered]:
    for item in _list(answer.get("results")):
        title = _text(item.get("title")) or _text(item.get("display_name"))
        doi = _doi(_DOI_HOST.sub("", _text(item.get("doi"))))
        place = object_in(item.get("primary_location"))
        address = _text(place.get("pdf_url")) or _text(object_in(item.get("open_access")).get("oa_url"))
        if not title or not (doi or address):
            continue
        names = (_text(object_in(each.get("author")).get("display_name")) for each in _list(item.get("authorships")))
        year = item.get("publication_year")
        yield Registered(
            "openalex",
            doi,
            _plain(title),
            tuple(name for name in names if name),
            year if isinstance(year, int) else None,
            _text(object_in(place.get("source")).get("display_name")),
            item.get("type") == "preprint" or place.get("version") == "submittedVersion",
            "",
            address or _text(place.get("landing_page_url")),
        )


def _list(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return " ".join(carriable(value[:LONGEST_TEXT]).split()) if isinstance(value, str) else ""


def _doi(value: object) -> str:
    """Return a DOI in small letters, "" for what is none."""
    found = _DOI(_text(value))
    return found.group().lower() if found else ""


def _first_text(value: object) -> str:
    return next((_text(each) for each in value if _text(each)), "") if isinstance(value, list) else ""


def _plain(title: str) -> str:
    """Titles come with tags such as <i> and <sup> in them."""
    return " ".join(_TAGS.sub("", title).split())
