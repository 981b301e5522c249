"""Which documents of a collection the references of a paper may be."""

from collections.abc import Iterable, Mapping

from annotation.definitions.proposals import Link
from annotation.queries.extractions import docnos_among
from corpus.formats.papers import Reference
from corpus.models import Collection


def link_references(collection: Collection, references: Iterable[Reference]) -> Mapping[str, Link]:
    """The link of each reference by its key, where there is one: the document whose docno its printed DOI is."""
    dois = {each.key: each.ids["doi"] for each in references if each.ids.get("doi")}
    known = docnos_among(collection, dois.values())
    return {key: Link(doi) for key, doi in dois.items() if doi in known}
