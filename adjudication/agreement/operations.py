"""What can be asked for: agreement figures, at every door; a count of votes, by page and REST (its command `adjudicate`
is in verdicts/commands.py)."""

from functools import partial
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import JobState
from accounts.operations import Operation, Rest
from accounts.rest_records import serializer_of
from adjudication.agreement.agreement_table import FORMS, tables_of
from adjudication.agreement.forms import AgreementForm, VoteForm
from adjudication.agreement.printing import printed
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.agreement.results import as_json
from adjudication.labels.counts import votes_note
from adjudication.labels.places import in_readable_campaign
from adjudication.labels.staleness import Standing
from adjudication.labels.too_few import TooFew
from adjudication.models import AgreementRun, Voters, VoteRun
from annotation.campaigns.overrides import Override, overrides_in
from corpus.collections.api.jobs import JobSerializer
from corpus.collections.rules import DECIDE
from engines.stats.policies import offered_policies


class TiesField(serializers.ChoiceField):
    """A rule for ties that counts can be asked for by; a stored one whose package is missing is given as it is."""

    def __init__(self, **more: Any) -> None:
        super().__init__(offered_policies(), **more)


OverrideSerializer = serializer_of(
    Override,
    "Override",
    about="A machine that annotates although its test (Anno-GPT) was not passed: say so wherever its labels are used.",
    without=("test",),
    text=serializers.CharField(),
)


class VoteSerializer(JobSerializer):
    ties = TiesField()
    min_votes = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    voters = serializers.CharField()
    stale = serializers.SerializerMethodField(help_text="what has changed since they were counted; empty: nothing")
    too_few_votes = serializers.SerializerMethodField(
        help_text="items that now have fewer votes than the newest count asks for; null of other counts"
    )
    advice = serializers.SerializerMethodField(help_text="what helps those items; empty: nothing to do")
    machine_overrides = serializers.SerializerMethodField()

    @extend_schema_field(OverrideSerializer(many=True))
    def get_machine_overrides(self, run: VoteRun) -> list[dict[str, Any]]:
        return [] if run.voters == Voters.HUMANS else [each.as_json() for each in overrides_in(run.campaign)]

    def get_too_few_votes(self, run: VoteRun) -> int | None:
        found = self._too_few_votes(run)
        return found.items if found else None

    def get_advice(self, run: VoteRun) -> str:
        return str(self._too_few_votes(run) or "")

    def _too_few_votes(self, run: VoteRun) -> TooFew | None:
        """None of a count that is not the newest finished one."""
        found: TooFew | None = self.context.get("too_few_votes")
        return found if found and found.run == run else None

    def get_stale(self, run: VoteRun) -> str:
        standing: Standing[VoteRun] | None = self.context.get("standing")
        if standing is None or standing.run is None or run.state != JobState.DONE:
            return ""
        return votes_note(standing) if run == standing.run else "Another count came later."


def _tables(run: AgreementRun, form: str) -> str:
    """The tables of all criteria; in CSV, as everywhere, they follow each other after an empty line."""
    return ("\r\n" if form == "csv" else "\n").join(tables_of(run, form).values())


REQUEST_AGREEMENT = Operation(
    called="agreement",
    rest=Rest("agreement_request", JobSerializer, status=202, takes="NewAgreement"),
    prints=True,
    task="Agree and decide",
    example="agreement demo trial-round",
    action=request_agreement,
    form=AgreementForm,
    place=in_readable_campaign("agreement_detail", page="agreement"),
    roles=DECIDE,
    about="Measure agreement of a campaign's annotators, with intervals, and store it.",
    title="Compute the agreement",
    button="Compute",
    template="",
    report=lambda _: "The agreement is being computed. This page shows how far it is.",
    goes_to=lambda run: reverse("agreement_detail", args=[run.campaign.collection.slug, run.campaign.slug]),
    shows=lambda run: JobSerializer(run).data,
    finished=lambda run: (printed(run), as_json(run)),
    tables={form: partial(_tables, form=form) for form in FORMS},
    former={"unit": "cluster"},
)

REQUEST_VOTE = Operation(
    rest=Rest("votes_request", VoteSerializer, status=202, takes="NewVote"),
    action=request_vote,
    form=VoteForm,
    place=in_readable_campaign("adjudication_screen"),
    roles=DECIDE,
    about="Have the majority decide each item, by a background job. Decisions by hand stand.",
    title="Count the votes",
    button="Count",
    template="",
    report=lambda _: "The votes are being counted. This page shows how far it is.",
    goes_to=lambda run: reverse("adjudication_screen", args=[run.campaign.collection.slug, run.campaign.slug]),
    shows=lambda run: VoteSerializer(run).data,
)
