"""The names in files of judgments, matched to a campaign's annotators."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from accounts.counting import some
from accounts.models import User
from annotation.campaigns.seals import why_cannot_import_machine
from annotation.models import Annotator, AnnotatorKind, Campaign
from corpus.models import ImportRun, Role
from engines.definitions.settings import ANNOTATOR_NAME
from engines.planning.order import person_seed

SHOWN = 20


class People:
    """The campaign's annotators and the collection's members, by the names in files.

    A name of an annotator of the campaign is that annotator. An account is found only by its e-mail address: two people
    may have the same name, and nobody's account gets the labels of a namesake.
    """

    def __init__(self, campaign: Campaign, run: ImportRun) -> None:
        self.campaign, self.run = campaign, run
        # Locked as every other writer locks them, before their assignments.
        annotators = list(campaign.annotators.select_for_update(no_key=True).order_by("pk"))
        self.by_name = {each.name: each for each in annotators}
        self.run_machines = set(campaign.machine_runs.values_list("annotator_id", flat=True))
        self.by_user = {each.user_id: each for each in annotators if each.user_id}
        members = User.objects.filter(memberships__collection=campaign.collection_id).exclude(
            memberships__in=campaign.collection.memberships.filter(role=Role.VIEWER)
        )
        self.members = {each.email: each for each in members}
        self.known: dict[int, Annotator] = {}
        self.by_address: list[Annotator] = []
        self.new_people: list[Annotator] = []
        self.new_machines: list[Annotator] = []

    def resolve(self, name: str, machine: bool, model: str = "", run: int = 1) -> tuple[Annotator | None, str]:
        """The annotator of this name, created if there is none; or None and the problem.

        `model` and `run` are those of a machine that is created.
        """
        if len(name) > ANNOTATOR_NAME.most:
            return None, f"the annotator's name is longer than {ANNOTATOR_NAME.most} characters"
        annotator = self.by_name.get(name)
        user = None if machine or annotator else self.members.get(name.lower())
        if user is not None:
            annotator = self.by_user.get(user.pk)
        is_machine = machine or (annotator is not None and annotator.kind == AnnotatorKind.MACHINE)
        if is_machine and (reason := why_cannot_import_machine(self.campaign, name, model)):
            return None, reason
        if annotator is None:
            fields = {"kind": AnnotatorKind.MACHINE, "model": model, "run_number": run} if machine else {}
            annotator = self._create(name, user, fields)
        elif annotator.user_id and annotator not in self.by_address:
            self.known[annotator.pk] = annotator
        if annotator.pk in self.run_machines:
            return None, f"{name} is a machine that Litmus runs itself; import its labels under another name"
        if machine and annotator.kind == AnnotatorKind.HUMAN:
            return None, f"{name} is a person in this campaign, not a machine"
        return annotator, ""

    def keep(self, wanted: set[int]) -> None:
        """Take those who were created back, but the `wanted`: of the others no answer is stored."""
        created = (self.by_address, self.new_people, self.new_machines)
        Annotator.objects.filter(pk__in={each.pk for rows in created for each in rows} - wanted).delete()
        for rows in created:
            rows[:] = [each for each in rows if each.pk in wanted]

    def remarks(self) -> list[str]:
        """Sentences that say which annotators the names were matched to."""
        namesakes = {str(each) for each in self.members.values()} & {each.name for each in self.new_people}
        added = "to add" if self.run.dry_run else "added"
        lists = [
            ("Matched to annotators of the campaign with an account", _names(self.known.values())),
            (f"Annotators {added} with the account of their e-mail address", _names(self.by_address)),
            (f"Annotators {added} by name only", _names(self.new_people)),
            (f"Machines {added}", _names(self.new_machines)),
            (
                "Not linked to members of the same name, because only an e-mail address identifies an account",
                sorted(namesakes),
            ),
        ]
        return [f"{text}: {some(names, SHOWN)}." for text, names in lists if names]

    def _create(self, name: str, user: User | None, fields: dict[str, Any]) -> Annotator:
        shown = name
        if user is not None and str(user) not in self.by_name:
            shown = str(user)[: ANNOTATOR_NAME.most]
        created = Annotator.objects.create(
            campaign=self.campaign,
            name=shown,
            user=user,
            created_at=timezone.now(),
            imported_in=self.run,
            order_seed=person_seed(self.campaign.seed, shown),
            **fields,
        )
        self.by_name[created.name] = created
        if user is not None:
            self.by_user[user.pk] = created
            self.by_address.append(created)
        else:
            (self.new_machines if created.kind == AnnotatorKind.MACHINE else self.new_people).append(created)
        return created


def _names(annotators: Iterable[Annotator]) -> list[str]:
    return [f"{each.name} ({each.user.email})" if each.user else each.name for each in annotators]
