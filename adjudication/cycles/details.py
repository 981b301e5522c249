"""A cycle as commands and the API give it: what is fixed, how machines do on its dev sets, where its test stands."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.refusals import Refused
from accounts.rest_records import ChoiceOrNull, OrNull
from adjudication.cycles.cycles import count_tests, dev_sets
from adjudication.cycles.trials import Trial, evidence_of, fetch_trial
from adjudication.cycles.tuning import dev_table
from annotation.models import AnnoCycle, MachineSource, Outcome
from corpus.collections.collections import collection_with
from corpus.models import Collection


class CycleSerializer(serializers.Serializer[Any]):
    """What is fixed; null until it is. `margin` is a share, `seen_before` counts labels given before the seal."""

    number = serializers.IntegerField()
    criterion = serializers.CharField()
    margin = serializers.FloatField()
    runs = serializers.IntegerField()
    dev = serializers.CharField(source="dev.slug", help_text="the development campaign")
    test = serializers.CharField(source="test.slug", allow_null=True, help_text="the test campaign")
    seen_before = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    machine = OrNull(source="frozen_name")
    machine_source = ChoiceOrNull(MachineSource.choices, source="frozen_source")
    prompt = serializers.CharField(source="frozen_prompt.named", allow_null=True, help_text="NAME@VERSION")
    sha256 = OrNull(source="frozen_hash")
    frozen_at = serializers.DateTimeField(allow_null=True)
    outcome = ChoiceOrNull(Outcome.choices)
    reason = OrNull()
    is_override = serializers.BooleanField()
    decided_at = serializers.DateTimeField(allow_null=True)


class FigureSerializer(serializers.Serializer[Any]):
    """Null with the reason where there is none."""

    statistic = serializers.CharField(source="label")
    value = serializers.FloatField(allow_null=True, source="number")
    n_items = serializers.IntegerField()
    reason = serializers.CharField(allow_null=True, source="why_no_number")


class TriedSerializer(serializers.Serializer[Any]):
    """A machine tried on a development set. `machine` is what freezing takes."""

    machine = serializers.CharField(source="key")
    name = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class
    runs = serializers.IntegerField(source="annotators")
    answered = serializers.IntegerField(source="counts.answered")
    invalid = serializers.IntegerField(source="counts.invalid")
    is_running = serializers.BooleanField()
    figures = FigureSerializer(many=True)


class DevSetSerializer(serializers.Serializer[Any]):
    """How far people agree on a development set, and each machine with them."""

    campaign = serializers.CharField(source="campaign.slug")
    items = serializers.IntegerField(source="people.items")
    labels = serializers.IntegerField(source="people.labels")
    judged_by_two = serializers.IntegerField(source="people.with_two")
    among_people = FigureSerializer(many=True)
    machines = TriedSerializer(many=True, source="candidates")


class TrialRowSerializer(serializers.Serializer[Any]):
    """A line of the table of the test, as the page prints it; an empty text: no figure."""

    label = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class
    people = serializers.CharField(allow_blank=True)
    machine = serializers.CharField(allow_blank=True)
    verdict = serializers.CharField(allow_blank=True)
    difference = serializers.CharField(allow_blank=True)
    low = serializers.CharField(allow_blank=True)
    high = serializers.CharField(allow_blank=True)
    p = serializers.CharField(allow_blank=True)
    p_holm = serializers.CharField(allow_blank=True)
    p_cycles = serializers.CharField(allow_blank=True)
    outcome = serializers.CharField()
    n_items = serializers.IntegerField()
    equivalent = serializers.BooleanField()


class TrialSerializer(serializers.Serializer[Any]):
    """Where the test stands. It is current while no judgment or verdict is newer than its figures."""

    machine = OrNull(help_text="its name in the test campaign; null before it ran")
    runs = serializers.IntegerField(source="n_runs")
    is_running = serializers.BooleanField(source="are_running")
    is_computing = serializers.BooleanField()
    is_current = serializers.BooleanField()
    is_passed = serializers.BooleanField()
    rows = serializers.SerializerMethodField()

    @extend_schema_field(TrialRowSerializer(many=True))
    def get_rows(self, trial: Trial) -> list[dict[str, Any]]:
        kept = zip(evidence_of(trial.rows), trial.rows, strict=True)
        return [{**each, "equivalent": row.is_equivalent} for each, row in kept]


class CycleDetailsSerializer(CycleSerializer):
    """`trial` is null until a machine is frozen and a test set chosen."""

    tests_of_criterion = serializers.IntegerField()
    dev_sets = DevSetSerializer(many=True)
    trial = TrialSerializer(allow_null=True)


def cycles_with_names(collection: Collection) -> QuerySet[AnnoCycle]:
    """The collection's cycles with what names them. Their campaigns come with their collection."""
    named = ("collection", "dev__collection", "test__collection", "frozen_prompt", "created_by")
    return AnnoCycle.objects.filter(collection=collection).select_related(*named, "frozen_by", "decided_by")


def cycle_with(slug: str, number: int) -> AnnoCycle:
    """The collection's cycle of this number. Errors: Refused where there is none."""
    found = cycles_with_names(collection_with(slug)).filter(number=number).first()
    if found is None:
        raise Refused(f"There is no cycle {number} in {slug}.")
    return found


def cycle_details(cycle: AnnoCycle) -> dict[str, Any]:
    """As `CycleDetailsSerializer` says."""
    tests = count_tests(cycle)
    trial = fetch_trial(cycle, tests)
    tables = [dev_table(campaign, cycle.criterion) for campaign in dev_sets(cycle)]
    return {
        **CycleSerializer(cycle).data,
        "tests_of_criterion": tests,
        "dev_sets": DevSetSerializer(tables, many=True).data,
        "trial": TrialSerializer(trial).data if trial else None,
    }
