"""Criteria and their levels: written as a whole, and settled once somebody has judged by them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, RestrictedError

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.campaigns import drafts_of, has_judgments
from annotation.campaigns.rules import fetch_managed, why_cannot_change_criteria
from annotation.models import Campaign, Criterion, Level
from engines.definitions.drafts import CriterionDraft, problems_of


@transaction.atomic
def replace_criteria(*, campaign: Campaign, criteria: Sequence[CriterionDraft], by: User | None, at: datetime) -> bool:
    """Give the campaign these criteria instead of its present ones; whether anything was different.

    Errors: Refused for invalid criteria, and for any change once there are judgments.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    criteria = sort_levels(criteria)
    check_criteria(criteria)
    if drafts_of(campaign) == criteria:
        return False
    if campaign.known_answers.exists():
        raise Refused("Known answers use these levels. Remove the known answers before you change the levels.")
    if reason := why_cannot_change_criteria(has_judgments(campaign)):
        raise Refused(reason)
    try:
        campaign.criteria.all().delete()
    except (ProtectedError, RestrictedError) as error:
        raise Refused(
            "Verdicts or machine runs use these levels, so the levels cannot change. Copy the"
            " campaign to use other levels."
        ) from error
    except IntegrityError as error:  # somebody judged by a level between the question above and its removal
        raise Refused(why_cannot_change_criteria(judgments=True)) from error
    store_criteria(campaign, criteria)
    record_event(
        by=by,
        at=at,
        verb="change_criteria",
        target=campaign,
        scope=campaign.collection,
        criteria={each.key: [level.value for level in each.levels] for each in criteria},
    )
    return True


def sort_levels(criteria: Sequence[CriterionDraft]) -> tuple[CriterionDraft, ...]:
    """The criteria with their levels in the order of the values, which is how they are stored."""
    return tuple(replace(one, levels=tuple(sorted(one.levels, key=lambda level: level.value))) for one in criteria)


def check_criteria(criteria: Sequence[CriterionDraft]) -> None:
    """Refuse invalid criteria; the refusal names everything that is wrong about them."""
    if problems := problems_of(criteria):
        raise Refused(" ".join(problems))


def store_criteria(campaign: Campaign, criteria: Sequence[CriterionDraft]) -> None:
    """Insert criteria that were checked."""
    for position, draft in enumerate(criteria):
        fields = asdict(draft)
        levels = fields.pop("levels")
        criterion = Criterion.objects.create(campaign=campaign, position=position, **fields)
        Level.objects.bulk_create([Level(criterion=criterion, **level) for level in levels])
