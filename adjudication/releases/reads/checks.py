"""The check list before a release: what is open, out of date, untested or missing, each with the page that mends it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from accounts.sql import execute
from adjudication.exporting import statements
from adjudication.exporting.exporter import Options, Reader
from adjudication.exporting.findings import standing_of, verdict_findings
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import parameters
from adjudication.models import Voters
from adjudication.releases.reads.recipe import Recipe
from annotation.campaigns.reads.overrides import machines_of
from annotation.kind import Judged
from annotation.models import AnnoCycle, Annotator, AnnotatorKind, Campaign, Outcome


@dataclass(frozen=True)
class Check:
    """One thing found. `code` is stable; what is `blocking` refuses the release unless a reason is given."""

    code: str
    text: str
    href: str = ""
    blocking: bool = True

    def as_json(self) -> dict[str, Any]:
        found = asdict(self)
        del found["href"]
        return found


def check_list(recipe: Recipe) -> list[Check]:
    """Everything to say before the collection is released as the recipe has it, blocking ones first."""
    memo: dict[Any, Any] = {}
    found = list(_of_collection(recipe))
    for campaign in recipe.campaigns:
        found += _of_votes(recipe, campaign, memo)
        found += _of_machines(recipe, campaign, memo)
        found += _of_pools(recipe, campaign)
        found += _of_files(recipe, campaign)
    found += [
        Check("left_out", f"{path} is left out. {reason}", _exports(recipe), blocking=False)
        for path, reason in recipe.left_out.items()
        if not path.startswith("campaigns/")
    ]
    once = {check.text: check for check in reversed(found)}  # what refuses a vote refuses its files too
    return sorted((check for check in found if once[check.text] is check), key=lambda check: not check.blocking)


def _of_collection(recipe: Recipe) -> Iterator[Check]:
    slug = recipe.collection.slug
    if not recipe.collection.licence.strip():
        text = "The collection has no licence, so nobody may use the release. Name one in the settings."
        yield Check("no_licence", text, reverse("collection_edit", args=[slug]))
    if not recipe.judged_sets:
        text = "No judged set can be written: a release without qrels measures nothing."
        yield Check("no_qrels", text, _exports(recipe))


def _of_votes(recipe: Recipe, campaign: Campaign, memo: dict[Any, Any]) -> Iterator[Check]:
    """Open disagreements, late votes, items without enough votes."""
    for criterion in campaign.criteria.all():
        options = Options(recipe.collection, EXPORTERS["qrels"], campaign, criterion, {"unresolved": "refuse"})
        for finding in verdict_findings(options, Reader(options, memo), standing_of(campaign, memo)):
            page = reverse("campaign_detail", args=[recipe.collection.slug, campaign.slug])
            if finding.see:
                page = reverse("adjudication_screen", args=[recipe.collection.slug, campaign.slug])
                page += "?" + urlencode({"filter": finding.see, "criterion": criterion.key})
            yield Check(finding.code, f"{campaign}, {criterion}: {finding.text}", page, finding.is_fatal)


def _of_machines(recipe: Recipe, campaign: Campaign, memo: dict[Any, Any]) -> Iterator[Check]:
    """Machines that had a vote without a passed test."""
    run = standing_of(campaign, memo).run
    if run is None or run.voters == Voters.HUMANS:
        return
    machines = set(
        Annotator.objects.filter(campaign=campaign, kind=AnnotatorKind.MACHINE).values_list("name", flat=True)
    )
    passed = AnnoCycle.objects.filter(collection=recipe.collection, outcome=Outcome.ANNOTATE, is_override=False)
    for cycle in passed:
        machines -= set(machines_of(cycle, campaign))
    if machines:
        text = f"{campaign}: labels without a passed test had a vote: {', '.join(sorted(machines))}."
        yield Check("ungated_machine", text, reverse("cycle_list", args=[recipe.collection.slug]))


def _of_pools(recipe: Recipe, campaign: Campaign) -> Iterator[Check]:
    """Pooled documents of judged topics without a value."""
    if campaign.kind_object.judges != Judged.DOCUMENTS:
        return
    for criterion in campaign.criteria.all():
        options = Options(recipe.collection, EXPORTERS["qrels"], campaign, criterion)
        ((holes,),) = execute(statements.POOLED_ALONE, parameters(options))
        if holes:
            text = f"{campaign}, {criterion}: pooled documents of judged topics without any value: {holes:,}."
            yield Check("unjudged", text, reverse("pool_list", args=[recipe.collection.slug]))


def _of_files(recipe: Recipe, campaign: Campaign) -> Iterator[Check]:
    for criterion, finding in recipe.unwritable.get(campaign.pk, []):
        yield Check(finding.code, f"{campaign}, {criterion}: {finding.text}", _exports(recipe, campaign))
    if campaign.pk in recipe.unwritable:
        return
    for path, reason in recipe.left_out.items():
        if path.startswith(f"campaigns/{recipe.slugs[campaign.pk]}/"):
            text = f"{path} is left out. {reason}"
            yield Check("left_out", text, _exports(recipe, campaign), blocking=False)


def _exports(recipe: Recipe, campaign: Campaign | None = None) -> str:
    page = reverse("export_list", args=[recipe.collection.slug])
    return f"{page}?{urlencode({'campaign': campaign.slug})}" if campaign else page
