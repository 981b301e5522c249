"""The pages: what each role gets, what they say, what they ask of the database, and that forms do what they promise."""

import csv
import io
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent, JobState
from adjudication.models import AgreementRun, Method, Verdict, VoteRun
from annotation.models import AssignmentState, Campaign, CampaignState, Judgment, Submission
from tests.adjudication.test_agreement import agree, noisy_labels
from tests.adjudication.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db

PAGES = ("agreement_detail", "disagreement_list", "adjudication_screen", "acceptance", "export_list")
LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None]]


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS)
    vote(found)
    return found


def client_of(built: Built, name: str) -> Client:
    client = Client()
    client.force_login(built.people[name])
    return client


def address(name: str, *more: object) -> str:
    where = ["tea"] if name in ("export_list", "collection_dashboard", "export_download") else ["tea", "main"]
    return reverse(name, args=[*where, *more])


@pytest.mark.parametrize("name", PAGES)
def test_annotators_are_refused_everywhere(built: Built, name: str) -> None:
    for person in ("ana", "annotator"):
        assert client_of(built, person).get(address(name)).status_code == 403


def test_annotators_cannot_write_or_download(built: Built) -> None:
    client, pk = client_of(built, "ana"), Verdict.objects.get(item=built.items[2]).pk
    run = agree(built)
    for name in ("agreement_create", "vote_create", "acceptance", "acceptance_undo"):
        assert client.post(address(name)).status_code == 403, name
    for name in ("verdict_decide", "verdict_withdraw", "verdict_send_back", "verdict_recall"):
        assert client.post(address(name, pk), {"value": 1}).status_code == 403, name
    for name in ("agreement_run", "agreement_download"):
        assert client.get(address(name, run.pk)).status_code == 403, name
    for kind in ("qrels", "judgments", "verdicts", "documents"):
        assert client.get(address("export_download", kind)).status_code == 403, kind


@pytest.mark.parametrize("name", [*PAGES, "collection_dashboard"])
def test_outsiders_learn_nothing(built: Built, name: str) -> None:
    stranger = build_campaign([], slug="other", people=("zoe",)).people["zoe"]
    client = Client()
    client.force_login(stranger)
    assert client.get(address(name)).status_code == 404


def test_annotators_see_their_own_work_and_nothing_else_on_the_overview(built: Built) -> None:
    agree(built)
    page = client_of(built, "ana").get(address("collection_dashboard")).content.decode()
    assert "My work" in page
    for word in ("agreement/", "adjudication/", "exports/", "unanimous", "κ", "Verdict", "majority", "runs"):
        assert word not in page, word


def test_overview_for_those_who_oversee(built: Built) -> None:
    agree(built)
    page = client_of(built, "viewer").get(address("collection_dashboard")).content.decode()
    assert "1 unanimous</a>" in page
    assert "1 by majority</a>" in page
    assert "2 items whose votes are tied or too few" in page
    assert "Krippendorff" in page
    assert "Adjudicate" not in page


def test_overview_marks_what_is_stale(built: Built) -> None:
    agree(built)
    built.label(built.items[3], "cai", 2)
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert page.count("before 1 newer judgment") == 3  # figures and votes on the card, figures below


def test_overview_of_an_empty_collection_says_what_to_do() -> None:
    built = build_campaign([])
    built.campaign.annotators.all().delete()
    page = client_of(built, "manager").get(address("collection_dashboard")).content.decode()
    assert "Bring the documents in" in page


def test_agreement_page_without_figures_says_so() -> None:
    built = build_campaign(LABELS)
    assert (
        "Nothing has been computed yet" in client_of(built, "viewer").get(address("agreement_detail")).content.decode()
    )


