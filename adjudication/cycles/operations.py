"""What can be done with a cycle of Anno-GPT, by page and REST: it gets a test set, its machine is frozen, it is
decided. Starting one, its runs and its test are in pages and api; the command `anno_gpt`, with a step for each, is in
commands.py."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.management.reporting import IN_COLLECTION
from accounts.operations import Found, Operation, Place, Rest
from adjudication.cycles.cycles import campaigns_shown
from adjudication.cycles.details import CycleSerializer, cycle_with
from adjudication.cycles.forms import CycleDecisionForm, FreezingForm, OneCampaignForm
from adjudication.cycles.pages.cycles import cycle_context, decision_facts, fetch_cycle
from adjudication.cycles.steps import choose_test_set, decide_cycle, freeze_machine
from annotation.labelling.rules import check_can_read_labels_of
from annotation.models import AnnoCycle
from corpus.collections.rules import MANAGE, check_role, fetch_membership
from corpus.models import Membership


def _in_cycle(*, form_gets_cycle: bool = False, has_page: bool = False) -> Place:
    """The cycle: the action gets it. With `has_page` its whole page is shown again with the form of the decision."""

    def find(cycle: AnnoCycle, shown: dict[str, Any]) -> Found:
        form: dict[str, Any] = {"cycle": cycle} if form_gets_cycle else {}
        if shown and cycle.is_open:
            form = decision_facts(shown["trial"])
        return Found({"cycle": cycle}, form, shown, _page_of(cycle))

    def on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, number: int) -> Found:
        membership: Membership = fetch_membership(request.user, slug)
        check_role(membership, *roles)
        cycle = fetch_cycle(membership, number)
        if has_page:
            check_can_read_labels_of(campaigns_shown(cycle), membership.user)
        return find(cycle, cycle_context(membership, cycle) if has_page else {})

    return Place(
        on_page,
        rest=lambda view: find(view.cycle(), {}),
        command=lambda slug, number: find(cycle_with(slug, number), {}),
        arguments=IN_COLLECTION | {"number": "number of the cycle"},
    )


def _page_of(cycle: AnnoCycle, step: str = "") -> str:
    return reverse("cycle_detail", args=[cycle.collection.slug, cycle.number]) + (step and f"#{step}")


def _shown(cycle: AnnoCycle) -> dict[str, Any]:
    return dict(CycleSerializer(cycle).data)


CHOOSE_TEST_SET = Operation(
    rest=Rest("cycles_test_set", CycleSerializer, status=200, takes="OneCampaign"),
    action=choose_test_set,
    form=OneCampaignForm,
    place=_in_cycle(form_gets_cycle=True),
    roles=MANAGE,
    about="Take a test campaign for the cycle: a fresh one, that no other cycle has used.",
    title="Test set",
    button="Use as test set",
    template="",
    report=lambda cycle: f"Cycle {cycle.number}: its test set is {cycle.test}.",
    goes_to=lambda cycle: _page_of(cycle, "test-set"),
    shows=_shown,
)

FREEZE_MACHINE = Operation(
    rest=Rest("cycles_freeze", CycleSerializer, status=200, takes="Freezing"),
    action=freeze_machine,
    form=FreezingForm,
    place=_in_cycle(),
    roles=MANAGE,
    about="Freeze one of the machines that were tried. It cannot be changed in this cycle.",
    title="Freeze a machine",
    button="Freeze",
    template="",
    report=lambda cycle: f"Cycle {cycle.number}: {cycle.frozen_name} is frozen. Its hash is {cycle.frozen_hash}.",
    goes_to=lambda cycle: _page_of(cycle, "freeze"),
    shows=_shown,
)

DECIDE_CYCLE = Operation(
    rest=Rest("cycles_decide", CycleSerializer, status=200, takes="CycleDecision"),
    action=decide_cycle,
    form=CycleDecisionForm,
    place=_in_cycle(has_page=True),
    roles=MANAGE,
    about="End the cycle, with the table on which the decision is based. To annotate after a test that is not passed"
    " takes `override`.",
    title="Decide",
    button="Record the decision",
    template="adjudication/cycles/cycle_detail.html",
    report=lambda cycle: f"Cycle {cycle.number}: decided: {cycle.words}.",
    goes_to=lambda cycle: _page_of(cycle, "decision"),
    shows=_shown,
)
