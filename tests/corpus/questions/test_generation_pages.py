"""The pages and the command line of question generation."""

import json
import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.models import GeneratedQuestion, GenerationReply, Membership, Outcome, PromptTemplate, QuestionRun, Role
from corpus.questions.generation import write_question_prompt
from engines.text.questions import DEFAULT_TEMPLATE
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question
from tests.stubs.chat import ChatStub, Status


@pytest.fixture
def collection(db):
    return CollectionFactory(slug="tea")


@pytest.fixture
def members(collection):
    return one_member_each(collection)


@pytest.fixture
def client(members):
    return signed_in(members[Role.MANAGER].user)


@pytest.fixture
def mention(collection):
    document = DocumentFactory(collection=collection, docno="12", title="Green tea infusion temperatures")
    return make_mention({"b0": document, "b1": None}, collection=collection)


@pytest.fixture
def model(settings):
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = "http://127.0.0.1:1/v1", "stub", 0
    settings.LLM_ATTEMPTS = 1
    return settings


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(client, name, *args, **query) -> str:
    answer = client.get(reverse(name, args=["tea", *args]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_a_model_the_main_button_leads_to_writing_by_hand(client, mention):
    for name in ("generation_create", "generation_list"):
        html = page(client, name)
        assert html.count("button primary") == 1
        assert re.search(r'class="button primary"[^>]*>Write questions by hand<', html)


def test_what_it_would_take_comes_before_anything_is_asked(client, mention, model):
    html = page(client, "generation_create", source="outside", sample="5", seed="3")
    assert "1 mention to ask about" in html
    assert "Ask the model about 1" in html
    assert '<input type="hidden" name="used" value="no">' in html
    assert "0.3 inside, 0.1 outside" in html
    assert "0.33 inside, 0.33 outside" in html
    assert not QuestionRun.objects.exists()
    assert "0 mentions to ask about" in page(client, "generation_create", source="inside")
    bad = client.get(reverse("generation_create", args=["tea"]), {"cutoff_inside": "7", "sample": "-1"})
    assert bad.status_code == 422


@pytest.mark.slow
def test_asking_by_the_page(client, mention, model):
    sent = {"source": "", "sample": "5", "seed": "3", "cutoff_inside": "none", "cutoff_outside": "0.2"}
    url = reverse("generation_create", args=["tea"])
    answer = client.post(url, sent | {"overlap_definition": "litsearch-code"})
    run = QuestionRun.objects.get()
    assert answer.url == reverse("generation_detail", args=["tea", run.pk])
    assert (run.cutoff_inside, run.cutoff_outside, run.overlap_definition) == (None, 0.2, "litsearch-code")
    assert (run.total, run.seed) == (1, 3)
    assert run.parameters == {"used": "no", "sample": 5, "seed": 3, "endpoint": "default"}
    again = client.post(url, sent | {"overlap_definition": "words"})
    assert again.status_code == 422
    assert "generated in this collection already" in again.content.decode()
    html = page(client, "generation_detail", run.pk)
    assert "(as LitSearch&#x27;s code); cut-offs: none for sources inside, 0.2 outside." in html
    assert "Cancel" in html
    client.post(reverse("job_cancel", args=["questions", run.pk]))
    html = page(client, "generation_detail", run.pk)
    assert "Go on: 1 to ask" in html
    client.post(reverse("generation_continue", args=["tea", run.pk]))
    run.refresh_from_db()
    assert run.state == "queued"


def test_without_a_model_the_page_says_who_can_help(client, mention, settings):
    settings.LLM_BASE_URL = ""
    for name in ("generation_list", "generation_create"):
        assert "LITMUS_LLM_BASE_URL" in page(client, name)
    answer = client.post(reverse("generation_create", args=["tea"]), {"overlap_definition": "words"})
    assert answer.status_code == 422


def test_answers_for_a_person_are_shown_raw_and_can_be_put_right(client, mention, model):
    question = make_question(mention)
    reply = question.reply
    question.delete()
    GenerationReply.objects.filter(pk=reply.pk).update(
        outcome=Outcome.UNPARSEABLE, text="<script>alert(1)</script> Hm.", problem="It holds no line."
    )
    html = page(client, "generation_detail", reply.run_id)
    assert "&lt;script&gt;alert(1)" in html
    assert "1 answer for a person to look at" in html
    url = reverse("reply_correct", args=["tea", reply.run_id, reply.pk])
    assert "What was asked about" in client.get(url).text
    bad = client.post(url, {"text": "Nonsense"})
    assert bad.status_code == 422
    assert "no line that begins with QUESTION:" in bad.content.decode()
    client.post(url, {"text": "QUESTION: Why is that so?\nANSWER: cite_001"})
    assert reply.questions.get().topic.targets.get().document.docno == "12"
    assert client.get(reverse("reply_correct", args=["tea", reply.run_id + 1, reply.pk])).status_code == 404


def test_questions_are_listed_and_decided(client, collection, mention, django_assert_max_num_queries):
    run = make_question(mention, text="Which <i>leaf</i>?", state="markup", problem="It holds HTML.").reply.run
    for _ in range(5):
        make_question(make_mention({"b0": None}, collection=collection), run=run)
    with django_assert_max_num_queries(14):
        html = page(client, "question_list")
    assert "Which &lt;i&gt;leaf" in html
    assert "It holds HTML." in html
    question = mention.replies.get().questions.get()
    answer = client.post(reverse("question_keep", args=["tea", question.pk]), {"back": "state=markup"})
    assert answer.url == f"/c/tea/generated/?state=markup#question-{question.pk}"
    question.refresh_from_db()
    assert question.topic is not None
    client.post(reverse("question_discard", args=["tea", question.pk]))
    question.refresh_from_db()
    assert question.state == "discarded"
    assert "Nothing here" in page(client, "question_list", q="zzz")
    assert client.get(reverse("question_list", args=["tea"]), {"state": "odd", "run": "x"}).status_code == 422


def test_the_topic_says_where_it_came_from_but_not_to_annotators(client, members, collection, mention):
    question = make_question(mention, topic=TopicFactory(collection=collection), text="Was it so before?")
    html = page(client, "topic_detail", question.topic.pk)
    assert '<mark class="cite target">[1]</mark>' in html
    assert "As generated: <bdi>Was it so before?</bdi>" in html
    annotator = signed_in(members[Role.ANNOTATOR].user)
    hidden = page(annotator, "topic_detail", question.topic.pk)
    assert "Written from" not in hidden
    assert "Was it so before?" not in hidden


@pytest.fixture
def filtered(mention):
    """A question of an ended run: by `words` a fifth of its words are in the title, as LitSearch's code counts none."""
    run = QuestionRunFactory(collection=mention.collection, state="done", overlap_definition="words", cutoff_inside=0.1)
    return make_question(mention, run=run, text="Which green leaf is best?", state="filtered", overlap_titles=0.2)


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
    asked = {"endpoint": "default"}
    assert usual == {"parameters": {"used": "no", "sample": 50, "seed": 1, **asked}, "template__version": 2, **filters}
    assert chosen == {"parameters": {"text": "tea", **asked}, "template__version": 1, **filters}


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
    assert (run.total, run.parameters) == (1, {"used": "no", "sample": 5, "seed": 3, "endpoint": "default"})
    assert client.post(url, {}, content_type="application/json").status_code == 409  # one run at a time
    QuestionRun.objects.update(state="done")
    answered = {"outcome": Outcome.UNPARSEABLE, "text": "Hm.", "problem": "It holds no line.", "answered_at": AT}
    GenerationReply.objects.update(**answered)
    go_on = reverse("api_question_run_continuation", args=["tea", run.pk])
    assert client.post(go_on, {}, content_type="application/json").status_code == 422
    answer = client.post(go_on, {"ask_again": True}, content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    assert GenerationReply.objects.get().earlier[0]["text"] == "Hm."


def test_cutoffs_that_belong_to_another_way_of_counting_are_marked(client, mention):
    fields = {"state": "done", "overlap_definition": "words", "cutoff_inside": 0.3, "cutoff_outside": 0.1}
    run = QuestionRunFactory(collection=mention.collection, **fields)
    assert "These cut-offs belong to another way of counting" in page(client, "generation_detail", run.pk)
    call_command("change_cutoffs", "tea", str(run.pk), "--overlap-definition", "words")
    assert "These cut-offs belong" not in page(client, "generation_detail", run.pk)


def test_cutoffs_are_moved_on_the_page(client, mention):
    question = make_question(mention, text="Which green leaf is best?", state="filtered")
    question.reply.run.state = "done"
    question.reply.run.save()
    url = reverse("generation_cutoffs", args=["tea", question.reply.run_id])
    answer = client.post(url, {"cutoff_inside": "0.5", "overlap_definition": "words"}, follow=True)
    assert "1 more are kept, 0 more are filtered" in answer.content.decode()
    bad = client.post(url, {"cutoff_inside": "5", "overlap_definition": "words"}, follow=True)
    assert "Give a share from 0 to 1, such as 0.3, or “none”." in bad.content.decode()
    assert '<details class="card" open>' in bad.content.decode()
    assert bad.context["form"]["cutoff_inside"].value() == "5"


def test_the_prompt_is_edited_in_versions(client, members, collection):
    assert "Litmus's default text" in page(client, "prompt_edit")
    url = reverse("prompt_edit", args=["tea"])
    assert client.post(url, {"body": "Just ask."}).status_code == 422
    client.post(url, {"body": DEFAULT_TEMPLATE + "\nBe brief."})
    client.post(url, {"body": DEFAULT_TEMPLATE + "\nBe kind."})
    assert list(PromptTemplate.objects.values_list("version", flat=True)) == [1, 2]
    html = page(signed_in(members[Role.VIEWER].user), "prompt_edit", version="1")
    assert "Be brief." in html
    assert "Save as the next version" not in html
    assert "Be kind." in page(client, "prompt_edit")


def test_empty_pages_say_what_to_do(client, collection):
    assert "No questions generated yet" in page(client, "generation_list")
    assert "No generated questions yet" in page(client, "question_list")


def test_annotators_see_nothing_of_it(members, collection, mention):
    question = make_question(mention)
    annotator = signed_in(members[Role.ANNOTATOR].user)
    for name in ("mention_list", "generation_list", "question_list", "prompt_edit"):
        assert annotator.get(reverse(name, args=["tea"])).status_code == 403
    assert annotator.get(reverse("generation_detail", args=["tea", question.reply.run_id])).status_code == 403
    assert "/generated/" not in annotator.get(reverse("topic_list", args=["tea"])).content.decode()


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