def test_agreement_page_shows_figures_reasons_and_links() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=12, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    run = agree(built, margin=0.1)
    page = client_of(built, "viewer").get(address("agreement_detail"), {"statistic": "spearman"}).content.decode()
    ana, ben = built.annotators["ana"].pk, built.annotators["ben"].pk
    assert f"pair={ana},{ben}&amp;cell=0,1" in page
    assert f"pair={ana},{ben}&amp;all=1" in page
    assert "People with people" in page
    assert f"seed {run.seed}" in page
    assert "NaN" not in page
    assert "Compute again" not in page  # viewers only look
    assert "of each topic over all people," in page
    everybody = {"statistic": "spearman", "among": "two"}
    page = client_of(built, "viewer").get(address("agreement_detail"), everybody).content.decode()
    assert "of each topic over all annotators, machines included," in page
    assert '<input type="hidden" name="among" value="two">' in page  # kept by the other choices


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
    fragment = client.get(address("agreement_run", run.pk))
    assert "In the queue" in fragment.content.decode()
    client.post(address("agreement_cancel", run.pk))
    run.refresh_from_db()
    assert run.state == JobState.CANCELLED


def test_bad_options_are_told(built: Built) -> None:
    page = client_of(built, "manager").post(address("agreement_create"), {"resamples": "5"}, follow=True)
    assert "Resamples: Ensure this value is greater than or equal to 1000" in page.content.decode()
    assert not AgreementRun.objects.exists()


def test_figures_download_as_json(built: Built) -> None:
    run = agree(built)
    answer = client_of(built, "viewer").get(address("agreement_download", run.pk))
    assert answer.json()["seed"] == run.seed
    assert "attachment" in answer["Content-Disposition"]


def test_agreement_page_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign(noisy_labels(80, 3), topics=20)
    vote(built)
    agree(built)
    client = client_of(built, "manager")
    with django_assert_max_num_queries(20):
        client.get(address("agreement_detail"))


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
    assert "ana or cai gave 0" in level
    nothing = client.get(address("disagreement_list"), {"topic": 999999}).content.decode()
    assert "Nothing matches" in nothing


def test_disagreements_hide_items_the_reader_still_has_to_judge(built: Built) -> None:
    built.collection.memberships.filter(user=built.people["cai"]).update(role="adjudicator")
    built.annotators["cai"].assignments.create(item=built.items[3], state=AssignmentState.PENDING, slot=3)
    assert client_of(built, "cai").get(address("disagreement_list")).status_code == 403
    Campaign.objects.filter(pk=built.campaign.pk).update(state=CampaignState.CLOSED)  # it may be opened again
    page = client_of(built, "cai").get(address("disagreement_list")).content.decode()
    assert page.count("its labels are kept from you") == 1


def test_disagreements_ask_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 60)
    vote(built)
    client = client_of(built, "viewer")
    with django_assert_max_num_queries(24):
        client.get(address("disagreement_list"))


def test_screen_without_votes_offers_to_count_them() -> None:
    built = build_campaign(LABELS)
    client = client_of(built, "adjudicator")
    assert "No votes have been counted yet" in client.get(address("adjudication_screen")).content.decode()
    client.post(address("vote_create"), {"ties": "median"})
    assert VoteRun.objects.get().ties == "median"


def test_screen_shows_letters_not_names(built: Built) -> None:
    page = client_of(built, "adjudicator").get(address("adjudication_screen")).content.decode()
    assert ">A</span>" in page
    for name in ("ana", "ben", "cai", "Ana", "Ben"):
        assert f">{name}<" not in page
    assert "guideline 1" in page


def test_screen_preselects_the_majority_and_nothing_for_a_tie(built: Built) -> None:
    client = client_of(built, "adjudicator")
    tie = Verdict.objects.get(item=built.items[2])
    assert (
        " checked"
        not in client.get(address("adjudication_screen"), {"verdict": tie.pk})
        .content.decode()
        .split("decision-causes")[0]
        .split("decision-values")[1]
    )
    majority = Verdict.objects.get(item=built.items[1])
    page = client.get(address("adjudication_screen"), {"verdict": majority.pk}).content.decode()
    assert 'value="1" checked' in page


