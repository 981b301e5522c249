"""The whole of ACM-CR's collection, read once for all tests that ask for it."""

import re
from collections import Counter
from dataclasses import dataclass, field

import pytest

from corpus.formats.documents import DocumentFilter, read_documents
from corpus.formats.records import DocumentRecord, Problem, Skip
from tests.shared import shared_path


@dataclass
class Collection:
    """What one reading of the whole collection leaves behind."""

    skips: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    seen: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    documents: int = 0
    unclean: list[str] = field(default_factory=list)
    accented: dict[str, tuple[str, ...]] = field(default_factory=dict)


@pytest.fixture(scope="session")
def acm() -> Collection:
    folder = shared_path("data", "acm-cr")
    found = Collection()
    unclean = re.compile(r"[\x00-\x1f\x7f-\xa0]|  |&(?:amp|lt|gt|nbsp);|</?(?:i|em|sup)>").search
    wanted = DocumentFilter(exclude=frozenset((folder / "blacklist.txt").read_text().split()))
    for item in read_documents(folder / "collection.tar.xz", wanted=wanted):
        if isinstance(item, DocumentRecord):
            found.documents += 1
            found.seen[item.docno] = (bool(item.abstract), bool(item.keywords))
            if unclean(item.title) or unclean(item.abstract):
                found.unclean.append(item.docno)
            if any("\\" in name for name in item.authors):
                found.accented[item.docno] = item.authors
        elif isinstance(item, Skip):
            found.skips[item.reason] += 1
        else:
            found.problems.append(item)
    return found
