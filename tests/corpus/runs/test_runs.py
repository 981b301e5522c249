"""Runs from files into the database: order, names, what is left out and reported."""

import gzip
import json
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase as HypothesisTestCase

from accounts import jobs
from accounts.models import AuditEvent, JobState
from corpus.imports.requests import request_import
from corpus.models import Collection, ImportRun, Ranking, RetrievalRun
from corpus.runs import importing as rankings
from engines.stats.rankings import canonical_ranking
from tests.corpus.imports.importing import counts, import_files
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run
from tests.shared import shared_path

Scores = dict[str, dict[str, float]]  # {topic: {docno: score}}


@pytest.fixture
def collection(db: None) -> Collection:
    """Topics 1, 2 and 3, documents D1 to D5."""
    collection = CollectionFactory(slug="tea")
    for number in "123":
        TopicFactory(collection=collection, number=number)
    for number in range(1, 6):
        DocumentFactory(collection=collection, docno=f"D{number}")
    return collection


def write(path: Path, scores: Scores, tag: str = "bm25") -> Path:
    """A run file, its rows in an order that says nothing."""
    rows = [(topic, docno, score) for topic, docnos in scores.items() for docno, score in docnos.items()]
    path.write_text("".join(f"{topic} Q0 {docno} 1 {score!r} {tag}\n" for topic, docno, score in sorted(rows)))
    return path


def import_runs(collection: Collection, *files: Path, **options: object) -> ImportRun:
    return import_files(collection, *files, kind="runs", **options)


def stored(collection: Collection, name: str = "bm25") -> dict[str, list[str]]:
    found = Ranking.objects.filter(run__collection=collection, run__name=name)
    return {ranking.topic.number: ranking.docnos for ranking in found.select_related("topic")}


ONE: Scores = {"1": {"D1": 1.0, "D2": 2.5, "D3": 2.5}, "2": {"D1": -1.0}}


