"""The importer of citing papers."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Extraction, ExtractionRevision, ExtractionSource
from annotation.papers.importing import reading_papers
from corpus.imports.forms import ImportForm, NamesField
from corpus.imports.registry import Importer
from corpus.imports.undoing import Standing, Undoing, remove_files
from corpus.models import ImportRun, Paper
from engines.formats.registry import labels_for


class PaperImportForm(ImportForm):
    sections = NamesField(
        required=False,
        max_length=500,
        label="Further sections",
        help_text=(
            "Citing paragraphs of the introduction and of related work are proposed as contexts."
            " Name further sections by words of their headings, separated by commas (such as:"
            " Background, Discussion), or write: all. On the extraction screen, any paragraph can be"
            " made a context."
        ),
    )
    field_order = ("uploads", "format", "sections", "dry_run")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["uploads"].help_text = (
            f"{labels_for('papers')}, or archives of them. A table (TSV or CSV) with the columns doi"
            " and first_sentence_number sets the order of papers and the numbers of their sentence"
            " topics. What comes as ACM-CR XML counts as confirmed by people; all else is proposed, and people"
            " confirm it."
        )


def standing_on_papers(run: ImportRun) -> Iterator[Standing]:
    """The extractions that people made of the papers."""
    people = (ExtractionSource.ANNOTATOR, ExtractionSource.ADJUDICATED)
    extractions = Extraction.objects.filter(paper__in=Paper.objects.filter(imported_in=run), source__in=people)
    yield "extractions by people", extractions.count()


PAPERS = Importer(
    name="papers",
    label="papers",
    unit="papers",
    title="Import papers",
    about="Citing papers. Each file is read separately: one that cannot be read is reported, the others"
    " are imported. Extractions by people are never changed.",
    reading=reading_papers,
    form=PaperImportForm,
    target="paper_list",
    undoing=Undoing(
        Paper,
        ((Extraction, "paper"), (ExtractionRevision, "extraction")),
        standing=standing_on_papers,
        before=remove_files,
    ),
    checks="nothing",
)
