"""The count of a campaign's work, as its job makes it."""

from accounts.jobs import carry_out
from accounts.models import JobState
from annotation.models import Campaign, WorkSummary
from tests.factories.annotation import AT


def counted(campaign: Campaign) -> WorkSummary:
    summary, _ = WorkSummary.objects.get_or_create(campaign=campaign, defaults={"requested_at": AT})
    WorkSummary.objects.filter(pk=summary.pk).update(state=JobState.QUEUED)
    carry_out(summary)
    summary.refresh_from_db()
    assert summary.state == JobState.DONE, summary.reason
    return summary