def test_deciding_goes_on_to_the_next_item(built: Built) -> None:
    client = client_of(built, "adjudicator")
    first, second = Verdict.objects.filter(method=Method.UNRESOLVED).order_by("agreement", "pk")
    answer = client.post(
        address("verdict_decide", first.pk), {"value": "2", "cause": "edge", "seen": "", "filter": "open"}
    )
    assert answer.status_code == 302
    assert f"verdict={second.pk}" in answer["Location"]
    first.refresh_from_db()
    assert (first.value, first.method, first.cause) == (2, Method.BY_HAND, "edge")
    page = client.get(answer["Location"]).content.decode()
    assert "Undo" in page
    client.post(address("verdict_withdraw", first.pk), {"filter": "open"})
    first.refresh_from_db()
    assert first.method == Method.UNRESOLVED


def test_a_refused_decision_keeps_what_was_entered(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[3])
    answer = client_of(built, "adjudicator").post(
        address("verdict_decide", verdict.pk), {"value": "1", "cause": "guideline", "comment": " ", "seen": ""}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Nobody voted for this value" in page
    assert 'value="guideline" checked' in page
    assert 'value="1" checked' in page


def test_deciding_again_needs_what_was_seen(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[2])
    client = client_of(built, "adjudicator")
    client.post(address("verdict_decide", verdict.pk), {"value": "2", "seen": ""})
    assert client.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": ""}).status_code == 422
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    seen = page.split('name="seen"')[1].split('value="')[1].split('"')[0]
    assert client.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": seen}).status_code == 302
    verdict.refresh_from_db()
    assert verdict.value == 1


def test_own_items_show_no_votes_and_a_manager_may_override(built: Built) -> None:
    built.collection.memberships.filter(user=built.people["ana"]).update(role="adjudicator")
    verdict = Verdict.objects.get(item=built.items[2])
    page = client_of(built, "ana").get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert "You judged this item yourself" in page
    assert "ballot" not in page
    assert "Show the votes all the same" not in page
    built.collection.memberships.filter(user=built.people["ana"]).update(role="manager")
    client = client_of(built, "ana")
    assert (
        "Show the votes all the same"
        in client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    )
    shown = client.post(address("verdict_decide", verdict.pk), {"override": "1"}).content.decode()
    assert "ballot-letter" in shown
    event = AuditEvent.objects.get(verb="open_own_item")
    assert (event.actor, event.scope, event.data["item"]) == ("ana@example.org", "tea", verdict.item_id)
    client.post(address("verdict_decide", verdict.pk), {"override": "1", "value": "2", "seen": ""})
    assert AuditEvent.objects.get(verb="decide_verdict").data["override"] is True


def test_sending_back_from_the_screen(built: Built) -> None:
    verdict = Verdict.objects.get(item=built.items[3])
    page = client_of(built, "adjudicator").post(address("verdict_send_back", verdict.pk), follow=True)
    assert "Sent back to one more annotator" in page.content.decode()
    assert built.items[3].assignments.filter(state=AssignmentState.PENDING, slot=3).count() == 1
    client = client_of(built, "adjudicator")
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert "Send back for one more judge" not in page
    assert "Ask nobody after all" in page
    page = client.post(address("verdict_recall", verdict.pk), follow=True).content.decode()
    assert "nobody else is asked" in page
    assert "Send back for one more judge" in page
    assert "Nobody is asked" in client.post(address("verdict_recall", verdict.pk), follow=True).content.decode()


def test_accepting_in_bulk_with_preview_and_undo(built: Built) -> None:
    client = client_of(built, "adjudicator")
    preview = client.get(address("acceptance"), {"which": "both"}).content.decode()
    assert "Accept 2" in preview
    assert not Verdict.objects.filter(decided_at__isnull=False).exists()
    done = client.post(address("acceptance"), {"methods": ["unanimous", "majority"], "expected": "2"}, follow=True)
    assert "Accepted 2 votes" in done.content.decode()
    accepted_at = done.content.decode().split('name="accepted_at" value="')[1].split('"')[0]
    undone = client.post(address("acceptance_undo"), {"accepted_at": accepted_at}, follow=True)
    assert "2 votes are no longer accepted" in undone.content.decode()
    assert client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "9"}).status_code == 422


