"""The examples that the help of commands shows work as printed: all of them on one demo, in one order."""

import csv
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState, User
from adjudication.models import AgreementRun
from adjudication.verdicts.corrections import machine_labels
from annotation.campaigns.guidelines import write_guideline
from annotation.models import Assignment, AssignmentState, Campaign, Item
from config.demo.people import HERE
from corpus.models import QuestionCall
from litmus_ir.verbs import verbs
from tests.printed import ROOT, Walk, numbers_from_one
from tests.stubs.chat import ChatStub

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.timeout(600)]

ELSEWHERE = {  # by command: where it is run, since it starts or ends servers, opens a browser, or needs a terminal
    "up": "tests/litmus_ir/test_wheel.py",
    "down": "tests/litmus_ir/test_wheel.py",
    "open": "tests/config/test_running.py",
    "status": "tests/config/test_running.py",
    "prepare": "tests/config/test_makefile.py",
    "load_demo": "tests/config/test_demo.py",
    "remove_demo": "tests/config/test_demo.py",
    "backup": "tests/config/test_backups.py",
    "restore": "tests/config/test_backups.py",
    "move_files": "tests/config/test_moving.py",
    "test_endpoint": "tests/operation_examples.py",
    "ping_webhook": "tests/operation_examples.py",
    "redeliver_message": "tests/operation_examples.py",
    "changepassword": "tests/accounts/test_users.py",
}
FILES = {
    "judges.txt": "dana@example.org\neli@example.org\n",
    "papers.bib": "@article{tea1, title = {Tea}, abstract = {Of tea.}, year = 2020}\n",
    "corpus.jsonl": '{"docno": "tea2", "title": "More tea"}\n',
    "queries.jsonl": '{"number": "t1", "text": "Which tea?"}\n',
    "bm25.run": "1 Q0 LD-001 1 2.5 bm25\n",
    "dense.run": "1 Q0 LD-002 1 2.5 dense\n",
    "pool.txt": "1 LD-001\n",
    "earlier.qrels": "1 0 LD-001 1\n",
    "known.csv": "topic,criterion,value,explanation\nq2,quality,1,It is clear.\n",
    "authors.csv": "email,docno,name\nada@example.org,LD-002,Ada\n",
    "stricter.txt": "Judge as a reader would.\n\n{aspect}\n\n{abstract}\n",
    "strict.txt": "Judge strictly.\n\n{aspect}\n\n{abstract}\n",
}
FIRST = "first_code"
LAST = (  # what others need would be gone
    "remove_webhook", "close_campaign", "delete_split", "archive_collection", "backup_collection", "delete_collection",
    "restore_collection", "release", "state_release_address", "verify_release", "export_person", "erase_person",
    "rename_collection",
)  # fmt: skip


