"""Leaderboards: scored by the gold of the day it opened, read by everybody, blind to topics and judgments."""

import io
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.evaluation.reads.evaluation import evaluate
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.leaderboards import actions
from adjudication.leaderboards.actions import close_leaderboard, open_leaderboard, upload_run, withdraw_entry
from adjudication.models import ImportedQrels, ImportedQrelsTopic, Leaderboard, LeaderboardEntry
from adjudication.splits.actions import make_split
from adjudication.splits.reads import members_of
from annotation.models import Assignment, AssignmentState, CampaignState
from corpus.collections.actions.collections import archive_collection, rename_collection, request_removal
from corpus.collections.actions.persons import data_of
from corpus.models import Ranking, RetrievalRun
from tests.factories.accounts import MembershipFactory, UserFactory
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db

MEASURES = ["R@1", "RR@10"]
TEST = "split:dev-test=test"
API = "/api/collections/tea/leaderboard/"


def make_built() -> Built:
    """20 topics; of topic n the qrels know that secret-n answers it. Twelve topics are for the test."""
    made = build_campaign([[1, 1, 1]] * 20, topics=20)
    qrels = ImportedQrels.objects.create(collection=made.collection, name="own", created_at=AT)
    for n in range(1, 21):
        ImportedQrelsTopic.objects.create(qrels=qrels, number=str(n), docnos=[f"secret-{n}", "no"], grades=[1, 0])
    parts = {"dev": 40, "test": 60}
    make_split(by=None, at=AT, collection=made.collection, name="dev-test", parts=parts)
    return made


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    return make_built()


@pytest.fixture
def built(db: None, shared_built: Built) -> Built:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_built)


def test_numbers(built: Built) -> list[int]:
    members = members_of(built.collection.splits.get(name="dev-test"))
    return sorted(int(number) for number, part in members.items() if part == "test")


test_numbers.__test__ = False  # type: ignore[attr-defined]


def opened(built: Built, **more: Any) -> Leaderboard:
    given = {"gold": "qrels:own", "topics": TEST, "measures": MEASURES, "uploads": 2, "by": built.people["manager"]}
    return open_leaderboard(collection=built.collection, at=AT, **{**given, **more})


def run_text(found: set[int]) -> str:
    """A run that has the answer first for these topics, and second for the others."""
    rows = []
    for n in range(1, 21):
        first, second = (f"secret-{n}", "no") if n in found else ("no", f"secret-{n}")
        rows += [f"{n} Q0 {first} 1 2.0 sys", f"{n} Q0 {second} 2 1.0 sys"]
    return "\n".join(rows) + "\n"


def upload(board: Leaderboard, built: Built, text: str, name: str = "ours", who: str = "ana") -> LeaderboardEntry:
    stream = io.BytesIO(text.encode())
    by = built.people[who]
    return upload_run(board=board, name=name, file="run.txt", stream=stream, by=by, at=timezone.now())


def test_the_means_are_those_of_the_test_topics(built: Built) -> None:
    board, numbers = opened(built), test_numbers(built)
    assert (board.n_topics, board.topics_label) == (12, "part test of dev-test")
    found = upload(board, built, run_text(set(numbers[:3]) | ({*range(1, 21)} - set(numbers))))
    assert found.figures["R@1"]["value"] == 0.25
    assert found.figures["RR@10"]["value"] == round((3 + 9 / 2) / 12, 3)
    assert found.ranked == 12
    run = RetrievalRun.objects.create(collection=built.collection, name="same", created_at=AT)
    for topic in built.collection.topics.all():
        docnos = [f"secret-{topic.number}", "no"] if int(topic.number) in numbers[:3] else ["no"]
        Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=[2.0, 1.0][: len(docnos)])
    spec = EvaluationSpec("qrels:own", ("same",), ("R@1",), by=("split:dev-test",), resamples=1000)
    subset = next(each for each in evaluate(built.collection, spec).subsets if each.by == {"split:dev-test": "test"})
    assert subset.means["same"]["R@1"].value == found.figures["R@1"]["value"]


