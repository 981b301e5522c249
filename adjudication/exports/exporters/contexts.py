"""Citation contexts as files: topics and qrels of paragraphs or sentences, ACM-CR's files, the citing papers."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from django import forms

from adjudication.exporting.exporter import (
    CONTEXTS,
    FATAL,
    ZIP,
    Exporter,
    Files,
    Finding,
    Options,
    Reader,
    TextExporter,
)
from adjudication.exporting.forms import CONTEXT_LEVELS, ExportForm, LevelField, NumberField, SwitchField, WordField
from adjudication.exporting.streams import pieces
from adjudication.papers.contexts import context_files, context_findings, context_topic_records
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.models import Paper
from engines.formats.acm_cr_topics import merged_qrels
from engines.formats.qrels import write_qrels
from engines.formats.trec_topics import write_trec_topics
from engines.formats.zip_stream import zipped


class ContextForm(ExportForm):
    """Of files made from papers."""

    drafts = SwitchField(
        label="Include drafts and proposals, marked as such",
        former="include_drafts",
        help_text="of contexts: also papers that nobody has confirmed, marked as such",
    )


class ContextExporter(Exporter):
    """What is made from the extractions of papers."""

    section = CONTEXTS
    form = ContextForm
    judged = Judged.PAPERS

    def campaigns(self, options: Options) -> Iterable[Campaign]:
        return options.collection.campaigns.judging(self.judged)

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        return context_findings(options, read.memo)

    def stem(self, options: Options) -> list[str]:
        return [options.collection.slug, options["level"] or "", "drafts" if options["drafts"] else ""]


class LevelledForm(ContextForm):
    iteration = WordField(
        [("reference", "the reference's number"), ("zero", "0")],
        label="Second column of qrels",
        help_text="of contexts: second column of qrels, the reference's number or 0",
    )
    first_number = NumberField(
        required=False,
        min_value=0,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "pattern": "[0-9]{1,9}", "placeholder": "each paper's own"}
        ),
        label="First number of sentence topics",
        help_text="of sentence topics; without it each paper's own, or 0",
    )
    field_order = ("iteration", "first_number", "drafts")


class LevelledContexts(TextExporter, ContextExporter):
    """One topic for each paragraph, or for each sentence that cites."""

    def __init__(self, level: str) -> None:
        form: type[ContextForm] = type("LevelForm", (LevelledForm,), {"level": LevelField(level)})
        self.form = form
        self.name = f"{self.suffix}:{level}"
        self.label = f"TREC {self.suffix} of {level}s"


class ContextTopicsExport(LevelledContexts):
    suffix = "topics"

    def about_file(self, options: Options) -> str:
        return f"One topic for each {options.level} that cites a document of the collection."

    def lines(self, options: Options) -> Iterator[str]:
        return write_trec_topics(topic for topic, _ in context_topic_records(options))


class ContextQrels(LevelledContexts):
    suffix = "qrels"

    def about_file(self, options: Options) -> str:
        return f"The documents that each {options.level} cites; column 2 is the number of the reference."

    def lines(self, options: Options) -> Iterator[str]:
        found = merged_qrels(context_topic_records(options))
        if options["iteration"] == "zero":
            found = (replace(row, iteration="0") for row in found)
        return write_qrels(found, separator="\t")


class AcmCr(ContextExporter):
    name = "acm-cr"
    label = "Citation contexts, ACM-CR XML"
    suffix = "acm-cr.zip"
    media_type = ZIP
    unpacks = True
    about = "For each paper its contexts and references as XML, and a sheet that identifies its references."

    def pieces(self, options: Options) -> Iterator[bytes]:
        return zipped(self.files(options))

    def files(self, options: Options) -> Files:
        return ((name, pieces(lines)) for name, lines in context_files(options))


class Blacklist(TextExporter, ContextExporter):
    """The names of papers alone."""

    name = "blacklist"
    label = "Citing papers"
    suffix = "blacklist.txt"
    about = "All citing papers of the collection, one per line: they are left out of the search."
    labels = False

    def campaigns(self, options: Options) -> Iterable[Campaign]:
        return []

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        there = options.collection.papers.exists()
        return [] if there else [Finding(FATAL, "no-papers", "There are no papers yet.")]

    def lines(self, options: Options) -> Iterator[str]:
        keys = Paper.objects.filter(collection=options.collection).values_list("key", flat=True)
        return (f"{key}\n" for key in keys.iterator())


EXPORTERS = (
    *(kind(level) for level in CONTEXT_LEVELS for kind in (ContextTopicsExport, ContextQrels)),
    AcmCr(),
    Blacklist(),
)