class TestImport:
    def test_a_run_is_stored_best_first_ties_by_docno_falling(self, collection: Collection, tmp_path: Path) -> None:
        run = import_runs(collection, write(tmp_path / "a.run", ONE))
        assert (run.state, counts(run), run.errors) == (JobState.DONE, (2, 0, 0, 0), [])
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D1"]}
        assert Ranking.objects.get(topic__number="1").scores == [2.5, 2.5, 1.0]
        assert run.parameters["runs"]["bm25"] == {
            "file": "a.run", "topics": 2, "rows": 4, "documents": 3, "unknown_documents": 0, "unknown_topics": 0,
            "removed": 0, "ties": 1,
        }  # fmt: skip

    def test_rows_of_a_topic_may_stand_anywhere(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "a.run"
        path.write_text("1 Q0 D1 9 1 t\n2 Q0 D1 9 1 t\n\n1 Q0 D2 9 2 t\n2 Q0 D2 9 2 t\n")
        import_runs(collection, path)
        assert stored(collection, "t") == {"1": ["D2", "D1"], "2": ["D2", "D1"]}

    def test_new_changed_and_equal_rankings_are_distinguished(self, collection: Collection, tmp_path: Path) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        since = RetrievalRun.objects.get().created_at
        again = import_runs(collection, write(tmp_path / "a.run", ONE))
        assert counts(again) == (0, 0, 2, 0)
        changed = import_runs(
            collection, write(tmp_path / "b.run", {"1": ONE["1"], "2": {"D1": 3.0, "D2": 4.0}, "3": {"D5": 1.0}})
        )
        assert counts(changed) == (1, 1, 1, 0)
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D2", "D1"], "3": ["D5"]}
        assert RetrievalRun.objects.get().created_at == since

    def test_a_run_is_replaced_and_what_is_gone_is_reported(self, collection: Collection, tmp_path: Path) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        run = import_runs(collection, write(tmp_path / "b.run", {"2": ONE["2"]}))
        assert stored(collection) == {"2": ["D1"]}
        assert counts(run) == (0, 0, 1, 0)
        (note,) = run.errors
        assert (note["file"], note["line"]) == ("b.run", 0)
        assert note["reason"] == "bm25 no longer has rankings of topics that are not in the file: 1"
        assert run.parameters["runs"]["bm25"]["removed"] == 1

    def test_a_dry_run_counts_the_same_and_writes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        path = write(tmp_path / "b.run", {"1": {"D1": 3.0}, "3": {"D9": 1.0}, "9": {"D1": 1.0}})
        dry = import_runs(collection, path, dry_run=True)
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D1"]}
        new = import_runs(collection, write(tmp_path / "c.run", ONE, "new"), dry_run=True)
        assert (counts(new), RetrievalRun.objects.count()) == ((2, 0, 0, 0), 1)
        real = import_runs(collection, path)
        assert counts(dry) == counts(real) == (1, 1, 0, 0)
        assert dry.errors == real.errors
        assert len(real.errors) == 3  # topic 9, the ranking of topic 2 that is gone, the document D9

    def test_unknown_topics_are_counted_and_not_skipped(self, collection: Collection, tmp_path: Path) -> None:
        path = write(tmp_path / "a.run", {"1": {"D1": 1.0}, "8": {"D1": 2.0, "D2": 1.0}, "9": {"D1": 1.0}})
        run = import_runs(collection, path)
        assert counts(run) == (1, 0, 0, 0)
        assert [(error["line"], error["kept"]) for error in run.errors] == [(2, True)]
        assert run.errors[0]["reason"].startswith("2 topics are not in the collection, such as 8 with 2 rows")
        assert run.parameters["runs"]["bm25"]["unknown_topics"] == 2
        assert stored(collection) == {"1": ["D1"]}

    def test_topics_numbered_otherwise_are_offered_and_matched(self, collection: Collection, tmp_path: Path) -> None:
        path = write(tmp_path / "a.run", {"001": {"D1": 1.0}, "2": {"D1": 2.0}, "q3": {"D1": 1.0}})
        run = import_runs(collection, path)
        assert (counts(run), set(stored(collection))) == ((1, 0, 0, 0), {"2"})
        assert run.remarks[-1].startswith("q3 and 001 match 3 and 1 by the digits that they end with. Import again")
        run = import_runs(collection, path, match="zeros")
        assert set(stored(collection)) == {"1", "2"}
        assert "Topics were matched: 001 matches 1 without leading zeros." in run.remarks

    def test_unknown_documents_keep_their_ranks_and_are_reported(self, collection: Collection, tmp_path: Path) -> None:
        run = import_runs(collection, write(tmp_path / "a.run", {"1": {"X1": 3.0, "D1": 2.0, "X2": 1.0}}))
        assert stored(collection) == {"1": ["X1", "D1", "X2"]}
        assert counts(run) == (1, 0, 0, 0)
        assert run.errors[0]["reason"].startswith("2 documents of bm25 are not in the collection")
        assert run.errors[0]["kept"] is True
        assert (run.notes, run.skipped_errors) == (1, 0)
        assert run.parameters["runs"]["bm25"]["unknown_documents"] == 2

    def test_files_are_runs_of_their_own(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "b").mkdir()
        other = gzip.compress(write(tmp_path / "x.run", {"1": {"D1": 1.0}}, "e5").read_bytes())
        (tmp_path / "b" / "a.run.gz").write_bytes(other)
        run = import_runs(collection, write(tmp_path / "a.run", ONE), tmp_path / "b" / "a.run.gz")
        assert counts(run) == (3, 0, 0, 0)
        assert stored(collection, "e5") == {"1": ["D1"]}
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D1"]}

    def test_a_name_stands_before_the_tag(self, collection: Collection, tmp_path: Path) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE), name="our best")
        assert RetrievalRun.objects.get().name == "our best"
        assert len(stored(collection, "our best")) == 2

    def test_the_last_tag_names_the_run_and_a_mixture_is_reported(self, collection: Collection, tmp_path: Path) -> None:
        path = tmp_path / "a.run"
        path.write_text("1 Q0 D1 1 1 early\n2 Q0 D1 1 1 late\n")
        run = import_runs(collection, path)
        assert stored(collection, "late") == {"1": ["D1"], "2": ["D1"]}
        assert run.errors[0]["reason"] == "rows are tagged early and late; all make up the run late"

    def test_runs_of_other_collections_are_not_touched(self, collection: Collection, tmp_path: Path) -> None:
        other = CollectionFactory()
        TopicFactory(collection=other, number="1")
        make_run(other, "bm25", {"1": ["D9"]})
        import_runs(collection, write(tmp_path / "a.run", ONE))
        assert stored(other) == {"1": ["D9"]}

    def test_it_is_in_the_audit_log(self, collection: Collection, tmp_path: Path) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        done = AuditEvent.objects.get(verb="import_runs")
        assert (done.scope, done.data["created"]) == ("tea", 2)

    def test_progress_reaches_the_end(self, collection: Collection, tmp_path: Path) -> None:
        path = write(tmp_path / "a.run", ONE)
        run = import_runs(collection, path)
        assert run.done == run.total == path.stat().st_size


