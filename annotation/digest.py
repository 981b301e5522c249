"""What this app reports in a person's daily mail: items to judge, deadlines, items added to their work, questions."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.counting import numeral
from accounts.digests import Line, Notice
from accounts.models import User
from annotation.campaigns.campaigns import deadline_words
from annotation.campaigns.home import Work, work_of
from annotation.gold.results import below_since
from annotation.inquiries.inquiries import new_answers, open_inquiries
from annotation.models import Annotator, AnnotatorState, AssignmentState, Campaign, CampaignState

NEAR = timedelta(days=3)  # a deadline within this time is reported


def lines(user: User, since: datetime, now: datetime) -> Iterator[Line]:
    """Campaigns with something to judge, near deadlines, what was added after `since`, questions and answers, and
    of campaigns that they manage, who fails."""
    today = timezone.localdate(now)
    for work in work_of(user):
        if not work.left or work.paused:
            continue
        campaign = work.campaign
        yield _line(Notice.WORK, campaign, _("{left} to judge").format(left=_left(work)))
        if campaign.deadline is not None and today <= campaign.deadline <= today + NEAR:
            yield _line(
                Notice.DEADLINE,
                campaign,
                _("{deadline}, {left} left").format(deadline=deadline_words(campaign, today), left=_left(work)),
            )
    for campaign, added in _added(user, since, now):
        yield _line(
            Notice.ADDED, campaign, _many(added, ngettext("{count} item was added", "{count} items were added", added))
        )
    for found in open_inquiries(user):
        words = ngettext(
            "{count} question of annotators waits for an answer",
            "{count} questions of annotators wait for an answer",
            found.count,
        )
        yield _line(Notice.QUESTION, found.campaign, _many(found.count, words), "inquiry_list")
    for found in new_answers(user, since=since, until=now):
        words = ngettext(
            "{count} question of yours was answered", "{count} questions of yours were answered", found.count
        )
        yield _line(Notice.ANSWER, found.campaign, _many(found.count, words), "campaign_detail")
    for results in below_since(user, since):
        below = len(results.below)
        words = ngettext(
            "{count} annotator is below the pass mark", "{count} annotators are below the pass mark", below
        )
        yield _line(Notice.BELOW, results.campaign, _many(below, words), "gold_detail")


def _added(user: User, since: datetime, now: datetime) -> list[tuple[Campaign, int]]:
    """Open campaigns, and how many items the person was asked for there later and still has to do.

    That an adjudicator asked is not said: it would tell a judge which items others disagree on (docs/adr/0011).
    """
    added = {"assignments__sent_back_at__gt": since, "assignments__sent_back_at__lte": now}
    able = Q(
        state=AnnotatorState.ACTIVE, campaign__state=CampaignState.OPEN, assignments__state=AssignmentState.PENDING
    )
    found = Annotator.objects.filter(able, **added, user=user, campaign__collection__memberships__user=user)
    counted = found.select_related("campaign__collection").annotate(added=Count("assignments", distinct=True))
    return [(annotator.campaign, annotator.added) for annotator in counted.order_by("campaign__name")]


def _line(notice: Notice, campaign: Campaign, text: str, page: str = "") -> Line:
    """A line that leads to the page of this name, else to where the campaign is judged."""
    where = reverse(page or campaign.kind_object.screen, args=[campaign.collection.slug, campaign.slug])
    return Line(notice, f"{campaign} ({campaign.collection}): {text}", where)


def _left(work: Work) -> str:
    if work.is_more:
        return _("{many} items").format(many=work.left_text)
    return _many(work.left, ngettext("{count} item", "{count} items", work.left))


def _many(count: int, words: str) -> str:
    return words.format(count=numeral(count))
