"""What the buttons of the guide do: each the action of its own page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.html import format_html

from accounts.counting import counted
from accounts.models import User
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.exporting.forms import CONTEXT_LEVELS
from adjudication.guide.facts import GuideFacts
from adjudication.papers.context_topics import make_context_topics
from annotation.assignment.annotators import add_invited, add_members, add_members_by_email
from annotation.campaigns.lifecycle import open_campaign
from corpus.collections.address_lists import read_addresses
from corpus.collections.invitations import invite_several
from corpus.models import Role
from corpus.pools.requests import request_pools

DEPTH = 100  # of each run in a pool, as the form begins


@dataclass(frozen=True)
class Press:
    """A button of the guide that somebody pressed; `emails` as typed next to it."""

    facts: GuideFacts
    by: User
    at: datetime
    emails: str = ""


def build_pools(press: Press) -> None:
    request_pools(collection=press.facts.collection, by=press.by, at=press.at, depth=DEPTH)


def join(press: Press) -> None:
    add_members(campaign=press.facts.chosen, users=[press.by], by=press.by, at=press.at)


def invite(press: Press) -> str:
    """Invite those who are not in the collection, and let all of them judge. What is given to them waits for them."""
    facts, addresses = press.facts, read_addresses(press.emails)
    who: dict[str, Any] = {"by": press.by, "at": press.at}
    inviting = who | {"membership": facts.membership, "role": Role.ANNOTATOR}
    known = {each.email for each in invite_several(emails=addresses, dry_run=True, **inviting).refused}
    added = add_members_by_email(campaign=facts.chosen, emails=sorted(known), **who)  # first: it may be refused
    report = invite_several(emails=[each for each in addresses if each.email not in known], **inviting)
    added += add_invited(campaign=facts.chosen, invited=report.invited, **who)
    said = f"{counted(len(added), 'person', 'people')} added to {facts.chosen}."
    if not report.unsent:
        return said
    people = f"{facts.to('member_list')}#invited"
    what = ("link", "it") if len(report.unsent) == 1 else ("links", "them")
    return format_html('{} No mail was sent: <a href="{}">copy the {}</a> and hand {} over.', said, people, *what)


def open_it(press: Press) -> None:
    open_campaign(campaign=press.facts.chosen, by=press.by, at=press.at)


@transaction.atomic
def make_topics(press: Press) -> str:
    """Topics of both levels, as runs rank for and the paper's table needs."""
    who: dict[str, Any] = {"collection": press.facts.collection, "by": press.by, "at": press.at}
    return " ".join(f"{level.capitalize()}s: {make_context_topics(level=level, **who)}" for level in CONTEXT_LEVELS)


def count(press: Press) -> None:
    request_vote(campaign=press.facts.chosen, by=press.by, at=press.at)


def measure(press: Press) -> None:
    request_agreement(campaign=press.facts.chosen, by=press.by, at=press.at)
