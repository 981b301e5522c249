"""The pages: what they say, what they ask of the database, and that forms do what they promise."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, JobState
from adjudication.models import AgreementRun, Verdict
from annotation.models import AssignmentState, Campaign, CampaignState
from tests.adjudication.agreement.test_agreement import agree, noisy_labels
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

MOST_QUERIES = 16  # of the guide: tests/adjudication/guide
pytestmark = pytest.mark.django_db

LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None]]


def client_of(built: Built, name: str) -> Client:
    client = Client()
    client.force_login(built.people[name])
    return client


def address(name: str, *more: object, slug: str = "tea") -> str:
    where = [slug] if name in ("export_list", "collection_dashboard", "export_download") else [slug, "main"]
    return reverse(name, args=[*where, *more])


def test_annotators_see_their_own_work_and_nothing_else_on_the_overview(built: Built) -> None:
    agree(built)
    page = client_of(built, "ana").get(address("collection_dashboard")).content.decode()
    assert "My work" in page
    for word in ("agreement/", "adjudication/", "exports/", "unanimous", "κ", "Verdict", "majority", "runs"):
        assert word not in page, word


def test_overview_for_those_who_oversee(built: Built) -> None:
    agree(built)
    page = client_of(built, "viewer").get(address("collection_dashboard")).content.decode()
    assert re.search(r"<a href=\"[^\"]*judgments/\?method=unresolved\">2 open</a>", page)
    assert "Krippendorff" not in page


def test_overview_marks_what_is_stale(built: Built) -> None:
    agree(built)
    built.label(built.items[3], "cai", 2)
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert page.count("before 1 newer judgment") == 1


@pytest.mark.usefixtures("_free_address")
def test_overview_of_an_empty_collection_says_what_to_do() -> None:
    built = build_campaign([])
    built.campaign.annotators.all().delete()
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert "Bring in the documents" in page


@pytest.mark.usefixtures("_free_address")
def test_agreement_page_without_figures_says_so() -> None:
    built = build_campaign(LABELS, overlap=2)
    assert (
        "Nothing has been computed yet" in client_of(built, "viewer").get(address("agreement_detail")).content.decode()
    )


@pytest.mark.usefixtures("_free_address")
def test_agreement_page_shows_figures_reasons_and_links() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=12, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    run = agree(built, margin=0.1)
    page = client_of(built, "viewer").get(address("agreement_detail"), {"statistic": "spearman"}).content.decode()
    ana, ben = built.annotators["ana"].pk, built.annotators["ben"].pk
    assert f"pair={ana},{ben}&amp;cell=0,1" in page
    assert f"pair={ana},{ben}&amp;all=1" in page
    assert "People with people" in page
    assert f"seed {run.seed}" not in page  # the jackknife over 12 topics draws nothing
    assert "NaN" not in page
    assert "Compute again" not in page  # viewers only look
    assert "of each topic over all people," in page
    everybody = {"statistic": "spearman", "among": "two"}
    page = client_of(built, "viewer").get(address("agreement_detail"), everybody).content.decode()
    assert "of each topic over all annotators, machines included," in page
    assert '<input type="hidden" name="among" value="two">' in page  # kept by the other choices


@pytest.mark.usefixtures("_free_address")
def test_undefined_figures_say_why() -> None:
    built = build_campaign([[1, 1, None], [1, 1, None], [1, None, 2]])
    agree(built)
    page = client_of(built, "viewer").get(address("agreement_detail")).content.decode()
    assert "only one level was used" in page
    assert "no item was judged by both" in page


def test_stale_figures_are_marked(built: Built) -> None:
    agree(built)
    built.label(built.items[3], "cai", 2)
    page = client_of(built, "viewer").get(address("agreement_detail")).content.decode()
    assert "before 1 newer judgment" in page


def test_asking_for_agreement_makes_one_job(built: Built) -> None:
    client = client_of(built, "adjudicator")
    answer = client.post(address("agreement_create"), {"resamples": "2000", "interval": "bca"})
    assert answer.status_code == 302
    run = AgreementRun.objects.get()
    assert (run.state, run.parameters["resamples"], run.parameters["interval"]) == (JobState.QUEUED, 2000, "bca")
    page = client.post(address("agreement_create"), {}, follow=True).content.decode()
    assert "being computed already" in page
    assert AgreementRun.objects.count() == 1
    waiting = client.get(reverse("job_detail", args=["agreement", run.pk])).text
    assert "In the queue" in waiting
    assert "See the agreement" not in waiting
    assert "Computing the agreement in" in waiting
    client.post(reverse("job_cancel", args=["agreement", run.pk]))
    run.refresh_from_db()
    assert run.state == JobState.CANCELLED


def test_the_main_button_of_a_job_that_is_done_leads_to_its_results(built: Built) -> None:
    page = client_of(built, "manager").get(reverse("job_detail", args=["agreement", agree(built).pk])).text
    assert "<strong>Next:</strong>" in page
    assert re.findall(r'<(?:a|button) class="button primary"[^>]*>([^<]*)<', page) == ["See the agreement"]
    assert "Agreement computed for" in page
    assert "<p>Computed from " in page


def test_bad_options_are_reported(built: Built) -> None:
    page = client_of(built, "manager").post(address("agreement_create"), {"resamples": "5"}, follow=True)
    assert "Resamples: Ensure this value is greater than or equal to 1000" in page.content.decode()
    assert '<details class="roomy" open>' in page.content.decode()  # where the field is marked, with what was typed
    assert page.context["form"]["resamples"].value() == "5"
    votes = client_of(built, "manager").post(address("vote_create"), {"min_votes": "0"}, follow=True)
    assert votes.context["vote_form"]["min_votes"].value() == "0"
    assert 'id="id_min_votes_error"' in votes.content.decode()
    assert not AgreementRun.objects.exists()


def test_figures_download_as_json(built: Built) -> None:
    run = agree(built)
    answer = client_of(built, "viewer").get(address("agreement_download", run.pk))
    assert answer.json()["seed"] == run.seed
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_agreement_page_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign(noisy_labels(80, 3), topics=20)
    vote(built)
    agree(built)
    client = client_of(built, "manager")
    with django_assert_max_num_queries(33):  # session, overrides of tests, own work and the stored counts among them
        client.get(address("agreement_detail"))


@pytest.mark.slow
def test_disagreements_by_topic_pair_and_cell(built: Built) -> None:
    client = client_of(built, "viewer")
    everything = client.get(address("disagreement_list")).content.decode()
    assert "3 items" in everything
    ana, cai = built.annotators["ana"].pk, built.annotators["cai"].pk
    assert "2 items" in client.get(address("disagreement_list"), {"pair": f"{ana},{cai}"}).content.decode()
    cell = client.get(address("disagreement_list"), {"pair": f"{ana},{cai}", "cell": "1,2"}).content.decode()
    assert "1 item" in cell
    assert "On doc00001" in cell
    pair = {"pair": f"{ana},{cai}", "all": "1"}
    assert "3 items" in client.get(address("disagreement_list"), {**pair, "alike": "1"}).content.decode()
    level = client.get(address("disagreement_list"), {**pair, "level": "0"}).content.decode()
    assert "2 items" in level
    assert "<bdi>ana</bdi> or <bdi>cai</bdi> gave 0" in level
    nothing = client.get(address("disagreement_list"), {"topic": 999999}).content.decode()
    assert "Nothing matches" in nothing


def test_disagreements_hide_items_the_reader_still_has_to_judge(built: Built) -> None:
    built.collection.memberships.filter(user=built.people["cai"]).update(role="adjudicator")
    built.annotators["cai"].assignments.create(item=built.items[3], state=AssignmentState.PENDING, slot=3)
    assert client_of(built, "cai").get(address("disagreement_list")).status_code == 403
    Campaign.objects.filter(pk=built.campaign.pk).update(state=CampaignState.CLOSED)  # it may be opened again
    page = client_of(built, "cai").get(address("disagreement_list")).content.decode()
    assert page.count("its labels are kept from you") == 1


@pytest.mark.usefixtures("_free_address")
def test_disagreements_ask_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 60)
    vote(built)
    client = client_of(built, "viewer")
    with django_assert_max_num_queries(24):
        client.get(address("disagreement_list"))


def test_exports_say_what_stands_in_their_way(built: Built) -> None:
    client = client_of(built, "manager")
    page = client.get(address("export_list")).content.decode()
    assert "2 items whose votes are tied or too few" in page
    refused = client.get(address("export_download", "qrels"))
    assert refused.status_code == 422
    assert "tied" in refused.content.decode()
    assert client.get(address("export_download", "nothing")).status_code == 422


def test_download_is_a_stream_and_is_logged(built: Built) -> None:
    answer = client_of(built, "manager").get(address("export_download", "qrels"), {"unresolved": "skip"})
    assert answer.streaming
    assert answer["Content-Disposition"] == 'attachment; filename="tea-main-query-sum.qrels"'
    assert b"".join(answer).decode() == "1 0 doc00000 0\n1 0 doc00001 1\n"
    event = AuditEvent.objects.get(verb="download_export")
    assert (event.data["format"], event.data["unresolved"]) == ("qrels", "skip")


def test_late_answers_are_shown_as_reopened(built: Built) -> None:
    client = client_of(built, "adjudicator")
    verdict = Verdict.objects.get(item=built.items[3])
    client.post(address("verdict_decide", verdict.pk), {"value": "2", "seen": ""})
    Verdict.objects.filter(pk=verdict.pk).update(decided_at=AT + timedelta(days=1))
    built.label(built.items[3], "cai", 0, at=AT + timedelta(days=2))
    vote(built)
    page = client.get(address("adjudication_screen"), {"filter": "reopened"}).content.decode()
    assert "Reopened" in page
    assert "after the decision" in page


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_overview_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 40)
    vote(built)
    agree(built)
    client = client_of(built, "manager")
    with django_assert_max_num_queries(
        51 + MOST_QUERIES
    ):  # for one campaign; session, open verdicts, own work, overrides among them
        client.get(address("collection_dashboard"))


@pytest.mark.usefixtures("_free_address")
def test_policies_are_compared_with_the_values_in_use() -> None:
    built = build_campaign(LABELS, overlap=2)
    run = vote(built)
    found = {one["policy"]: one for one in run.detail["relevance"]["sensitivity"]}
    assert (found["adjudicate"]["changed"], found["adjudicate"]["gained"], found["adjudicate"]["unresolved"]) == (
        0,
        0,
        2,
    )
    assert (found["median"]["gained"], found["median"]["unresolved"]) == (2, 0)
    run = vote(built, ties="highest")
    found = {one["policy"]: one for one in run.detail["relevance"]["sensitivity"]}
    assert (found["lowest"]["changed"], found["adjudicate"]["lost"]) == (2, 2)
