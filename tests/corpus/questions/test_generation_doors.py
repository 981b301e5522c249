"""Questions are asked for alike by page, REST and command; stored answers are filtered again."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from corpus.models import GeneratedQuestion, GenerationReply, Membership, Outcome, QuestionRun, Role
from corpus.questions.generation import write_question_prompt
from engines.text.questions import DEFAULT_TEMPLATE
from tests.corpus.questions.generating import ASKED
from tests.corpus.questions.generation_pages import page, signed_in
from tests.factories.accounts import AT
from tests.stubs.chat import ChatStub, Status


@pytest.fixture
def client(members):
    return signed_in(members[Role.MANAGER].user)


DOORS = ("page", "rest", "command")


def generate_at(door: str, **asked) -> tuple[dict, str]:
    """Ask as the collection's manager; what was stored of it, and what a refusal says."""
    client, reason = signed_in(Membership.objects.get(role=Role.MANAGER).user), ""
    if door == "page":
        answer = client.post(reverse("generation_create", args=["tea"]), asked, follow=True)
        reason = " ".join(answer.context["form"].non_field_errors()) if answer.status_code == 422 else ""
    elif door == "rest":
        answer = client.post(reverse("api_question_runs", args=["tea"]), asked, content_type="application/json")
        reason = answer.json().get("detail", "")
    else:
        try:
            call_command("generate_questions", "tea", **asked)
        except CommandError as error:
            reason = str(error)
    fields = ("parameters", "template__version", "overlap_definition", "cutoff_inside", "cutoff_outside")
    return QuestionRun.objects.order_by("-pk").values(*fields).first(), reason


@pytest.mark.parametrize("door", DOORS)
def test_each_door_begins_with_the_same_and_takes_a_prompt(door, collection, mention, model, members):
    """By REST and command all mentions were asked about, up to 20,000; no prompt could be chosen there."""
    for words in ("Be brief.", "Be kind."):
        body = f"{DEFAULT_TEMPLATE}\n{words}"
        write_question_prompt(by=members[Role.MANAGER].user, at=AT, collection=collection, body=body)
    with ChatStub(["NONE"]) as stub:
        model.LLM_BASE_URL = stub.url
        usual, _ = generate_at(door, **({"source": ""} if door == "page" else {}))
        QuestionRun.objects.update(state="done")
        chosen, _ = generate_at(door, used="again", prompt="inline citations@1", words="tea", sample=0)
    filters = {"overlap_definition": "litsearch-code", "cutoff_inside": 0.3, "cutoff_outside": 0.1}
    assert usual == {"parameters": {"used": "no", "sample": 50, "seed": 1, **ASKED}, "template__version": 2, **filters}
    assert chosen == {"parameters": {"text": "tea", **ASKED}, "template__version": 1, **filters}


@pytest.mark.parametrize("door", DOORS)
def test_stored_answers_are_filtered_again_without_asking(door, members, filtered, settings):
    settings.LLM_BASE_URL = ""  # nothing could be asked
    found, _ = generate_at(door, used="stored", overlap_definition="litsearch-code")
    assert (found["overlap_definition"], found["cutoff_inside"], found["cutoff_outside"]) == (
        "litsearch-code",
        0.3,
        0.1,
    )
    assert GeneratedQuestion.objects.get().state == "kept"
    found, _ = generate_at(door, used="stored", cutoff_inside=0.2)
    assert (found["overlap_definition"], found["cutoff_inside"], found["cutoff_outside"]) == (
        "litsearch-code",
        0.2,
        0.1,
    )
    assert "Choose how to filter the stored answers" in generate_at(door, used="stored")[1]
    nothing = generate_at(door, used="stored", source="inside", overlap_definition="words")
    assert "no stored answers" in nothing[1]
    assert "LITMUS_LLM_BASE_URL" in generate_at(door, used="again", overlap_definition="words")[1]
    assert (QuestionRun.objects.count(), GenerationReply.objects.count()) == (1, 1)