def test_acceptance_says_what_newer_answers_leave_out(built: Built) -> None:
    built.label(built.items[3], "cai", 2)  # a tie: nothing that could be accepted
    Judgment.objects.filter(assignment__item=built.items[0], assignment__annotator__name="ana").update(value=2)
    submission = Submission.objects.filter(assignment__item=built.items[0], assignment__annotator__name="ana").get()
    Submission.objects.create(
        uuid=uuid4(), assignment=submission.assignment, kind="answer", answers={}, received_at=AT + timedelta(days=1)
    )
    client = client_of(built, "adjudicator")
    page = client.get(address("acceptance"), {"which": "both"}).content.decode()
    assert "Accept 1<" in page
    assert "1 vote is left out" in " ".join(page.split())
    page = client.get(address("acceptance"), {"which": "unanimous"}).content.decode()
    assert "What is left has newer answers" in page
    assert client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "1"}).status_code == 422


def test_the_screen_tells_what_reopened_an_acceptance(built: Built) -> None:
    client = client_of(built, "adjudicator")
    client.post(address("acceptance"), {"methods": ["unanimous"], "expected": "1"})
    verdict = Verdict.objects.get(item=built.items[0])
    item = built.items[0]
    judgment = Judgment.objects.get(assignment__item=item, assignment__annotator__name="ana")
    Judgment.objects.filter(pk=judgment.pk).update(value=2)
    Submission.objects.create(
        uuid=uuid4(), assignment=judgment.assignment, kind="answer", answers={}, received_at=AT + timedelta(days=1)
    )
    page = client.get(address("adjudication_screen"), {"filter": "reopened"}).content.decode()
    assert "Reopened by newer votes" in page
    assert " · reopened" in page
    vote(built)
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    assert "Adjudicator had accepted <strong>0</strong> (unanimous, 3 votes)." in page


def test_deciding_on_votes_that_changed_shows_the_new_ones(built: Built) -> None:
    client, verdict = client_of(built, "adjudicator"), Verdict.objects.get(item=built.items[3])
    page = client.get(address("adjudication_screen"), {"verdict": verdict.pk}).content.decode()
    basis = page.split('name="basis" value="')[1].split('"')[0]
    built.label(built.items[3], "cai", 1)
    told = {"value": "2", "seen": "", "basis": basis, "comment": "Clear."}
    answer = client.post(address("verdict_decide", verdict.pk), told)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "The votes changed while you were looking" in page
    assert "Clear." in page
    told["basis"] = page.split('name="basis" value="')[1].split('"')[0]
    assert client.post(address("verdict_decide", verdict.pk), told).status_code == 302


def test_taking_back_what_somebody_else_decided_since_is_refused(built: Built) -> None:
    mine, theirs = client_of(built, "adjudicator"), client_of(built, "manager")
    verdict = Verdict.objects.get(item=built.items[2])
    mine.post(address("verdict_decide", verdict.pk), {"value": "1", "seen": ""})
    verdict.refresh_from_db()
    seen = verdict.decided_at.isoformat() if verdict.decided_at else ""
    theirs.post(address("verdict_decide", verdict.pk), {"value": "2", "seen": seen})
    page = mine.post(address("verdict_withdraw", verdict.pk), {"seen": seen}, follow=True).content.decode()
    assert "Another decision was taken since" in page
    verdict.refresh_from_db()
    assert verdict.value == 2
    for nonsense in ("2024-13-45T99:00", "yesterday", "\x00"):
        assert mine.post(address("acceptance_undo"), {"accepted_at": nonsense}).status_code == 302
        told = {"value": "1", "seen": nonsense}
        assert mine.post(address("verdict_decide", verdict.pk), told).status_code == 422


def test_screen_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 60)
    vote(built)
    client = client_of(built, "adjudicator")
    with django_assert_max_num_queries(28):
        client.get(address("adjudication_screen"))


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


