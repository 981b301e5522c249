"""What managers can do to check the labels of machines: draw a sample of them for people to judge."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.counting import counted
from accounts.operations import Found, Operation, Rest
from accounts.refusals import Refused
from accounts.rest_records import serializer_of
from adjudication.machine_audits.drawing import Drawing, check_can_be_audited, draw_audit_sample
from adjudication.machine_audits.forms import USUAL_SAMPLE, AuditSampleForm
from adjudication.machine_audits.reading import count_free
from adjudication.machine_audits.strata import Stratum
from annotation.campaigns.places import in_campaign
from annotation.models import Campaign
from corpus.collections.rules import MANAGE
from engines.stats.audits.sample import LEAST

_campaign = in_campaign("machine_audit_list", "audits", page="machines")
StratumSerializer = serializer_of(Stratum, "AuditStratum")
DrawingSerializer = serializer_of(
    Drawing,
    "AuditDrawing",
    without=("campaign", "pace"),
    size=serializers.IntegerField(),
    half_width=serializers.FloatField(help_text="the most that a 95% interval of a share can reach to each side"),
    hours=serializers.FloatField(help_text="of people, at the pace of this kind of campaign"),
)


def _with_form(found: Found, **more: Any) -> Found:
    return replace(found, form={"campaign": found.target["campaign"]} | more)


def _on_page(request: HttpRequest, roles: tuple[Any, ...], **where: Any) -> Found:
    """What can be drawn; with `?size=…` the page shows what would be."""
    found = _campaign.page(request, roles, **where)
    free = count_free(found.target["campaign"])
    enough = [n for *_, n in free if n >= LEAST]
    reason = _why_nothing_can_be_drawn(found.target["campaign"], bool(free), bool(enough))
    found = replace(found, shown=found.shown | {"free": free, "reason": reason})
    if "size" not in request.GET:
        return _with_form(found, initial={"size": min([USUAL_SAMPLE, *enough])})
    given = {name: request.GET.get(name) for name in AuditSampleForm.base_fields}
    asked = AuditSampleForm(request.GET, campaign=found.target["campaign"])
    shown: dict[str, Any] = {"asked": asked}
    if asked.is_valid():
        try:
            [shown["drawing"]] = DRAW_AUDIT_SAMPLE.carry_out(found, asked.cleaned_data, request.user, dry=True)
        except Refused as refusal:
            shown["refusal"] = refusal.reason
    return replace(_with_form(found, initial=given), shown=found.shown | shown)


def _why_nothing_can_be_drawn(campaign: Campaign, has_labels: bool, has_enough: bool) -> str:
    """The reason; "" where something can be drawn."""
    try:
        check_can_be_audited(campaign)
    except Refused as refusal:
        return refusal.reason
    if not has_labels:
        return "No machine has labelled items here yet, so nothing can be drawn."
    return "" if has_enough else f"A sample has at least {LEAST} items, so nothing can be drawn."


def _in_words(done: Drawing) -> str:
    """What was drawn, or in a dry run what would be, with its strata."""
    found = f"{counted(done.size, 'item')} of {done.labelled - done.taken:,} drawn (seed {done.seed})."
    if done.id is not None:
        return f"{found} People find them among their other items."
    strata = [f"  {each.words}: {each.sample:,} of {each.items:,}" for each in done.strata]
    return "\n".join([found, *strata, done.sentence])


DRAW_AUDIT_SAMPLE = Operation(
    called="draw_audit_sample",
    rest=Rest("machine_audits_create", DrawingSerializer, takes="NewAuditSample"),
    task="Judge",
    example="draw_audit_sample demo machine-labels --size 30 --seed 7 --dry-run",
    action=draw_audit_sample,
    foresee=partial(draw_audit_sample, dry_run=True),
    form=AuditSampleForm,
    place=replace(
        _campaign,
        page=_on_page,
        rest=lambda view: _with_form(_campaign.rest(view)),
        command=lambda **where: _with_form(_campaign.command(**where)),
    ),
    roles=MANAGE,
    about="Draw a random sample of a machine's labels for people to judge. Nothing shows them which items were drawn."
    " Their answers correct the figures of the machine's labels.",
    title="Draw an audit sample",
    lead="People judge a random sample of what the machine labelled. Nothing shows them which items were drawn. Their"
    " answers then show how often the machine errs, and what the figures would be if people had judged everything.",
    button="Draw this sample",
    template="adjudication/machine_audits/audit_draw.html",
    report=_in_words,
    goes_to=lambda done: reverse("machine_audit_list", args=[done.campaign.collection.slug, done.campaign.slug]),
    shows=lambda done: DrawingSerializer(done).data,
    has_dry_run=True,
)