def test_a_dry_run_says_what_it_would_take_or_change(client, filtered, capsys, settings):
    settings.LLM_BASE_URL = ""
    url, json_ = reverse("api_question_runs", args=["tea"]), "application/json"
    change = {"runs": [filtered.reply.run_id], "kept": 1, "filtered": 0, "held": 0}
    asked = {"used": "stored", "overlap_definition": "litsearch-code"}
    assert client.post(url, asked | {"dry_run": True}, content_type=json_).json() == change
    arguments = ["--used", "stored", "--overlap-definition", "litsearch-code"]
    assert run_command(capsys, *arguments, "--dry-run") == change
    assert GeneratedQuestion.objects.get().state == "filtered"
    assert "Filter stored answers again" in page(client, "generation_create", used="stored")
    estimate = run_command(capsys, "--used", "again", "--dry-run")
    assert estimate["mentions"] == 1
    assert client.post(url, {"used": "again", "dry_run": True}, content_type=json_).json() == estimate
    assert client.post(url, {"dry_run": True}, content_type=json_).json()["mentions"] == 0
    assert "0 mentions to ask about" in page(client, "generation_create", source="")
    assert run_command(capsys, *arguments) == change
    assert client.post(url, asked, content_type=json_).json() == change | {"kept": 0}  # the second time changes nothing
    with pytest.raises(CommandError, match="--continue RUN --ask-again"):
        run_command(capsys, "--ask-again")


def test_again_of_version_0_1_works_with_a_notice(client, filtered, capsys, settings):
    """By REST it asked, and paid, where the command filtered stored answers."""
    settings.LLM_BASE_URL = ""
    call_command("generate_questions", "tea", "--again", "--overlap-definition", "litsearch-code")
    assert "--again is now --used stored" in capsys.readouterr().err
    url, filters = reverse("api_question_runs", args=["tea"]), {"overlap_definition": "words", "cutoff_inside": 0.1}
    answer = client.post(url, {"again": True, **filters}, content_type="application/json")
    assert (answer.status_code, answer.json()["filtered"]) == (200, 1)
    assert "again is now used" in answer["Warning"]
    for asked in ({"again": True}, {"used": "again"}):
        answer = client.post(url, asked | {"dry_run": True}, content_type="application/json")
        assert answer.json()["mentions"] == 1
    with pytest.raises(CommandError, match="--again is now --used"):
        run_command(capsys, "--again", "--used", "no")


def test_limits_and_prompts_are_refused_alike(client, mention, model, capsys):
    url = reverse("api_question_runs", args=["tea"])
    wrong = {"sample": -1, "seed": -1, "prompt": "inline citations@9", "used": "yes", "source": "below"}
    for name, value in wrong.items():
        answer = client.post(url, {name: value}, content_type="application/json")
        assert answer.status_code == 400
        assert client.post(reverse("generation_create", args=["tea"]), {name: value}).status_code == 422
        with pytest.raises(CommandError, match=r"There are no prompts yet|equal to 0|invalid choice"):
            run_command(capsys, f"--{name}={value}")


def test_cutoffs_of_a_run_are_changed_by_command_and_rest(client, filtered, capsys):
    run, slug = filtered.reply.run, ["tea", filtered.reply.run_id]

    def command(*arguments):
        call_command("change_cutoffs", *map(str, slug), *arguments, "--json")
        return json.loads(capsys.readouterr().out)

    assert command("--cutoff-inside", "0.25")["kept"] == 1
    changed = command("--overlap-definition", "words")  # with its own cut-offs
    own = {"overlap_definition": "words", "cutoff_inside": 0.33, "cutoff_outside": 0.33}
    assert changed == {"run": run.pk, "kept": 0, "filtered": 0, "held": 0} | own
    assert command("--cutoff-outside", "none")["cutoff_outside"] is None
    with pytest.raises(CommandError, match="Give at least one of overlap_definition, cutoff_inside, cutoff_outside"):
        command()
    with pytest.raises(CommandError, match="no run 9999"):
        call_command("change_cutoffs", "tea", "9999", "--overlap-definition", "words")
    url = reverse("api_question_run", args=slug)
    answer = client.patch(url, {"cutoff_inside": 0.1}, content_type="application/json")
    own |= {"cutoff_inside": 0.1, "cutoff_outside": None}
    assert answer.json() == {"run": run.pk, "kept": 0, "filtered": 1, "held": 0} | own
    found = client.get(url).json()
    assert (found["overlap_definition"], found["cutoff_inside"], found["cutoff_outside"]) == ("words", 0.1, None)
    assert found["counts"]["states"] == {"filtered": 1}
    assert found["counts"]["sources"][0]["filtered_percent"] == 100
    answer = client.patch(url, {"overlap_definition": "litsearch-code"}, content_type="application/json")
    assert answer.json()["kept"] == 1
    assert client.get(reverse("api_question_runs", args=["tea"])).json()["results"][0]["cutoff_outside"] == 0.1
    assert client.patch(url, {"cutoff_inside": 2}, content_type="application/json").status_code == 400
    answer = client.patch(url, {"cutoff_inside": None}, content_type="application/json")
    assert (answer.json()["cutoff_inside"], answer.json()["cutoff_outside"]) == (None, 0.1)


