"""The check list before a release: what is open, out of date, untested or missing, each with the page that mends it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from accounts.doors import where
from accounts.refusals import Remedy
from accounts.sql import execute
from adjudication.exporting import statements
from adjudication.exporting.exporter import NOWHERE, Options, Reader
from adjudication.exporting.findings import note_standing, remedy_of, standing_of, verdict_findings
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import parameters
from adjudication.models import Voters
from adjudication.releases.recipe import Recipe
from annotation.campaigns.overrides import machines_of
from annotation.kind import Judged
from annotation.models import AnnoCycle, Annotator, AnnotatorKind, Campaign, Outcome
from corpus.models import Role

# The words of the link to the page that mends what is found, by its code; those of votes bring their own.
REMEDIES = {
    "no_licence": "Name the licence",
    "stale_agreement": "Compute the agreement",
    "ungated_machine": "See the machines' tests",
    "unjudged": "See the pools",
}


@dataclass(frozen=True)
class Check:
    """One thing found. `code` is stable; what is `blocking` refuses the release unless a reason is given.

    `advice` is for the person at the screen: releases print the `fact` alone.
    """

    code: str
    fact: str
    href: str = ""
    blocking: bool = True
    advice: str = ""
    remedy: str = ""  # the words of the link to that page

    @property
    def text(self) -> str:
        """What was found and what to do."""
        return f"{self.fact} {self.advice}".strip()

    @property
    def link(self) -> str:
        """The words of the link to its page."""
        return self.remedy or REMEDIES.get(self.code, "See the exports")

    def as_json(self) -> dict[str, Any]:
        """As releases store and print it."""
        return {"code": self.code, "text": self.fact, "blocking": self.blocking}


def by_page(checks: list[Check]) -> list[list[Check]]:
    """The checks in groups that one page mends, in the order of the first of each."""
    found: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        found.setdefault((check.href, check.link), []).append(check)
    return list(found.values())


def check_list(recipe: Recipe) -> list[Check]:
    """Everything to say before the collection is released as the recipe has it, blocking ones first."""
    memo: dict[Any, Any] = {}
    found = list(_of_collection(recipe))
    for campaign in recipe.campaigns:
        note_standing(memo, campaign, recipe.standing_of(campaign)[0])
        found += _of_votes(recipe, campaign, memo)
        found += _of_agreement(recipe, campaign)
        found += _of_machines(recipe, campaign, memo)
        found += _of_pools(recipe, campaign)
        found += _of_files(recipe, campaign)
    found += [
        Check("left_out", f"{path} is left out. {reason}", _exports(recipe), blocking=False)
        for path, reason in recipe.left_out.items()
        if not path.startswith("campaigns/")
    ]
    once = {check.fact: check for check in reversed(found)}  # what refuses a vote refuses its files too
    return sorted((check for check in found if once[check.fact] is check), key=lambda check: not check.blocking)


def _of_collection(recipe: Recipe) -> Iterator[Check]:
    slug = recipe.collection.slug
    if not recipe.collection.licence.strip():
        name = where(
            "name one",
            page="page “Settings” of the collection",
            rest=f"PATCH /api/collections/{slug}/ with licence",
            command=f"update_collection {slug} --licence LICENCE",
        )
        advice = f"Without a licence, nobody may use the release: {name}."
        page = reverse("collection_edit", args=[slug])
        yield Check("no_licence", "The collection has no licence.", page, advice=advice)
    if not recipe.judged_sets:
        advice = "Without qrels, nobody can evaluate runs with the release."
        yield Check("no_qrels", "No query set can be written.", _exports(recipe), advice=advice)


def _of_votes(recipe: Recipe, campaign: Campaign, memo: dict[Any, Any]) -> Iterator[Check]:
    """Open disagreements, late votes, items without enough votes."""
    place = (recipe.collection.slug, campaign.slug)
    for criterion in campaign.criteria.all():
        values = {"unresolved": "refuse"}
        options = Options(recipe.collection, EXPORTERS["qrels"], campaign, criterion, values, asked_for=NOWHERE)
        for finding in verdict_findings(options, Reader(options, memo), standing_of(campaign, memo)):
            remedy = remedy_of(finding, campaign, Role.MANAGER, criterion.key) or Remedy(
                "See the campaign", "campaign_detail", place
            )
            fact = f"{campaign}, {criterion}: {finding.fact}"
            yield Check(finding.code, fact, remedy.href, finding.is_fatal, finding.advice, remedy.label)


def _of_agreement(recipe: Recipe, campaign: Campaign) -> Iterator[Check]:
    """Agreement figures of other labels or verdicts than those that are released."""
    _, standing = recipe.standing_of(campaign)
    if standing.is_stale:
        fact = f"{campaign}: agreement was computed before {standing.since}."
        page = reverse("agreement_detail", args=[recipe.collection.slug, campaign.slug])
        yield Check("stale_agreement", fact, page, advice="Compute it again.")


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
            have = "document of a judged topic has" if holes == 1 else "documents of judged topics have"
            fact = f"{campaign}, {criterion}: {holes:,} pooled {have} no grade."
            yield Check("unjudged", fact, reverse("pool_list", args=[recipe.collection.slug]))


def _of_files(recipe: Recipe, campaign: Campaign) -> Iterator[Check]:
    for criterion, finding in recipe.unwritable.get(campaign.pk, []):
        fact = f"{campaign}, {criterion}: {finding.fact}"
        yield Check(finding.code, fact, _exports(recipe, campaign), advice=finding.advice)
    if campaign.pk in recipe.unwritable:
        return
    for path, reason in recipe.left_out.items():
        if path.startswith(f"campaigns/{recipe.slugs[campaign.pk]}/"):
            text = f"{path} is left out. {reason}"
            yield Check("left_out", text, _exports(recipe, campaign), blocking=False)


def _exports(recipe: Recipe, campaign: Campaign | None = None) -> str:
    page = reverse("export_list", args=[recipe.collection.slug])
    return f"{page}?{urlencode({'campaign': campaign.slug})}" if campaign else page
