"""Pages of campaigns for the tests."""

from django.test import Client
from django.urls import reverse

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from tests.factories.annotation import AT, make_campaign


def client_of(made, name="mia"):
    client = Client()
    client.force_login(made.people[name])
    return client


def url(name, *args, campaign="main-round"):
    return reverse(name, args=["teas", *([campaign] if campaign else []), *args])


def opened(made, **fields):
    campaign = make_campaign(made, **fields)
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


def text_of(answer):
    """The page with all white space as single blanks."""
    return " ".join(answer.content.decode().split())