class TestBadFiles:
    def test_a_ranking_with_a_bad_row_is_left_out_whole_and_stays_as_it_was(
        self, collection: Collection, tmp_path: Path
    ) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        path = tmp_path / "b.run"
        path.write_text("1 Q0 D1 1 9 bm25\n1 Q0 D2 2 nan bm25\n2 Q0 D2 1 9 bm25\n9 Q0 D1 1\n")
        run = import_runs(collection, path)
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D2"]}
        assert counts(run) == (0, 1, 0, 2)
        nan, short = run.errors
        assert nan["line"] == 2
        assert nan["reason"].startswith("the score 'nan' is not a finite number")
        assert nan["reason"].endswith("so the ranking of topic 1 is left out")
        assert (short["line"], short["reason"]) == (
            4,
            "has 4 fields, not the six of a run: topic Q0 docno rank score tag",
        )

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("1 Q0 D1 1 3 t\n1 Q0 D2 2 2 t\n1 Q0 D1 3 1 t\n", 3),
            ("1 Q0 D1 1 3 t\n1 Q0 D\0 2 2 t\n", 2),
            ("@article{key, title = {T}}\n", 0),
        ],
    )
    def test_a_broken_file_changes_nothing(self, collection: Collection, tmp_path: Path, text: str, line: int) -> None:
        import_runs(collection, write(tmp_path / "a.run", ONE))
        (tmp_path / "b.run").write_text(text)
        run = import_runs(collection, write(tmp_path / "c.run", {"1": {"D5": 1.0}}), tmp_path / "b.run")
        assert run.state == JobState.FAILED
        assert (run.errors[0]["file"], run.errors[0]["line"]) == ("b.run", line)
        assert stored(collection) == {"1": ["D3", "D2", "D1"], "2": ["D1"]}
        assert RetrievalRun.objects.count() == 1

    def test_a_file_of_strange_topics_only_is_refused(self, collection: Collection, tmp_path: Path) -> None:
        run = import_runs(collection, write(tmp_path / "a.run", {"8": {"D1": 1.0}}))
        assert run.state == JobState.FAILED
        assert run.reason.startswith("Nothing was imported: the only record was refused. a.run, line 1: one topic")
        assert not RetrievalRun.objects.exists()

    def test_many_strange_topics_are_one_remark(self, collection: Collection, tmp_path: Path) -> None:
        strange = {f"T{number}": {"D1": 1.0, "D2": 2.0} for number in range(20)}
        run = import_runs(collection, write(tmp_path / "a.run", {**ONE, **strange}))
        assert (counts(run), len(run.errors)) == ((2, 0, 0, 0), 1)

    def test_two_runs_of_one_name_are_refused(self, collection: Collection, tmp_path: Path) -> None:
        files = [write(tmp_path / name, ONE) for name in ("a.run", "b.run")]
        run = import_runs(collection, *files)
        assert run.state == JobState.FAILED
        assert "its run is called bm25 as that of a.run" in run.reason
        assert "a name fits one run only" in import_runs(collection, *files, name="x").reason
        assert not RetrievalRun.objects.exists()

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("targets", "which Litmus itself uses"),
            ("n" * 101, "more than 100 characters"),
            ("hand-picked", "as a list"),
        ],
    )
    def test_names_that_mean_something_else_are_refused(
        self, collection: Collection, tmp_path: Path, name: str, reason: str
    ) -> None:
        make_pool(collection.topics.get(number="1"), [collection.documents.get(docno="D1")], method="hand-picked")
        run = import_runs(collection, write(tmp_path / "a.run", ONE, name))
        assert run.state == JobState.FAILED
        assert reason in run.reason
        assert not RetrievalRun.objects.exists()

    def test_a_cancelled_import_keeps_nothing(
        self, collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
        files = [write(tmp_path / "a.run", ONE)]
        run = request_import(by=None, at=AT, collection=collection, kind="runs", files=files, send=False)
        merge = rankings._merge

        def merge_and_cancel(*arguments: object) -> None:
            merge(*arguments)  # type: ignore[arg-type]
            ImportRun.objects.filter(pk=run.pk).update(cancel_requested_at=timezone.now())
            jobs.Progress(run).check()

        monkeypatch.setattr(rankings, "_merge", merge_and_cancel)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert not RetrievalRun.objects.exists()


class TestCommand:
    def test_it_prints_one_json_object_and_a_summary(
        self, collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write(tmp_path / "a.run", {**ONE, "9": {"D1": 1.0}})
        call_command("import_runs", "tea", str(path), "--name", "ours", as_json=True)
        printed = capsys.readouterr()
        result = json.loads(printed.out)
        assert {key: result[key] for key in ("created", "updated", "unchanged", "skipped")} == {
            "created": 2, "updated": 0, "unchanged": 0, "skipped": 0,
        }  # fmt: skip
        assert [(error["file"], error["line"]) for error in result["errors"]] == [("a.run", 5)]
        assert list(result["runs"]) == ["ours"]
        assert "2 created, 0 updated, 0 unchanged, 0 skipped" in printed.err
        assert "a.run, line 5: one topic is not in the collection, such as 9" in printed.err

    def test_a_refused_import_exits_with_the_line(
        self, collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "a.run").write_text("1 Q0 D1 1 3 t\n1 Q0 D1 2 2 t\n")
        with pytest.raises(CommandError, match=r"a\.run, line 2: document D1 is ranked twice") as refused:
            call_command("import_runs", "tea", str(tmp_path / "a.run"), as_json=True)
        assert refused.value.returncode == 1
        result = json.loads(capsys.readouterr().out)
        assert (result["created"], result["errors"][0]["line"]) == (0, 2)


class TestOrder(HypothesisTestCase):
    """PostgreSQL's order of bytes and floats is the canonical one, whatever the ids and scores."""

    @pytest.mark.slow
    @given(
        st.dictionaries(
            st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=3),
            st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52, 1e-300, -1e300]) | st.floats(-10, 10),
            min_size=1,
            max_size=8,
        )
    )
    @settings(max_examples=25)
    def test_it_is_canonical(self, scores: dict[str, float]) -> None:
        collection = CollectionFactory()
        TopicFactory(collection=collection, number="1")
        with NamedTemporaryFile("w", suffix=".run") as file:
            path = write(Path(file.name), {"1": scores})
            run = import_runs(collection, path)
        assert run.state == JobState.DONE, run.reason
        ranking = Ranking.objects.get(run__collection=collection)
        assert ranking.docnos == canonical_ranking(scores)
        assert ranking.scores == [scores[docno] for docno in ranking.docnos]


@pytest.mark.shared
def test_the_runs_of_doris_mae(collection: Collection) -> None:
    for number in {str(number) for number in range(50)} - set("123"):
        TopicFactory(collection=collection, number=number)
    files = [shared_path("data", "doris-mae", "runs", f"{name}.run") for name in ("bm25", "e5")]
    run = import_runs(collection, *files)
    assert (run.state, counts(run)) == (JobState.DONE, (100, 0, 0, 0))
    assert {name: facts["rows"] for name, facts in run.parameters["runs"].items()} == {"bm25": 5349, "e5": 5341}
    expected = json.loads(shared_path("data", "doris-mae", "rankings_v0.json").read_text())
    bm25 = next(value for key, value in expected.items() if key.lower().startswith("bm25"))
    assert stored(collection)["7"] == [str(number) for number in bm25[7]]
