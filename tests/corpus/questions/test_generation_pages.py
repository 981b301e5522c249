"""The pages of question generation."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import User
from corpus.models import GenerationReply, Outcome, PromptTemplate, QuestionRun, Role
from engines.text.questions import DEFAULT_TEMPLATE
from tests.corpus.questions.generating import ASKED
from tests.corpus.questions.generation_pages import page, signed_in
from tests.factories.corpus import TopicFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question


@pytest.fixture
def client(members):
    return signed_in(members[Role.MANAGER].user)


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
    assert run.parameters == {"used": "no", "sample": 5, "seed": 3, **ASKED}
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


def test_the_state_of_a_request_comes_first_and_agrees_with_its_figures(client, collection, mention):
    run = make_question(mention).reply.run
    GenerationReply.objects.create(
        run=run, mention=make_mention({"b0": None}, collection=collection), position=1, outcome=Outcome.WAITING
    )
    html = page(client, "generation_detail", run.pk)
    so_far = "1 of 2 paragraphs asked about so far."
    assert html.index(so_far) < html.index("Overlap compares")
    assert re.search(r'"Became topics">\s*100(\.0)?% \(1\)<br><span[^>]*>1 of them deleted since', html)
    assert re.search(r">1</span> <a [^>]*>kept</a>", html)
    assert re.search(r">1</span> of their topics was deleted since", html)
    run.replies.filter(outcome=Outcome.WAITING).delete()
    html = page(client, "generation_detail", run.pk)
    assert "The model has answered about 1 paragraph. Nothing more is asked: the job waits only to end." in html
    assert "asked about so far" not in html


def test_a_run_whose_questions_have_no_topic_left_does_not_send_people_there_first(client, mention):
    """The main button led to the questions though the only topic that came of them was deleted."""
    run = make_question(mention).reply.run
    run.state = "done"
    run.save()
    html = page(client, "generation_detail", run.pk)
    assert "The topic of its only question was deleted since." in html
    assert "button primary" not in html
    kept = make_mention({"b0": None}, collection=mention.collection)
    make_question(kept, run=run, topic=TopicFactory(collection=mention.collection))
    html = page(client, "generation_detail", run.pk)
    assert re.search(r'class="button primary"\s+href="[^"]*">See the questions<', html)
    assert "deleted since" not in html.partition("figures-row")[0]


def test_without_a_model_the_page_says_who_can_help(client, mention, settings):
    settings.LLM_BASE_URL = ""
    for name in ("generation_list", "generation_create"):
        html = page(client, name)
        assert "The people who run this Litmus can set one up: ask them." in html
        assert "LITMUS_LLM" not in html, "a manager cannot set variables of the server"
    assert reverse("generation_create", args=["tea"]) not in page(client, "generation_list")
    User.objects.update(is_staff=True)
    for name in ("generation_list", "generation_create"):
        assert f'<a href="{reverse("endpoint_list")}">Set up a model endpoint</a>' in page(client, name)
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
