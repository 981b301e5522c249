"""Importing paragraphs that cite."""

from collections.abc import Iterator

from corpus.imports.forms import MentionImportForm
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Standing, Undoing
from corpus.models import CitationMention, ImportRun, MentionReference
from corpus.questions.mention_storing import load_mentions


def _standing(run: ImportRun) -> Iterator[Standing]:
    discarded = CitationMention.objects.filter(imported_in=run, discarded_at__isnull=False)
    yield "discarded mentions", discarded.count()


MENTIONS = Importer(
    name="mentions",
    label="citation mentions",
    unit="paragraphs",
    title="Import citation mentions",
    about="Paragraphs that cite other papers. What they cite is linked to documents by id, DOI or title.",
    reading=at_once(load_mentions),
    form=MentionImportForm,
    target="mention_list",
    undoing=Undoing(CitationMention, ((MentionReference, "mention"),), standing=_standing),
)
