"""Training data for retrieval models: triplets for contrastive learning, and hard negatives from a run.

Negatives are the first documents of a run that are not known to be relevant. A run finds relevant documents that nobody
judged, so such negatives may be wrong; only where verdicts are the positives can they be kept to judged documents.
"""

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from django import forms

from accounts.refusals import Refused
from adjudication.exporting import statements
from adjudication.exporting.exporter import (
    FATAL,
    NDJSON,
    TRAINING,
    WARNING,
    Finding,
    Options,
    Reader,
    TextExporter,
    find_campaign,
    find_criterion,
)
from adjudication.exporting.findings import qrel_findings
from adjudication.exporting.forms import (
    QUERY,
    CampaignField,
    Choices,
    CriterionField,
    ExportForm,
    NumberField,
    SwitchField,
    UnresolvedField,
    WordField,
)
from adjudication.exporting.streams import rows
from annotation.kind import Judged
from annotation.models import Campaign
from corpus.models import Collection, Document
from corpus.runs.recipes.queries import ALL, queries_of, sources_of

TARGETS, VERDICTS = "targets", "verdicts"
AT_ONCE = 100  # topics whose documents are read together
MOST = 1000  # negatives of a topic, and ranks passed over


class RunField(forms.CharField):
    """A run's name; whether there is one is for the exporter to find out."""

    widget = forms.Select

    def offered(self, collection: Collection, _: Mapping[str, Any]) -> Choices:
        names = collection.retrieval_runs.order_by("name").values_list("name", flat=True)
        return [("", "choose a run"), *((name, name) for name in names)] if names else []


class PartField(forms.CharField):
    """A part of a split, `NAME:PART`; offered where the collection has splits."""

    widget = forms.Select

    def offered(self, collection: Collection, _: Mapping[str, Any]) -> Choices:
        found = [f"{split.name}:{part}" for split in collection.splits.all() for part in split.parts]
        return [("", "of every part"), *((each, each) for each in found)] if found else []


