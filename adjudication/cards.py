"""What this app shows on pages of apps below it: decisions that wait, and how far a collection is."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.utils import timezone

from accounts.job_kinds import kind_of
from accounts.models import User
from accounts.requests import Request
from accounts.slots import Card
from adjudication.agreement.forms import AgreementForm
from adjudication.agreement.pages.figures import figures_context, people_context
from adjudication.cycles.trials import machine_rows
from adjudication.exports.files import campaign_findings
from adjudication.labels.pages import Scope, named_criterion
from adjudication.labels.rules import can_adjudicate
from adjudication.procedure import waiting_for
from adjudication.verdicts.dashboard import CampaignCard, chosen_card, fetch_cards, fetch_material, fetch_running
from annotation.machines.machines import run_rows
from annotation.models import AnnotatorKind, Criterion, MachineReply
from corpus.collections.rules import can_oversee
from corpus.models import Membership, Topic

STYLES = ("css/adjudication.css",)


def home_cards(user: User, _memberships: Iterable[Membership]) -> Iterator[Card]:
    """Campaigns with verdicts that wait for the person's decision."""
    waiting = waiting_for(user)
    if waiting:
        yield Card(20, "adjudication/_waiting.html", {"waiting": waiting}, has_main_button=True)


def overview_cards(request: Request, membership: Membership) -> Iterator[Card]:
    """Material, progress and results: labels, agreement and verdicts are read only for those who may see them."""
    if not can_oversee(membership):
        return
    collection = membership.collection
    found = fetch_cards(collection, membership.user, timezone.now())
    running = [(kind_of(job), job) for job in fetch_running(collection)]
    yield _overview(20, "_material", material=fetch_material(collection))
    yield _overview(30, "_running", running=running)
    # What stands in the way of exports is read from every item: of large campaigns on the page of exports alone.
    campaigns = [
        (card, [] if card.hidden or card.progress.is_stored else campaign_findings(card.campaign, card.votes))
        for card in found
    ]
    yield _overview(40, "_campaign_cards", campaigns=campaigns)
    card = chosen_card(found, request.GET.get("campaign", ""))
    if card is not None:
        results = _results(request, membership, card)
        yield _overview(50, "_results", shown=card, several=len(found) > 1, **results)
    yield _overview(60, "_dashboard_machines", machine_rows=machine_rows(collection, membership.user))


def topic_cards(membership: Membership, topic: Topic) -> Iterator[Card]:
    """The way from a topic to its judged documents and why each has its value, for who may read that."""
    if can_oversee(membership):
        yield Card(10, "adjudication/_why.html", {"number": topic.number})


def reply_cards(membership: Membership, reply: MachineReply, criterion: Criterion) -> Iterator[Card]:
    """A button that puts the item of an unparsed machine answer on the adjudication screen."""
    if can_adjudicate(membership):
        context = {"item": reply.item_id, "criterion": criterion, "class": "quiet"}
        yield Card(10, "adjudication/cycles/_open_item.html", context)


def help_cards() -> Iterator[Card]:
    """The keys of the adjudication screen."""
    yield Card(10, "adjudication/_help_keys.html")


def _overview(place: int, name: str, **context: Any) -> Card:
    return Card(place, f"adjudication/{name}.html", context, STYLES)


def _results(request: Request, membership: Membership, card: CampaignCard) -> dict[str, Any]:
    """Annotators, agreement and machines of one campaign, for the criterion in `?criterion=`."""
    scope = Scope(membership, card.campaign, named_criterion(request))
    criterion, run = scope.criterion, card.agreement.run
    context = scope.criterion_context(standing=card.agreement, form=AgreementForm(), hidden=card.hidden)
    context |= people_context(scope, run, criterion, card.annotators) | {"tab": "overview"}
    if any(row.annotator.kind == AnnotatorKind.MACHINE for row in card.annotators):
        context["machine_runs"] = run_rows(card.campaign)
    if run is not None and criterion is not None and criterion.key in run.detail:
        context |= figures_context(request, run, criterion, card.campaign.slug)
    return context
