"""Deadlines of campaigns in words. A deadline informs; nothing is locked after it."""

from datetime import date

from django.utils.formats import date_format

from annotation.models import Campaign, CampaignState


def deadline_words(campaign: Campaign, today: date) -> str:
    """The last day to judge and how far away it is; "" without a deadline and once the campaign is closed."""
    if campaign.deadline is None or campaign.state == CampaignState.CLOSED:
        return ""
    return f"Judge until {date_format(campaign.deadline, 'j M Y')} ({_distance((campaign.deadline - today).days)})"


def _distance(days: int) -> str:
    if days in (0, 1):
        return ("today", "tomorrow")[days]
    if days < 0:
        return f"{-days:,} day{'' if days == -1 else 's'} ago"
    return f"{days:,} days left"