def test_overview_asks_a_bounded_number_of_questions(django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    built = build_campaign([[0, 1, 2]] * 40)
    vote(built)
    agree(built)
    client = client_of(built, "manager")
    with django_assert_max_num_queries(45):
        client.get(address("collection_dashboard"))


def test_table_for_a_paper() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=12, machines=[("m_1", "m", 1), ("m_2", "m", 2)])
    vote(built)
    client = client_of(built, "viewer")
    assert "There is nothing to print yet" in client.get(address("agreement_report")).content.decode()
    run = agree(built)
    answer = client.get(address("agreement_report"))
    report, latex = answer.context["report"], answer.context["latex"]
    value = run.results.get(scope="block", block="HH", statistic="accuracy").value
    assert f"| Agreement | {100 * value:.2f} (" in answer.context["markdown"]
    assert rf"Agreement & {100 * value:.2f} (" in latex
    assert rf"seed {run.seed}" in latex
    assert r"95 \% intervals by delete-one jackknife with Student’s t over 12 topics" in latex
    assert r"$\alpha$, ordinal" in latex
    assert "Holm-adjusted p" in report.caption
    assert "over the 3 tests of this criterion" in report.caption
    assert "no margin was set" in report.caption
    assert "Verdict: majority of people, at least 2 votes" in report.caption
    page = answer.content.decode()
    assert "Dawid and Skene" in page
    cells = re.findall(r"<td\b[^>]*>(.*?)</td>", page.split("<tbody>")[1].split("</tbody>")[0], re.DOTALL)
    assert len(cells) == 6 * len(report.columns)
    assert all("figure=" in cell or "–" in cell for cell in cells)  # each number opens its items
    assert "median of all votes" in page


def test_a_table_says_what_is_undefined_and_survives_any_name() -> None:
    odd = "m|{x}^~\\"
    built = build_campaign([[1, 1, 1]] * 12, people=("ana", "ben"), machines=[("m1", odd, 1)])
    agree(built)
    report = client_of(built, "viewer").get(address("agreement_report")).context
    assert "undefined (one class only)" in report["latex"]
    assert r"(m|\{x\}\textasciicircum{}\textasciitilde{}\textbackslash{})" in report["latex"]
    lines = report["markdown"].splitlines()
    assert r"(m\|{x}^~" in lines[0]
    assert all(line.count("|") - line.count(r"\|") == 4 for line in lines if line.startswith("|"))


def test_a_table_says_what_was_left_out_and_what_else_a_reader_must_know() -> None:
    labels: list[list[int | None]] = [list(row) for row in noisy_labels(160, 4)]
    for row in labels[6:]:
        row[2] = None  # cai judged six items: too few for a mean
    for row in labels[6:36]:
        row[1] = None  # thirty items lack a second human label
    built = build_campaign(labels, topics=160, machines=[("=m 1", "m", 1)])
    vote(built)
    run = agree(built, interval="percentile")
    run.results.filter(block="GH", statistic="accuracy").update(p=0.0002)
    answer = client_of(built, "viewer").get(address("agreement_report"))
    report = answer.context["report"]
    decided = Verdict.objects.filter(value__isnull=False).count()
    assert [(column.name, column.n_items) for column in report.columns] == [
        ("People with people", "130"),
        ("Machine with people (m)", "160"),
        ("Machine with the verdict (m)", str(decided)),
        ("People with the vote of the others", "130"),
    ]
    letters = {note: letter for letter, note in report.notes}
    missing = next(note for note in letters if "ana and cai (fewer than 10 items)" in note)
    cells = dict(report.rows)["Agreement"]
    assert letters[missing] in cells[0].marks
    assert letters[missing] not in cells[2].marks
    assert letters["whoever voted is compared with the vote of the others"] in cells[3].marks
    assert cells[1].test == "p < 0.001"
    markdown, latex = answer.context["markdown"], answer.context["latex"]
    assert "p < 0.001 [" in markdown
    assert "$p < 0.001$" in latex
    assert "= <" not in markdown + latex
    assert f"| Items | 130 | 160 | {decided} | 130 |" in markdown
    assert r"Pairs & 1--3 & 2 & 1 & 2 \\" in latex
    assert f"[{letters[missing]}] {missing}." in markdown
    assert "30 unfit" in report.caption
    assert "percentile bootstrap over items; 1,000 resamples, seed" in report.caption
    assert "jackknife" not in report.caption  # some pairs have it, none of these rows
    text = client_of(built, "viewer").get(address("agreement_table", "csv")).content.decode()
    lines = list(csv.DictReader(io.StringIO(text)))
    stored = run.results.get(scope="block", block="HH", statistic="macro_f1")
    line = next(one for one in lines if (one["block"], one["statistic"]) == ("HH", "macro_f1"))
    assert (float(line["value"]), float(line["low"]), line["method"]) == (stored.value, stored.ci["low"], "percentile")
    assert line["excluded_pairs"] == "ana and cai; ben and cai"
    assert next(one for one in lines if one["block"] == "GA")["annotators"] == "'=m 1; adjudicated"
    tests = [one for one in lines if one["block"] == "HH-GH"]
    assert {one["n_excluded"] for one in tests} == {"30"}
    assert {one["statistic"] for one in tests if one["p_holm"]} == {"macro_f1", "accuracy", "spearman"}
    for form, kind in (("md", "text/markdown"), ("tex", "application/x-tex")):
        file = client_of(built, "viewer").get(address("agreement_table", form))
        assert file["Content-Type"] == f"{kind}; charset=utf-8"
        assert file.content.decode() == {"md": markdown, "tex": latex}[form]
    assert client_of(built, "viewer").get(address("agreement_table", "pdf")).status_code == 404