def test_what_is_judged_later_changes_nothing(built: Built) -> None:
    board = opened(built)
    ImportedQrelsTopic.objects.update(docnos=["no", "other"], grades=[1, 0])
    assert upload(board, built, run_text(set(range(1, 21)))).figures["R@1"]["value"] == 1
    close_leaderboard(board=board, by=None, at=AT)
    fresh = opened(built)
    assert upload(fresh, built, run_text(set(range(1, 21)))).figures["R@1"]["value"] == 0


@pytest.mark.slow
def test_nothing_that_is_shown_names_a_topic_a_document_or_a_judgment(built: Built, client: Client) -> None:
    """Pages and answers of everybody, of a member and of the manager hold means alone; the file is not kept."""
    board = opened(built)
    entry = upload(board, built, run_text(set(test_numbers(built)[:3])))
    assert entry.figures.keys() == set(MEASURES)
    assert all(each.keys() == {"value", "low", "high"} for each in entry.figures.values())
    addresses = ["/leaderboards/tea/", "/api/leaderboards/tea/"]
    shown = [client.get(address) for address in addresses]
    for who in ("ana", "manager"):
        client.force_login(built.people[who])
        shown += [client.get(address) for address in (*addresses, reverse("leaderboard_detail", args=["tea"]), API)]
    for page in shown:
        assert page.status_code == 200
        assert "0.25" in page.text
        assert "secret" not in page.text
        assert '"gold": {' not in page.text
        assert not any(f">{number}<" in page.text for number in test_numbers(built) if number > 12)
    stored = {field.name for field in LeaderboardEntry._meta.get_fields()}
    assert not stored & {"file", "content", "rankings", "scores", "topics"}


def test_the_public_page_does_not_name_an_annotator(built: Built, client: Client) -> None:
    opened(built, gold="annotator:ana", measures=["nDCG@10"])
    assert "Labels of an annotator" in client.get("/leaderboards/tea/").text
    assert "ana" not in client.get("/api/leaderboards/tea/").json()["gold"].split()


def test_a_value_is_rounded_so_that_digits_carry_nothing_more(built: Built) -> None:
    found = upload(opened(built), built, run_text(set(test_numbers(built)[:1])))
    assert found.figures["R@1"]["value"] == 0.083


@pytest.mark.slow
def test_uploads_are_limited_a_person_and_day(built: Built) -> None:
    board = opened(built)
    with pytest.raises(Refused, match=r"run.txt, line 1: has 2 fields"):
        upload(board, built, "not a\n")
    with pytest.raises(Refused, match="ranks no topic of this collection"):
        upload(board, built, "elsewhere Q0 d 1 1.0 x\n")
    first = upload(board, built, run_text({1}), "one")
    with pytest.raises(Conflict, match="this very file"):
        upload(board, built, run_text({1}), "again")
    with pytest.raises(Conflict, match="a run named one"):
        upload(board, built, run_text({2}), "one")
    withdraw_entry(entry=first, by=built.people["ana"], at=AT)
    upload(board, built, run_text({2}), "two")
    with pytest.raises(Refused, match="2 runs scored today"):
        upload(board, built, run_text({3}), "three")
    upload(board, built, run_text({3}), "three", who="ben")
    LeaderboardEntry.objects.filter(submitted_by=built.people["ana"]).update(submitted_at=AT)
    assert upload(board, built, run_text({4}), "four").name == "four"