def make_files(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    shutil.copy(HERE / "mentions.jsonl", folder)
    shutil.make_archive(str(folder / "papers"), "zip", HERE / "papers", "notebooks.xml")
    left = Assignment.objects.filter(
        item__campaign__slug="main-round", state=AssignmentState.PENDING, annotator__name="Ada"
    )
    item = left.select_related("item__topic", "item__aspect", "item__document")[0].item
    write_judgments(folder / "judgments.csv", [("ada@litmus.example", *place_of(item), 1)])


def place_of(item: Item) -> tuple[str, str, str]:
    assert item.topic is not None
    assert item.document is not None
    return item.topic.number, item.aspect.text if item.aspect else "", item.document.docno


def write_judgments(file: Path, rows: list[tuple[object, ...]]) -> None:
    with file.open("w", newline="") as opened:
        csv.writer(opened).writerows([("annotator", "topic", "aspect", "docno", "value"), *rows])


def judge_final_test(folder: Path) -> None:
    items = Item.objects.filter(campaign__slug="final-test").select_related("topic", "aspect", "document")
    rows = [
        (who, *place_of(item), (item.pk + plus) % 3)
        for item in items
        for who, plus in (("dana", 0), ("eli", item.pk % 2))
    ]
    write_judgments(folder / "final.csv", rows)


def fill_sheet(folder: Path) -> None:
    with (folder / "sheet.csv").open(newline="") as sheet:
        rows = list(csv.DictReader(sheet))
    rows[0]["docno"] = "LD-001"
    with (folder / "sheet.csv").open("w", newline="") as opened:
        writer = csv.DictWriter(opened, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def reach_deadline(_: Path) -> None:
    QuestionCall.objects.update(deadline_at=timezone.now() - timedelta(days=1))


def finish_jobs(_: Path) -> None:
    for run in AgreementRun.objects.filter(state=JobState.QUEUED):
        jobs.carry_out(run)


def change_guideline(_: Path) -> None:
    campaign = Campaign.objects.get(slug="main-round")
    manager = User.objects.get(email="maria@litmus.example")
    write_guideline(by=manager, at=timezone.now(), campaign=campaign, body="Judge by what the abstract says.")


def fill_in_labels(folder: Path) -> None:
    label = machine_labels(Campaign.objects.get(slug="trial-round"))[0]
    (folder / "labels.csv").write_text(f"label,value\n{label.pk},{label.value}\n")


MACHINE_LABELS = [
    'create_campaign demo "Machine labels" --split dev --sample 60 --seed 7 --overlap 1 --strategy planned '
    "--annotator ada@litmus.example",
    "annotate demo machine-labels --kind lexical",
]
BEFORE: dict[str, list[str | Callable[[Path], None]]] = {  # by how the example begins
    "author_calls demo take-in": [reach_deadline],
    "make_context_topics": ["import_papers demo papers.zip"],  # which undo_import has taken away
    "change_cutoffs": ["generate_questions demo --sample 2"],
    "adjudicate_papers demo write": ["adjudicate_papers demo content citation-contexts hives --json > content.json"],
    "adjudicate_papers demo send-back": ["add_annotators demo citation-contexts chloe@litmus.example"],
    "anno_gpt demo test-set": ['create_campaign demo "Final test" --split test --sample 20 --seed 7'],
    "anno_gpt demo test 1": [judge_final_test, "import_judgments demo final-test final.csv"],
    "correct_machine_labels": [fill_in_labels],
    "draw_audit_sample": [*MACHINE_LABELS],
    "machine_audit": ["draw_audit_sample demo machine-labels --size 30 --seed 7"],
    "request_rejudging": [change_guideline],
    "withdraw_rejudging": ["request_rejudging demo main-round"],
    "set_purpose": ["create_campaign demo Training"],
    "pay_sheet": ["set_pay_rate demo main-round 14.50 EUR"],
    "search_sheet demo read": [fill_sheet],
    "release demo": ["archive_collection demo --reopen"],
    "archive_collection": [
        finish_jobs,
        *(f"close_campaign demo {name}" for name in ("citation-contexts", "main-round", "questions", "trial-round")),
    ],
}


def order() -> list[str]:
    """Every example but those that others run."""
    found = [each for name, verb in verbs().items() if name not in ELSEWHERE for each in verb.examples]
    found.sort(key=lambda each: LAST.index(each.split()[0]) + 1 if each.split()[0] in LAST else 0)
    start = next(each for each in found if each.startswith("anno_gpt demo start"))  # the demo has begun a cycle
    found.remove(start)
    found.insert(next(at for at, each in enumerate(found) if each.startswith("anno_gpt demo decide")) + 1, start)
    return [each for each in found if each != FIRST]


def test_other_tests_run_the_rest() -> None:
    for command, test in ELSEWHERE.items():
        assert command in (ROOT / test).read_text("utf-8"), test


def test_in_order(tmp_path: Path, settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    (folder := tmp_path / "walk").mkdir()
    numbers_from_one()
    road = Walk(folder)
    road.line(f"litmus {FIRST}", 0)
    call_command("load_demo", verbosity=0)
    make_files(folder)
    failed: dict[str, str] = {}
    with ChatStub("QUESTION: What is known of this?\nANSWER: cite_001") as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = stub.url, "stub", 0
        for example in order():
            try:
                for step in next((steps for begins, steps in BEFORE.items() if example.startswith(begins)), []):
                    step(folder) if callable(step) else road.line(f"litmus {step}", 0)
                road.line(f"litmus {example}", 0)
            except AssertionError as error:
                failed[example] = str(error)
    assert not failed, "\n".join(failed.values())
