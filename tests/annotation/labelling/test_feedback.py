"""Feedback after each answer: in training at every door, and nowhere else."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from tests.annotation.assignment.test_assignments import start
from tests.annotation.gold.known_worlds import items_of, known, make_practice
from tests.factories.annotation import Material, annotator, make_campaign, make_material

pytestmark = pytest.mark.django_db

WORDS = "Not right, the known answer is 2"


@pytest.fixture
def made() -> Material:
    return make_material()


def answer(client: Client, slug: str, assignment: int, value: int) -> Any:
    sent = {"uuid": str(uuid4()), "assignment": assignment, "answers": {"relevance": value}}
    where = reverse("api_submissions", args=["teas", slug])
    return client.post(where, {"submissions": [sent]}, content_type="application/json").json()["results"][0]


def logged_in(made: Material, name: str) -> Client:
    client = Client()
    client.force_login(made.people[name])
    return client


def test_in_training_each_answer_tells_what_is_right_and_why(made: Material) -> None:
    campaign = make_practice(made, "training")
    ana, client = annotator(campaign, "ana"), logged_in(made, "ana")
    first, second, third, _ = ana.assignments.order_by("position")
    wrong, right = answer(client, campaign.slug, first.pk, 0), answer(client, campaign.slug, second.pk, 2)
    assert wrong["feedback"].startswith(WORDS)
    assert wrong["feedback"].endswith("It is on tea.")
    assert right["feedback"].startswith("Right, 2")
    form = {"kind": "answer", "cells": third.pk, f"{third.pk}-uuid": uuid4(), f"{third.pk}-answer-relevance": "1"}
    page = client.post(reverse("submission_create", args=["teas", campaign.slug]), form, follow=True)
    assert WORDS in page.content.decode()
    history = client.get(reverse("label_history", args=["teas", campaign.slug])).content.decode()
    assert history.count(WORDS) == 2
    screen = client.get(reverse("labelling_screen", args=["teas", campaign.slug])).content.decode()
    assert "Training" in screen


@pytest.mark.parametrize("purpose", ["qualification", "judging"])
def test_elsewhere_nothing_is_said(made: Material, purpose: str) -> None:
    if purpose == "judging":
        campaign = make_campaign(made)
        start(campaign)
        for item in items_of(campaign):
            known(campaign, item, explanation="It is on tea.")
    else:
        campaign = make_practice(made, purpose, mark=50)
    client = logged_in(made, "ana")
    for one in annotator(campaign, "ana").assignments.order_by("position")[:2]:
        assert answer(client, campaign.slug, one.pk, 0).keys() == {"uuid", "outcome", "state", "at"}
    for name in ("label_history", "labelling_screen", "api_next"):
        page = client.get(reverse(name, args=["teas", campaign.slug])).content.decode()
        assert "known" not in page.replace("no abstract is known", "").lower() or "known answer" not in page
        assert "It is on tea." not in page