def test_asking_which_topics_are_for_the_test_costs_uploads(built: Built, client: Client) -> None:
    """A run of one topic is scored and counted, whether the topic is for the test or not, and in the same words."""
    board, numbers = opened(built), test_numbers(built)
    other = next(n for n in range(1, 21) if n not in numbers)
    client.force_login(built.people["ana"])
    for n in (other, numbers[0]):
        file = io.BytesIO(f"{n} Q0 no 1 1.0 x\n".encode())
        answer = client.post(reverse("leaderboard_upload", args=["tea"]), {"name": "x", "file": file}, follow=True)
        entry = LeaderboardEntry.objects.latest("pk")
        assert (entry.figures["R@1"]["value"], entry.ranked) == (0, int(n in numbers))
        assert "Lacks test topics" in answer.text
        entries = client.get("/api/leaderboards/tea/").json()["runs"]
        assert [(each["ranks_all"], "ranked" in each) for each in entries] == [(False, False)]
        withdraw_entry(entry=entry, by=built.people["ana"], at=AT)
    assert "x is scored." in answer.text
    with pytest.raises(Refused, match="2 runs scored today"):
        upload(board, built, run_text({1}), "third")


@pytest.mark.slow
def test_an_archived_collection_takes_no_runs_and_its_deletion_takes_the_board(built: Built, client: Client) -> None:
    board = opened(built)
    upload(board, built, run_text({1}))
    built.campaign.state = CampaignState.CLOSED
    built.campaign.save()
    archive_collection(collection=built.collection, by=None, at=AT)
    with pytest.raises(Conflict, match="archived"):
        upload(board, built, run_text({2}), name="late")
    assert "ours" in client.get("/leaderboards/tea/").text
    jobs.carry_out(request_removal(collection=built.collection, typed="tea", by=None, at=AT, send=False))
    assert not Leaderboard.objects.exists()
    assert client.get("/leaderboards/tea/").status_code == 404


def test_readers_find_the_board_of_a_renamed_collection(built: Built, client: Client) -> None:
    opened(built)
    rename_collection(collection=built.collection, slug="coffee", by=None, at=AT)
    for slug in ("tea", "coffee"):
        assert client.get(f"/leaderboards/{slug}/").status_code == 200
        assert client.get(f"/api/leaderboards/{slug}/").json()["collection"] == "coffee"
    assert client.get("/leaderboards/milk/").status_code == 404


@pytest.mark.slow
def test_the_name_of_an_erased_person_leaves_the_board(built: Built, client: Client) -> None:
    ana = built.people["ana"]
    stream, words = io.BytesIO(run_text({1}).encode()), {"team": "Anastasia", "about": f"{ana.name} tuned it"}
    upload_run(board=opened(built), name="ours", file="run.txt", stream=stream, by=ana, at=timezone.now(), **words)
    (exported,) = data_of(ana)["leaderboard_runs"]
    assert (exported["collection"], exported["name"], exported["team"]) == ("tea", "ours", "Anastasia")
    call_command("erase_person", ana.email, "--labels", "keep", "--confirm", ana.email)
    shown = client.get("/api/leaderboards/tea/").json()["runs"][0]
    assert (shown["team"], shown["about"]) == (f"Person {ana.pk}", f"Person {ana.pk} tuned it")


def test_who_still_has_to_judge_gets_no_scores(built: Built, client: Client) -> None:
    board = opened(built)
    Assignment.objects.filter(annotator=built.annotators["ana"]).update(state=AssignmentState.PENDING)
    with pytest.raises(NotAllowed, match="still have items to judge"):
        upload(board, built, run_text({1}))
    client.force_login(built.people["ana"])
    page = client.get(reverse("leaderboard_detail", args=["tea"]))
    assert "still have items to judge" in page.text
    assert "Upload and score" not in page.text


