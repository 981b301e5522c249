"""Ties on the first page."""

from django import template

from accounts.models import User
from adjudication.queries.waiting import Waiting, waiting_for

register = template.Library()


@register.simple_tag
def decisions_waiting(user: User) -> list[Waiting]:
    """What the person is to decide; [] where there is nothing."""
    return waiting_for(user)
