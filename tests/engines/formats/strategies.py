"""Generated ids, texts and records, as wild as a database can store them."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from engines.formats.records import DocumentRecord

# What PostgreSQL stores in a text: no NUL, no half of a surrogate pair.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
# What stays itself when white space is folded.
visible = st.characters(categories=["L", "N", "P", "S", "Zs"])
phrases = st.text(visible, max_size=40).map(lambda text: " ".join(text.split()))
ids = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20)

scalars = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | texts
extras: st.SearchStrategy[Any] = scalars | st.lists(scalars, max_size=2)

_OWN_KEYS = {
    "docno", "_id", "id", "corpusid", "doc_id", "paper_id", "title", "abstract", "text", "contents", "keywords",
    "authors", "author", "venue", "journal", "booktitle", "year", "doi", "url", "sentences",
}  # fmt: skip


@st.composite
def simple_documents(draw: st.DrawFn, text: st.SearchStrategy[str] = texts) -> DocumentRecord:
    """A document of docno, title and abstract, at least one of the two."""
    title, abstract = draw(text), draw(text)
    if not (title + abstract).strip():
        title = "T"
    return DocumentRecord(draw(ids), title, abstract, (), (), "", None, "", "", {}, "", 0)


@st.composite
def documents(draw: st.DrawFn) -> DocumentRecord:
    """A document with everything, and any extra keys but the ones that have a place."""
    names = st.lists(texts.map(str.strip).filter(bool), max_size=2).map(tuple)
    return replace(
        draw(simple_documents()),
        keywords=draw(names),
        authors=draw(names),
        venue=draw(texts),
        year=draw(st.none() | st.integers(1, 9999)),
        doi=draw(texts),
        url=draw(texts),
        extra=draw(st.dictionaries(texts.filter(lambda key: key not in _OWN_KEYS), extras, max_size=2)),
    )