def test_strangers_upload_nothing_and_the_closed_board_is_gone(built: Built, client: Client) -> None:
    board = opened(built)
    with pytest.raises(NotAllowed):
        upload_run(board=board, name="x", file="x", stream=io.BytesIO(b""), by=UserFactory(), at=AT)
    upload(board, built, run_text({1}))
    with pytest.raises(Conflict, match="open already"):
        opened(built)
    client.force_login(built.people["manager"])
    client.post(reverse("leaderboard_close", args=["tea"]))
    assert client.get("/leaderboards/tea/").status_code == client.get("/api/leaderboards/tea/").status_code == 404
    assert "Closed since" in client.get(reverse("leaderboard_detail", args=["tea"])).text
    with pytest.raises(Refused, match="closed"):
        upload(board, built, run_text({2}), "two")
    client.post(reverse("leaderboard_close", args=["tea"]), {"reopen": "1"})
    assert "ours" in client.get("/leaderboards/tea/").text


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"topics": "split:dev-test=train"}, "no test topics"),
        ({"topics": "split:small=few"}, "at least 10"),
        ({"gold": "nothing"}, "Unknown gold"),
        ({"measures": ["colour"]}, "colour"),
        ({"uploads": 0}, "Between 1 and 20"),
    ],
)
def test_what_cannot_be_opened(built: Built, more: dict[str, Any], reason: str) -> None:
    make_split(by=None, at=AT, collection=built.collection, name="small", parts={"few": 10, "rest": 90})
    with pytest.raises(Refused, match=reason):
        opened(built, **more)


def test_only_managers_open_and_withdraw_what_is_not_theirs(built: Built) -> None:
    with pytest.raises(NotAllowed):
        opened(built, by=built.people["ana"])
    entry = upload(opened(built), built, run_text({1}))
    with pytest.raises(NotAllowed):
        withdraw_entry(entry=entry, by=built.people["ben"], at=AT)
    withdraw_entry(entry=entry, by=built.people["manager"], at=AT)


def test_a_file_that_is_too_large_is_not_read(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "MOST_BYTES", 100)
    with pytest.raises(Refused, match="larger than"):
        upload(opened(built), built, run_text({1}))


@pytest.mark.slow
def test_page_rest_and_command_alike(
    built: Built, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.txt"
    file.write_text(run_text(set(range(1, 21))))

    def step(*words: str) -> dict[str, Any]:
        call_command("leaderboard", "tea", words[0], "--json", *words[1:])
        return dict(json.loads(capsys.readouterr().out))

    with pytest.raises(CommandError, match="no leaderboard yet"):
        call_command("leaderboard", "tea", "show")
    opening = ("open", "--gold", "qrels:own", "--topics", TEST, "--measure", *MEASURES)
    assert step(*opening, "--dry-run")["dry_run"]
    assert step(*opening)["n_topics"] == 12
    ana = built.people["ana"]
    assert step("upload", str(file), "--by", ana.email, "--name", "perfect")["runs"][0]["figures"]["R@1"]["value"] == 1
    assert step("withdraw", "perfect")["runs"] == []
    step("close")
    manager = MembershipFactory(collection=built.collection, role="manager").user
    client.force_login(manager)
    new = {"gold": "qrels:own", "topics": TEST, "measures": MEASURES, "uploads": 1}
    assert client.post(API, new, content_type="application/json").status_code == 201
    client.force_login(ana)
    sent = {"name": "by REST", "file": SimpleUploadedFile("run.txt", file.read_bytes())}
    found = client.post(f"{API}uploads/", sent)
    assert (found.status_code, found.json()["figures"]["RR@10"]["value"]) == (201, 1)
    late = client.post(reverse("leaderboard_upload", args=["tea"]), {"name": "x", "file": io.BytesIO(b"1 Q0 d 1 1 x")})
    assert late.status_code == 422
    assert "1 run scored today" in late.text
    assert client.delete(f"{API}runs/{found.json()['id']}/").json()["runs"] == []
    client.force_login(manager)
    run = RetrievalRun.objects.create(collection=built.collection, name="baseline", created_at=AT)
    for topic in built.collection.topics.all():
        Ranking.objects.create(run=run, topic=topic, docnos=["no"], scores=[1.0])
    client.post(reverse("leaderboard_run_add", args=["tea"]), {"run": "baseline"})
    added = client.post(f"{API}runs/", {"run": "baseline"}, content_type="application/json")
    assert added.status_code == 409
    assert [each["figures"]["R@1"]["value"] for each in client.get(API).json()["runs"]] == [0]
    assert client.post(f"{API}closing/").json()["closed_at"]
    assert client.post(f"{API}reopening/").json()["closed_at"] is None