def test_asking_and_going_on_by_rest(client, mention, model):
    url = reverse("api_question_runs", args=["tea"])
    asked = {"sample": 5, "seed": 3, "overlap_definition": "words", "cutoff_outside": None}
    answer = client.post(url, asked, content_type="application/json")
    assert answer.status_code == 202, answer.content
    run = QuestionRun.objects.get(pk=answer.json()["id"])
    assert (run.cutoff_inside, run.cutoff_outside, run.overlap_definition) == (0.33, None, "words")
    assert (run.total, run.parameters) == (1, {"used": "no", "sample": 5, "seed": 3, **ASKED})
    assert client.post(url, {}, content_type="application/json").status_code == 409  # one run at a time
    QuestionRun.objects.update(state="done")
    answered = {"outcome": Outcome.UNPARSEABLE, "text": "Hm.", "problem": "It holds no line.", "answered_at": AT}
    GenerationReply.objects.update(**answered)
    go_on = reverse("api_question_run_continuation", args=["tea", run.pk])
    assert client.post(go_on, {}, content_type="application/json").status_code == 422
    answer = client.post(go_on, {"ask_again": True}, content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert GenerationReply.objects.get().earlier[0]["text"] == "Hm."


# --- the command line -------------------------------------------------------------------------------------------------


DOUBTED = {"unknown-keys": 1, "repeated": 1}


def run_command(capsys, *arguments) -> dict:
    call_command("generate_questions", "tea", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_the_command_line_asks_and_reports(mention, model, capsys):
    assert run_command(capsys, "--dry-run")["mentions"] == 1
    pairs = {"Which leaves?": 1, "Green?": 1, "Which buds?": 9, "Which LEAVES?": 1}
    with ChatStub(["\n".join(f"QUESTION: {text}\nANSWER: cite_00{key}" for text, key in pairs.items())]) as stub:
        model.LLM_BASE_URL = stub.url
        call_command(
            "generate_questions", "tea", "--sample", "3", "--cutoff-outside", "0.4", "--overlap=words", "--json"
        )
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert (found["mentions"], found["questions"], found["states"]) == (1, 4, {"kept": 1, "filtered": 1, **DOUBTED})
    assert (
        "questions: 1 kept, 1 too many words of the titles, 1 names citations that are not there, 1 equal to"
        in printed.err
    )
    assert (
        "inline-outside: 4 questions; of the 2 that could be kept, 1 became topics and 1 (50%) did not" in printed.err
    )
    assert found["outcomes"] == {"questions": 1}
    assert (found["prompt_tokens"], found["cost"]) == (100, None)
    with pytest.raises(CommandError, match="No usable mention"):
        run_command(capsys)
    with pytest.raises(CommandError, match="All questions have been answered"):
        run_command(capsys, "--continue", str(found["run"]))
    with pytest.raises(CommandError, match="no run 9999"):
        run_command(capsys, "--continue", "9999")


def test_the_command_line_refuses_what_is_no_share(mention, model, capsys):
    with pytest.raises(CommandError, match="Give a share from 0 to 1"):
        run_command(capsys, "--cutoff-inside", "7")


def test_the_command_line_says_why_a_run_failed(mention, model, capsys):
    with ChatStub([Status(401)]) as stub:
        model.LLM_BASE_URL = stub.url
        with pytest.raises(
            CommandError, match=r"Run \d+: The endpoint refused the request with 401: .* 0 of 1 answers are kept"
        ):
            run_command(capsys)
