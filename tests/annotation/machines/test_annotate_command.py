"""manage.py annotate: the baseline, a language model, a dry run, going on, and its refusals."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import MachineRun
from tests.factories.annotation import Material
from tests.factories.machines import make_prompt, stubbed
from tests.stubs.chat import Call, Status, Step

pytestmark = pytest.mark.django_db


def annotate(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[dict[str, Any], str]:
    call_command("annotate", "teas", "main-round", "--json", *options)
    printed = capsys.readouterr()
    return json.loads(printed.out), printed.err


def test_the_baseline(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    found, printed = annotate(capsys, "--kind", "lexical", "--runs", "2", "--thresholds", "0.3", "0.9")
    assert [(run["annotator"], run["state"], run["answered"]) for run in found["runs"]] == [
        ("Lexical baseline, run 1", "done", 8),
        ("Lexical baseline, run 2", "done", 8),
    ]
    assert "8 answered, 0 invalid" in printed


def test_former_options_work_with_a_notice(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    found, printed = annotate(capsys, "--machine", "lexical", "--rate", "60", "--dry-run")
    assert (found["items"], found["recipe"]["kind"]) == (8, "lexical")
    assert "--machine is now --model; the former name works in version 0.2 only." in printed
    assert "--rate is now --per-minute" in printed


def test_a_dry_run_asks_nothing(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    make_prompt(made)
    with stubbed(["Answer: 1"]) as stub:
        arguments = ("--model", "wiser", "--prompt", "Plain", "--price-in", "10", "--price-out", "30", "--dry-run")
        found, words = annotate(capsys, *arguments, "--runs", "3", "--max-tokens", "100")
    assert not stub.calls
    assert not MachineRun.objects.exists()
    assert (found["items"], found["calls"], found["completion_tokens"]) == (8, 24, 2400)
    assert found["cost"] == pytest.approx((10 * found["prompt_tokens"] + 30 * 2400) / 1e6)
    assert "Nothing was asked" in words


def test_a_model_fails_and_goes_on(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    make_prompt(made)

    def script(call: Call) -> Step:
        return Status(403) if call.number == 4 else "Answer: 1"

    options = ("--model", "wise", "--prompt", "Plain@1")
    with stubbed(script, LLM_CONCURRENCY=1) as stub:
        with pytest.raises(CommandError, match=r"403.*Resume with --continue"):
            annotate(capsys, *options)
        found, _ = annotate(capsys, *options, "--continue")
    assert [run["answered"] for run in found["runs"]] == [8]
    assert len(stub.calls) == 9


def test_refusals_name_what_there_is(made: Material, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError, match=r"Name a prompt with --prompt\. There are no prompts yet"):
        annotate(capsys, "--model", "wise")
    make_prompt(made)
    with pytest.raises(CommandError, match=r"Name a prompt with --prompt\. There are: Plain"):
        annotate(capsys, "--model", "wise")
    with stubbed(["Answer: 1"]), pytest.raises(CommandError, match=r"no prompt “Other”\. There are: Plain"):
        annotate(capsys, "--model", "wise", "--prompt", "Other")
    with pytest.raises(CommandError, match="LITMUS_LLM_BASE_URL"):
        annotate(capsys, "--model", "wise", "--prompt", "Plain")
