"""`make test-reached` runs the tests that a change can reach; the test that caught a fault is among them."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import reached
from tests.processes import CHECKOUT
from tests.reached import Checkout

# Faults that were mended: the commit, what it changed in the product, the test that failed without the change.
MENDED = {
    "18c6966f a format, registered by its path": (
        ["engines/formats/bibtex_documents.py"],
        "tests/engines/guarded/test_hostile_files.py::test_an_entry_of_bibtex_is_read_in_time_that_grows_with_its_length",
    ),
    "0a02b3b3 a script": (
        ["static/js/annotation/labelling/main.js"],
        "tests/browser/test_labelling_races.py::"
        "test_an_answer_taken_back_while_the_page_asks_what_there_is_stays_on_the_screen",
    ),
    "3da4ceec a style of all pages": (
        ["static/css/layout.css"],
        "tests/browser/test_pages.py::test_a_heading_of_one_long_word_breaks_in_a_narrow_window",
    ),
    "c86b5598 a template of several rooms": (
        ["templates/adjudication/_machine_words.html"],
        "tests/adjudication/releases/test_machine_words.py::test_people_read_the_words_next_to_the_label",
    ),
    "f9531e5e a template, seen in the browser": (
        ["templates/annotation/papers/extraction_screen.html"],
        "tests/browser/test_extraction_panes.py::test_the_panes_follow_each_other",
    ),
    "644168f6 a job of another room": (
        ["corpus/searching/vectors.py"],
        "tests/corpus/pools/test_dense_pools.py::"
        "test_a_document_whose_text_was_taken_away_is_not_found_by_its_old_vector",
    ),
    "5a64c8da a kind of campaigns": (
        ["annotation/kinds/rubric/options.py"],
        "tests/annotation/rubric/test_question_items.py::"
        "test_options_that_a_change_leaves_out_stay_and_cutoffs_go_with_their_definition",
    ),
    "c27590fa a command": (
        ["adjudication/cycles/commands.py"],
        "tests/adjudication/cycles/test_cycle_scripts.py::test_a_cycle_by_command",
    ),
    "5c8551ed what REST shows to judges": (
        ["adjudication/verdicts/api.py"],
        "tests/test_labels_are_unseen_by_judges.py::test_no_answer_to_a_judge_depends_on_what_others_said",
    ),
    "ab1036b5 a model and its migration": (
        ["adjudication/migrations/0003_methods_of_verdicts.py", "adjudication/models/verdicts.py"],
        "tests/adjudication/verdicts/test_votes.py::test_a_single_label_is_no_unanimous_vote",
    ),
    "9c8cd021 the web server": (
        ["config/web.py"],
        "tests/config/test_web.py::test_an_upload_refused_before_it_is_read_ends_its_connection_and_says_so",
    ),
}


@pytest.fixture(scope="module")
def checkout() -> Checkout:
    return Checkout()


@pytest.mark.parametrize(("changed", "test"), MENDED.values(), ids=MENDED)
def test_what_is_reached_holds_the_test_that_caught_a_fault(checkout: Checkout, changed: list[str], test: str) -> None:
    path, _, name = test.partition("::")
    assert re.search(rf"def {name}\(", (CHECKOUT / path).read_text()), "the test has another name now"
    assert all((CHECKOUT / each).exists() for each in changed)
    found = checkout.tests(changed)
    assert path in found.files
    assert bool(found.why) == any("/models/" in each for each in changed)


def test_a_change_of_what_all_is_made_of_reaches_every_test_and_says_why(checkout: Checkout) -> None:
    for path in ("tests/factories/corpus.py", "config/settings.py", "requirements.txt", "templates/base.html"):
        found = checkout.tests(["corpus/topics/forms.py", path])
        assert found.why.startswith(f"{path}: ")
        assert {"tests/engines/test_plugins.py", "tests/browser/test_road.py", "tests/test_words.py"} <= {*found.files}


def test_a_change_of_one_room_leaves_most_tests_out(checkout: Checkout) -> None:
    """The views of topics: no room but theirs, the table of all addresses, and a road that shows them."""
    found = checkout.tests(["corpus/topics/pages/topics.py"])
    assert {"tests/corpus/topics/test_aspects.py", "tests/test_access.py", "tests/test_words.py"} <= {*found.files}
    assert not any(path.startswith(("tests/engines/", "tests/annotation/labelling/")) for path in found.files)
    assert len(checkout.tests(["docs/questions.md"]).files) <= 10


def test_what_is_registered_reaches_those_who_ask_for_it(checkout: Checkout) -> None:
    """Kinds reach all rooms that differ by them, a job the tests of jobs, erasing labels that of a person."""
    kind = checkout.tests(["annotation/kinds/relevance/items.py"]).files
    assert {"tests/annotation/labelling/test_labelling.py", "tests/annotation/campaigns/test_items.py"} <= {*kind}
    assert "tests/accounts/test_jobs.py" in checkout.tests(["adjudication/following/counting.py"]).files
    assert "tests/corpus/collections/test_persons.py" in checkout.tests(["annotation/inquiries/persons.py"]).files


def test_a_change_is_what_differs_from_where_the_branch_left_main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=tmp_path, check=True)

    monkeypatch.setattr(reached, "ROOT", tmp_path)
    git("init", "-q", "-b", "main")
    for name in ("old", "committed", "changed", "new"):
        (tmp_path / name).write_text(name)
        if name != "new":
            git("add", ".")
        if name in ("old", "committed"):
            git("commit", "-qm", name)
        if name == "old":
            git("checkout", "-qb", "branch")
    assert reached.changed_files([]) == {"committed", "changed", "new"}
    assert reached.changed_files(["main..HEAD"]) == {"committed"}
