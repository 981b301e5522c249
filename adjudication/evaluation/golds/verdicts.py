"""Golds of campaigns: verdicts, or the labels of one annotator, by query, aspect or sub-query."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from django.db.models import Exists, OuterRef

from accounts.refusals import Refused
from adjudication.evaluation.golds.kind import (
    ASPECT,
    NO_GOLD,
    QUERY,
    RELEVANCE,
    SUB_QUERY,
    UNITS,
    Choices,
    GoldKind,
    GoldRequest,
    LoadedGold,
    Option,
    Selector,
)
from adjudication.exporting import statements
from adjudication.exporting.exporter import GOLD, Finding, Options, find_campaign
from adjudication.exporting.findings import find
from adjudication.exporting.forms import ASPECTS, UNRESOLVED
from adjudication.exporting.options import make_options
from adjudication.exporting.streams import rows
from adjudication.exports.exporters.qrels import grade
from adjudication.models import Verdict
from annotation.kind import Judged
from annotation.models import Annotator, AnnotatorKind, Campaign
from corpus.models import Collection
from engines.stats.rankings import Gold, make_gold

Row = tuple[Any, ...]  # of `statements.scores`
GRADES = Option("gain of a document: sum over aspects, mean of 1 or more, rounded mean", ("sum", "binary", "mean"))
OPTIONS = {
    "criterion": Option("key of the criterion; without one, the campaign's first"),
    "unit": Option("what a topic is", UNITS),
    "grade": GRADES,
    "relevance": RELEVANCE,
    "aspects": Option("score over every aspect of a topic, or over the judged ones only", ASPECTS),
}
FILE_ONLY = {"grade_too_large", "bad_id", "same_name"}  # what only a qrels file cannot hold


class VerdictsGold(GoldKind):
    """What a campaign has decided; offered are those that have decided something, the newest first."""

    name = "campaign"
    label = "Verdicts of a campaign"
    about = "Documents as a relevance campaign has decided about them."
    takes_name = "CAMPAIGN"
    options: ClassVar = {
        **OPTIONS,
        "unresolved": Option("undecided items: refuse, or leave them out", UNRESOLVED),
    }

    def choices(self, collection: Collection) -> Choices:
        decided = Verdict.objects.filter(item__campaign=OuterRef("pk"))
        campaigns = collection.campaigns.counted().judging(Judged.DOCUMENTS).filter(Exists(decided)).order_by("-pk")
        return [(f"{self.name}:{each.slug}", f"Verdicts of {each}") for each in campaigns]

    def campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        return (_campaign(request, request.name, f"{self.name}:{{}}"),)

    def lasting_selector(self, request: GoldRequest) -> Selector:
        (campaign,) = self.campaigns(request)
        return replace(request.selector, name=campaign.slug)

    def read(self, request: GoldRequest) -> LoadedGold:
        slug = request.name or self.campaigns(request)[0].slug
        options = _options(request, slug, unresolved=request.values["unresolved"])
        found = _findings(options)
        gold = _gold(request, _rows(options))
        more = {"unit": request.values["unit"], "notes": (*_notes(found), *UNJUDGED), "facts": _facts(found)}
        return self.loaded(request, f"verdicts of {options.campaign}", gold, **more)


class SubQueries(VerdictsGold):
    """Verdicts by sub-query: what DORIS-MAE calls aspect-level queries."""

    name = "sub-queries"
    label = "Verdicts, by sub-query"
    about = "Documents as a relevance campaign has decided about the aspects of each sub-query."
    takes_name = "[CAMPAIGN]"
    options: ClassVar = {key: each for key, each in VerdictsGold.options.items() if key != "unit"}

    def choices(self, collection: Collection) -> Choices:
        if not collection.sub_queries.exists():
            return []
        return [
            (f"{self.name}:{selector.partition(':')[2]}", f"{words}, by sub-query")
            for selector, words in super().choices(collection)
        ]

    def read(self, request: GoldRequest) -> LoadedGold:
        return super().read(
            GoldRequest(request.collection, request.selector, values={**request.values, "unit": SUB_QUERY})
        )


class Labels(GoldKind):
    """What one annotator says."""

    name = "annotator"
    label = "Labels of an annotator"
    about = "Documents as one person has judged them, alone."
    takes_name = "NAME"
    annotators: ClassVar[str] = AnnotatorKind.HUMAN
    options: ClassVar = {
        "campaign": Option("short name of the campaign; required when there are several"),
        **OPTIONS,
        "unit": Option("what a topic is", (QUERY, ASPECT)),
    }

    def choices(self, collection: Collection) -> Choices:
        known = Annotator.objects.filter(campaign__collection=collection, kind=self.annotators)
        judged = collection.campaigns.counted().judging(Judged.DOCUMENTS)
        known = known.filter(campaign__in=judged).select_related("campaign")
        return [
            (
                str(Selector(self.name, each.name, (("campaign", each.campaign.slug),))),
                f"{each.name} in {each.campaign}",
            )
            for each in known.order_by("campaign__name", "name")
        ]

    def campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        return (_campaign(request, request.values["campaign"], f"{self.name}:{request.name};campaign={{}}"),)

    def lasting_selector(self, request: GoldRequest) -> Selector:
        (campaign,) = self.campaigns(request)
        options = {**dict(request.selector.options), "campaign": campaign.slug}
        return replace(request.selector, options=tuple(options.items()))

    def read(self, request: GoldRequest) -> LoadedGold:
        (campaign,) = self.campaigns(request)
        known = campaign.annotators.filter(kind=self.annotators)
        if not known.filter(name=request.name).exists():
            names = ", ".join(known.order_by("name").values_list("name", flat=True))
            what = "machine" if self.annotators == AnnotatorKind.MACHINE else "annotator"
            raise Refused(f"{campaign} has no {what} “{request.name[:60]}”. " + (f"It has: {names}." if names else ""))
        options = _options(request, campaign.slug, annotators=True)
        found = _findings(options)
        gold = _gold(request, (row for row in _rows(options) if row[1] == request.name))
        label = f"labels of {request.name} in {campaign}"
        alone = f"Labels of {request.name} alone: documents that {request.name} did not judge count as not relevant."
        more = {"unit": request.values["unit"], "notes": (*_notes(found), alone), "facts": _facts(found)}
        return self.loaded(request, label, gold, **more)


class MachineLabelsGold(Labels):
    name = "machine"
    label = "Labels of a machine"
    about = "Documents as one machine annotator has judged them, alone."
    annotators = AnnotatorKind.MACHINE


UNJUDGED = ("Documents that nobody judged count as not relevant; condensed lists leave them out.",)


def _campaign(request: GoldRequest, slug: str, spelling: str) -> Campaign:
    """The campaign of that slug or name, without one the only one that judges documents. Errors: Refused, with the
    golds that name one; {} in `spelling` is the campaign."""
    known = [] if slug else list(request.collection.campaigns.counted().judging(Judged.DOCUMENTS).order_by("slug"))
    if len(known) > 1:
        raise Refused(f"Say which campaign: {', '.join(spelling.format(each.slug) for each in known)}.")
    return known[0] if known else find_campaign(request.collection, slug)


def _options(request: GoldRequest, campaign: str, **more: object) -> Options:
    values = request.values
    unit = values["unit"]
    aspects = values["aspects"] if unit != ASPECT else None
    return make_options(
        request.collection,
        "qrels",
        campaign=campaign,
        criterion=values["criterion"],
        level=unit,
        aspects=aspects,
        **more,
    )


def _findings(options: Options) -> list[Finding]:
    """What the qrels would be exported with. Errors: Refused where they could not be."""
    found = [each for each in find(replace(options, asked_for=GOLD)) if each.code not in FILE_ONLY]
    if fatal := [finding.text for finding in found if finding.is_fatal]:
        raise Refused(f"{NO_GOLD} {' '.join(fatal)}")
    return found


def _notes(found: Sequence[Finding]) -> list[str]:
    return [finding.fact for finding in found]


def _facts(found: Sequence[Finding]) -> tuple[Any, ...]:
    """Code, count and subject of each finding, without the sentences."""
    return tuple([finding.code, finding.count, *finding.about] for finding in found)


def _rows(options: Options) -> Iterator[Row]:
    """The scores under the topics' full numbers, also where a file would shorten them."""
    return rows(statements.scores_of(options), options, bare=False)


def _gold(request: GoldRequest, found: Iterator[Row]) -> Gold:
    """Gains as asked for; relevant by the mean over what was summed. Errors: Refused where nothing is judged."""
    gains: dict[str, dict[str, float]] = {}
    levels: dict[str, dict[str, float]] = {}
    for number, _, docno, total, judged, _ in found:
        gains.setdefault(number, {})[docno] = grade(total, judged, request.values["grade"])
        levels.setdefault(number, {})[docno] = total / judged
    if not gains:
        raise Refused("No document is judged on every aspect of its topic, so there is nothing to evaluate against.")
    return make_gold(gains, levels, relevance=request.relevance)