class TrainingForm(ExportForm):
    """What trains, and where negatives come from."""

    run = RunField(
        required=False, label="Negatives from", help_text="of training data: the run that negatives are from"
    )
    part = PartField(
        required=False, label="Topics", help_text="of training data: only topics of this part of a split, as NAME:PART"
    )
    positives = WordField(
        [(TARGETS, "targets of topics"), (VERDICTS, "verdicts of the campaign")],
        label="Positives",
        help_text="of training data: targets of topics, or documents that a campaign judged relevant",
    )
    campaign = CampaignField(required=False, label="Campaign", help_text="slug; required when there are several")
    criterion = CriterionField(required=False, label="Criterion", help_text="key; without one, the campaign's first")
    unresolved = UnresolvedField()
    relevance = NumberField(
        required=False,
        initial=1,
        min_value=1,
        max_value=100,
        label="Relevant from level",
        help_text="lowest mean level",
    )
    negatives = NumberField(
        required=False, initial=5, min_value=1, max_value=MOST, label="Negatives a topic", help_text="of training data"
    )
    skip = NumberField(
        required=False,
        initial=0,
        min_value=0,
        max_value=MOST,
        label="Ranks passed over",
        help_text="of training data: this many ranks at the top give no negatives, since they may well be relevant",
    )
    judged = SwitchField(
        label="Only documents judged not relevant",
        help_text="of training data: negatives only among documents that the campaign judged not relevant",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("judged") and values.get("positives") == TARGETS:
            text = "Targets do not show which documents are not relevant: only verdicts do."
            self.add_error("judged", text)
        return values


@dataclass(frozen=True)
class Example:
    """One topic with its documents, relevant ones and hard negatives, in the order of docnos and of the run."""

    number: str
    text: str
    positives: tuple[Document, ...]
    negatives: tuple[Document, ...]


class TrainingExporter(TextExporter):
    """One line, or several, for each topic that has positives and negatives."""

    media_type = NDJSON
    section = TRAINING
    form = TrainingForm
    judged = Judged.DOCUMENTS
    verdicts = True
    nothing = "No topic has both a positive and a negative."

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        found = {**values, "run_id": _run(collection, values["run"]), "split_id": None, "grades": "sum", "level": None}
        if values["part"]:
            found["split_id"], found["part"] = _part(collection, values["part"])
        options = Options(collection, self, values=found)
        if values["positives"] == TARGETS:
            return options
        campaign = find_campaign(collection, values["campaign"])
        if not self.takes(campaign):
            raise Refused(f"{campaign} judges no documents, so it has no positives.")
        return replace(options, campaign=campaign, criterion=find_criterion(campaign, values["criterion"]))

    def is_summed(self, level: str) -> bool:
        return True

    def campaigns(self, options: Options) -> list[Campaign]:
        return [options.campaign] if options.campaign else []

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        found = qrel_findings(options, read)
        if not options.campaign and not read(ANY_TARGET):
            advice = options.advise("", ("positives", VERDICTS))
            found.append(Finding(FATAL, "no_targets", "No topic has a target.", advice=advice))
        elif not options.campaign and not read(f"{RANKED_TARGETS} LIMIT 1"):
            fact = "No topic that the run ranks has a target."
            advice = options.advise("choose another run", ("positives", VERDICTS))
            found.append(Finding(FATAL, "no_ranked_targets", fact, advice=advice))
        if not options["judged"]:
            text = "Unjudged negatives may be relevant."
            found.append(Finding(WARNING, "unjudged_negatives", text))
        if not options["split_id"] and options.collection.splits.exists():
            fact = "Topics of every part are in it, those of test parts as well."
            found.append(Finding(WARNING, "all_parts", fact, advice="Name the part to train on, such as dev-test:dev."))
        return found

    def stem(self, options: Options) -> list[str]:
        return [*super().stem(options), str(options["part"] or "")]

    def lines(self, options: Options) -> Iterator[str]:
        for example in examples(options):
            for line in self.written(example):
                yield json.dumps(line, ensure_ascii=False) + "\n"

    @abstractmethod
    def written(self, example: Example) -> Iterator[dict[str, Any]]:
        """The lines of one topic."""


class Triplets(TrainingExporter):
    name = "triplets"
    label = "Triplets"
    suffix = "triplets.jsonl"
    about = (
        "Each positive of a topic with each of its negatives: anchor, positive, negative, as sentence-transformers "
        "trains on, then their ids."
    )

    def written(self, example: Example) -> Iterator[dict[str, Any]]:
        for positive in example.positives:
            for negative in example.negatives:
                texts = {"anchor": example.text, "positive": _text(positive), "negative": _text(negative)}
                ids = {"query_id": example.number, "positive_id": positive.docno, "negative_id": negative.docno}
                yield texts | ids


class HardNegatives(TrainingExporter):
    name = "hard-negatives"
    label = "Hard negatives"
    suffix = "hard-negatives.jsonl"
    about = "Each topic on a line with its positive and negative passages, as Tevatron reads it."

    def written(self, example: Example) -> Iterator[dict[str, Any]]:
        yield {
            "query_id": example.number,
            "query": example.text,
            "positive_passages": list(map(_passage, example.positives)),
            "negative_passages": list(map(_passage, example.negatives)),
        }


def examples(options: Options) -> Iterator[Example]:
    """The topics that have positives and negatives, in their order."""
    relevant, other = _judged(options)
    targets = _targets(options)
    sources = _source_docnos(options.collection)

    def barred(pk: int, number: str) -> set[str]:
        known = relevant[number] | targets.get(number, set()) - other.get(number, set())
        return known | sources.get(pk, set())

    picked = (
        (number, text, sorted(relevant[number]), negatives)
        for pk, number, text, docnos in rows(RANKED, options)
        if number in relevant and (negatives := _pick(options, docnos, other.get(number, set()), barred(pk, number)))
    )
    while batch := list(islice(picked, AT_ONCE)):
        docnos = {docno for _, _, positives, negatives in batch for docno in (*positives, *negatives)}
        found = options.collection.documents.filter(docno__in=docnos).only("collection", "docno", "title", "abstract")
        known = {document.docno: document for document in found}
        for number, text, *sides in batch:
            yield Example(number, text, *(tuple(known[docno] for docno in side if docno in known) for side in sides))


def _pick(options: Options, docnos: list[str], other: set[str], barred: set[str]) -> list[str]:
    """The first documents of the ranking that may serve as negatives: `other` were judged not relevant."""
    left = (docno for docno in docnos[options["skip"] :] if docno not in barred)
    return list(islice((docno for docno in left if not options["judged"] or docno in other), options["negatives"]))


def _judged(options: Options) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """{topic: relevant docnos}, {topic: docnos judged not relevant}."""
    if options.campaign is None:
        return _targets(options), {}
    relevant: dict[str, set[str]] = {}
    other: dict[str, set[str]] = {}
    for number, _, docno, total, judged, _ in rows(statements.scores(QUERY), options):
        side = relevant if total >= options["relevance"] * judged else other
        side.setdefault(number, set()).add(docno)
    return relevant, other


def _targets(options: Options) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for number, docno in rows(TARGET_DOCNOS, options):
        found.setdefault(number, set()).add(docno)
    return found


def _source_docnos(collection: Collection) -> dict[int, set[str]]:
    """{topic id: docnos of the papers it was written from}: they answer it, or gave it away."""
    sources = sources_of(collection, queries_of(collection, ALL))
    ids = set().union(*sources.values()) if sources else set()
    docnos = dict(Document.objects.filter(pk__in=ids).values_list("pk", "docno"))
    return {topic: {docnos[pk] for pk in found} for topic, found in sources.items()}


def _run(collection: Collection, name: str) -> int:
    runs = collection.retrieval_runs.order_by("name")
    found = runs.filter(name=name).first()
    if found is not None:
        return int(found.pk)
    known = ", ".join(runs.values_list("name", flat=True))
    if not known:
        raise Refused("Negatives are taken from a run. Make or import a run first.")
    raise Refused(
        f"{collection.slug} has no run “{name[:60]}”. It has: {known}." if name else f"Say which run: {known}."
    )


def _part(collection: Collection, words: str) -> tuple[int, str]:
    name, _, part = words.partition(":")
    split = collection.splits.filter(name=name).first()
    if split is not None and part in split.parts:
        return split.pk, part
    known = ", ".join(f"{each.name}:{one}" for each in collection.splits.all() for one in each.parts)
    raise Refused(f"There is no part “{words[:80]}” of a split. " + (f"There is {known}." if known else ""))


def _text(document: Document) -> str:
    return f"{document.title}\n{document.abstract}".strip()


def _passage(document: Document) -> dict[str, str]:
    return {"docid": document.docno, "title": document.title, "text": document.abstract}


RANKED_TOPICS = f"""
FROM {statements.PUBLISHED_TOPICS} t JOIN corpus_ranking k ON k.topic_id = t.id AND k.run_id = %(run_id)s
WHERE t.collection_id = %(collection)s AND (%(split_id)s::bigint IS NULL OR EXISTS (
  SELECT FROM adjudication_splittopic m
  WHERE m.split_id = %(split_id)s AND m.topic_id = t.id AND m.part = %(part)s::text
))
"""
RANKED = f"SELECT t.id, t.written, t.text, k.docnos {RANKED_TOPICS} ORDER BY t.position, t.id"
RANKED_TARGETS = f"SELECT 1 {RANKED_TOPICS} AND EXISTS (SELECT FROM corpus_target g WHERE g.topic_id = t.id)"
TARGET_DOCNOS = f"""
SELECT t.written, d.docno FROM corpus_target g
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = g.topic_id JOIN corpus_document d ON d.id = g.document_id
WHERE t.collection_id = %(collection)s
"""
ANY_TARGET = """
SELECT 1 FROM corpus_target g JOIN corpus_topic t ON t.id = g.topic_id WHERE t.collection_id = %(collection)s LIMIT 1
"""

EXPORTERS = (Triplets(), HardNegatives())