def test_a_table_tells_small_samples_and_resamples_without_a_value() -> None:
    labels = [[0, 0]] * 112 + [[1, 0]] * 4 + [[0, 1]] * 4 + [[1, 1]]
    built = build_campaign(labels, people=("ana", "ben"), topics=121)
    run = agree(built, interval="percentile", resamples=20_000)
    report = client_of(built, "viewer").get(address("agreement_report")).context["report"]
    lost = run.results.get(scope="mean", statistic="spearman").ci["n_undefined"]
    assert lost > 0
    letter = next(letter for letter, note in report.notes if note.startswith(f"{lost:,} of 20,000 resamples"))
    assert letter in dict(report.rows)["Spearman’s ρ"][0].marks
    assert letter not in dict(report.rows)["Agreement"][0].marks
    small = build_campaign(noisy_labels(30, 2), people=("ana", "ben"), topics=30, slug="few")
    agree(small)
    page = client_of(small, "viewer").get(reverse("agreement_report", args=["few", "main"]))
    assert ("", "small sample, so the interval is that of the jackknife") in page.context["report"].notes
    agree(small, interval="bca")
    page = client_of(small, "viewer").get(reverse("agreement_report", args=["few", "main"]))
    assert ("", "small sample: read the jackknife interval") in page.context["report"].notes


def test_policies_are_compared_with_the_values_in_use() -> None:
    built = build_campaign(LABELS)
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


def test_figures_are_drawn_once_and_alike() -> None:
    built = build_campaign(noisy_labels(60, 3), topics=60)
    first, again = agree(built, figures=True), agree(built, figures=True)
    names = set(first.figures.values_list("name", "format"))
    paired = ("accuracy", "cohen_kappa", "cohen_kappa_quadratic")
    drawn = [f"{kind}_{name}" for kind in ("forest", "matrix") for name in paired] + ["confusion_1"]
    assert names == {(name, kind) for name in drawn for kind in ("svg", "pdf")}
    for figure in first.figures.all():
        assert bytes(figure.content) == bytes(again.figures.get(name=figure.name, format=figure.format).content)
    client = client_of(built, "viewer")
    page = client.get(address("agreement_report")).content.decode()
    svg, pdf = (again.figures.get(name="forest_cohen_kappa", format=kind) for kind in ("svg", "pdf"))
    assert address("agreement_figure", svg.pk) in page
    answer = client.get(address("agreement_figure", svg.pk))
    assert answer["Content-Type"] == "image/svg+xml"
    assert b"ana \xc3\x97 ben" in answer.content
    assert client.get(address("agreement_figure", pdf.pk)).content.startswith(b"%PDF")
    assert client_of(built, "ana").get(address("agreement_figure", svg.pk)).status_code == 403
