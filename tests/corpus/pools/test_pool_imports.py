"""Pools from lists in files, by hand-made methods; the commands that build and import."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts.models import JobState
from corpus.models import (
    Collection,
    ImportRun,
)
from tests.corpus.imports.importing import counts, import_files
from tests.corpus.pools.building import build, pools


def import_pool(collection: Collection, *files: Path, **options: object) -> ImportRun:
    return import_files(collection, *files, kind="pool", **options)


class TestLists:
    def test_new_known_and_repeated_pairs_are_distinguished(self, collection: Collection, tmp_path: Path) -> None:
        build(collection, ["bm25"])
        path = tmp_path / "pool.txt"
        path.write_text("1 D1\n1 D6\n2 D6\n1 D6\n")
        run = import_pool(collection, path)
        assert (run.state, counts(run), run.errors) == (JobState.DONE, (2, 1, 0, 1), [])
        assert pools(collection)["1"]["D1"] == {"bm25": 1, "list": None}
        assert pools(collection)["2"] == {"D4": {"bm25": 1}, "D6": {"list": None}}
        assert counts(import_pool(collection, path)) == (0, 0, 3, 1)
        assert len(pools(collection)["1"]) == 4

    @pytest.mark.parametrize(
        "text",
        [
            "1 D1\n2 D6\n",
            "1 0 D1 2\n2 Q0 D6 -1\n",
            "query-id\tcorpus-id\tscore\n1\tD1\t0\n2\tD6\t1\n",
            "1 D1 1\n2 D6 0\n",
        ],
    )
    def test_qrels_are_lists_whose_values_are_not_read(self, collection: Collection, tmp_path: Path, text: str) -> None:
        (tmp_path / "pool").write_text(text)
        import_pool(collection, tmp_path / "pool", method="earlier")
        assert pools(collection) == {"1": {"D1": {"earlier": None}}, "2": {"D6": {"earlier": None}}}

    def test_strangers_are_reported_by_line_and_skipped(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "pool").write_text("1 D1\n1 X\n9 D1\n1 D2 extra\n2 D6\n")
        run = import_pool(collection, tmp_path / "pool")
        assert counts(run) == (2, 0, 0, 3)
        assert sorted((error["line"], error["reason"]) for error in run.errors) == [
            (2, "document X is not in the collection"),
            (3, "topic 9 is not in the collection"),
            (4, "has 3 columns where the first line has 2"),
        ]

    def test_topics_numbered_otherwise_are_offered_and_matched(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "pool").write_text("# first list\n01 D1\n02 D6\n")
        assert "01 and 02 match 1 and 2 without leading zeros" in import_pool(collection, tmp_path / "pool").reason
        run = import_pool(collection, tmp_path / "pool", match="zeros")
        assert counts(run) == (2, 0, 0, 0)
        assert "pool: one comment line (#) not read." in run.remarks

    def test_a_broken_list_changes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "good").write_text("1 D1\n")
        (tmp_path / "bad").write_text("1 Q0 D1 1 2.5 bm25\n")
        run = import_pool(collection, tmp_path / "good", tmp_path / "bad")
        assert (run.state, run.errors[0]["file"]) == (JobState.FAILED, "bad")
        assert "holds no pool list: it looks like a file of runs (TREC)" in run.reason
        assert pools(collection) == {}

    def test_a_dry_run_counts_the_same_and_writes_nothing(self, collection: Collection, tmp_path: Path) -> None:
        build(collection, ["bm25"], depth=1)
        before = pools(collection)
        (tmp_path / "pool").write_text("1 D1\n1 D6\n1 X\n")
        dry = import_pool(collection, tmp_path / "pool", dry_run=True)
        assert pools(collection) == before
        real = import_pool(collection, tmp_path / "pool")
        assert counts(dry) == counts(real) == (1, 1, 0, 1)

    @pytest.mark.parametrize("method", ["bm25", "targets", "by-hand", "m" * 101, "a\nb"])
    def test_a_method_that_means_something_else_is_refused(
        self, collection: Collection, tmp_path: Path, method: str
    ) -> None:
        (tmp_path / "pool").write_text("1 D1\n")
        run = import_pool(collection, tmp_path / "pool", method=method)
        assert run.state == JobState.FAILED
        assert "method" in run.reason
        assert pools(collection) == {}

    def test_lists_outlive_building(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "pool").write_text("1 D6\n")
        import_pool(collection, tmp_path / "pool")
        build(collection, depth=1)
        assert pools(collection)["1"] == {"D1": {"bm25": 1}, "D6": {"list": None}}


class TestCommands:
    def test_build_pools_prints_the_promised_json(
        self, collection: Collection, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("build_pools", "tea", depth=2, as_json=True)
        printed = capsys.readouterr()
        result = json.loads(printed.out)
        assert result.pop("seconds") >= 0
        assert result == {"topics": 2, "pairs": 3, "methods": {"bm25": 3, "e5": 1}, "added": 3, "removed": 0}
        assert "2 topics with 3 pairs" in printed.err

    def test_build_pools_takes_methods_and_refuses_strange_ones(
        self, collection: Collection, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("build_pools", "tea", methods=["e5"], as_json=True)
        assert json.loads(capsys.readouterr().out)["methods"] == {"e5": 2}
        with pytest.raises(CommandError, match="There is no run splade") as refused:
            call_command("build_pools", "tea", methods=["splade"])
        assert refused.value.returncode == 1

    def test_import_pool(self, collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "pool").write_text("1 D1\n9 D1\n")
        call_command("import_pool", "tea", str(tmp_path / "pool"), "--method", "hand-picked", as_json=True)
        result = json.loads(capsys.readouterr().out)
        assert (result["created"], result["skipped"]) == (1, 1)
        assert result["errors"] == [{"file": "pool", "line": 2, "reason": "topic 9 is not in the collection"}]
        assert pools(collection) == {"1": {"D1": {"hand-picked": None}}}
