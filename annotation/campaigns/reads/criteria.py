"""A campaign's criteria with their levels."""

from annotation.definitions.drafts import CriterionDraft, LevelDraft
from annotation.models import Campaign, Judgment


def drafts_of(campaign: Campaign) -> tuple[CriterionDraft, ...]:
    """The campaign's criteria as they are stored. Two queries."""
    return tuple(
        CriterionDraft(
            key=criterion.key,
            label=criterion.label,
            question=criterion.question,
            scale=criterion.scale,
            levels=tuple(
                LevelDraft(level.value, level.label, level.definition, level.example, tuple(level.reasons))
                for level in criterion.levels.all()
            ),
        )
        for criterion in campaign.criteria.prefetch_related("levels")
    )


def has_judgments(campaign: Campaign) -> bool:
    return Judgment.objects.filter(assignment__item__campaign=campaign).exists()
