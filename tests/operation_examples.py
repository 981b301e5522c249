"""Each operation as it is done once: in which world, with what, and what is refused. See tests/test_operations.py."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from accounts import jobs
from accounts.models import JobState
from adjudication.evaluation.requests import request_evaluation
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Release, Split
from adjudication.verdicts.corrections import correct_machine_label
from annotation.assignment.rejudging import request_rejudging
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.lifecycle import create_campaign
from annotation.models import Annotator, Campaign, CampaignState, ExtractionSource, Judgment, KnownAnswer
from corpus.models import Collection, GenerationReply, ModelEndpoint, Outcome, Ranking, RetrievalRun
from tests.adjudication.cycles.cycle_steps import began, judged, tuned
from tests.adjudication.machine_audits.audit_worlds import machine_world
from tests.adjudication.verdicts.test_votes import vote
from tests.corpus.questions.asking import invite, new_call, new_manager
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.adjudication import build_campaign
from tests.factories.annotation import make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory, make_tree
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question
from tests.factories.papers import PaperFactory, make_content, make_extraction
from tests.stubs.chat import ChatStub

KEY_IN_A_FILE = {"key": str(Path(__file__).with_name("example_key.txt"))}
ENDPOINT = {
    "address": "https://llm.example.org/v2",
    "models": ["llama", "gemma:2b"],
    "key": "sk-of-an-example",
    "price_in": 0.15,
    "price_out": 0.6,
    "per_minute": 30,
    "collections": ["tea"],
}
WRONG_ENDPOINT = {
    "address": "https://me:secret@llm.example.org/v1",
    "models": ["m" * 81],
    "key": "two\nlines",
    "price_in": -1,
    "price_out": -1,
    "per_minute": -1,
    "collections": ["coffee"],
}


@dataclass(frozen=True)
class Example:
    """`make` builds the world in an empty database and returns where it is done: arguments of addresses and command.

    `given` has a value for each field, in REST's words; `wrong` are values that are refused, one at a time. `words` is
    what the command is given where that is not the value as text (several: a list). `audits` is the verb that is
    recorded where that is not the action's name. `settings` are those of the site meanwhile.
    """

    make: Callable[[], Mapping[str, str]]
    given: Mapping[str, Any] = field(default_factory=dict)
    wrong: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    audits: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def make_topics() -> dict[str, str]:
    collection = CollectionFactory(slug="tea")
    for place in range(10):
        source = "author" if place % 2 else "inline-acl"
        TopicFactory(
            collection=collection,
            number=str(place),
            text=f"How long does tea number {place} brew?",
            source=source,
            position=place,
        )
    return {"slug": "tea"}


def make_a_split() -> dict[str, str]:
    where = make_topics()
    collection = TopicFactory._meta.model.objects.first().collection
    Split.objects.create(collection=collection, name="dev-test", seed=1, parameters={"parts": {}}, created_at=AT)
    return where | {"name": "dev-test"}


def make_a_run() -> dict[str, str]:
    where = make_topics()
    collection = Collection.objects.get(slug="tea")
    run = RetrievalRun.objects.create(collection=collection, name="bm25", created_at=AT)
    return where | {"pk": str(run.pk)}


def make_judged() -> dict[str, str]:
    built = build_campaign([[0, 0, 1], [1, 1, 1], [0, 1, 1], [2, 2, 2]])
    return {"slug": built.collection.slug, "campaign": built.campaign.slug}


def make_changed() -> dict[str, str]:
    """The guideline has changed since people judged."""
    where = make_judged()
    campaign = Campaign.objects.get()
    campaign.guidelines.create(version=2, body="Judge kindly.", created_at=AT)
    return where


def make_asked_again() -> dict[str, str]:
    where = make_changed()
    request_rejudging(campaign=Campaign.objects.get(), by=None, at=AT)
    return where


def make_machine_labels() -> dict[str, str]:
    built = machine_world(topics=2, documents=40).built
    return {"slug": built.collection.slug, "campaign": built.campaign.slug}


LABEL = 4_242_000  # of a machine


def make_machine_judged() -> dict[str, str]:
    built = build_campaign([[0, 0, 0, 1]], machines=[("llm", "gpt", 1)])
    Judgment.objects.filter(assignment__annotator=built.annotators["llm"]).update(id=LABEL)
    vote(built)
    return {"slug": built.collection.slug, "campaign": built.campaign.slug}


def make_corrected() -> dict[str, str]:
    where = make_machine_judged()
    campaign = Campaign.objects.get(slug=where["campaign"])
    manager = campaign.collection.memberships.get(role="manager").user
    correct_machine_label(campaign=campaign, label=LABEL, value=0, by=manager, at=AT)
    return where


def make_a_queue() -> dict[str, str]:
    campaign = make_campaign(make_material(), strategy="queue")
    RetrievalRun.objects.create(collection=campaign.collection, name="bm25", created_at=AT)
    return {"slug": campaign.collection.slug, "campaign": campaign.slug}


def make_draft() -> dict[str, str]:
    campaign: Campaign = make_campaign(make_material())
    return {"slug": campaign.collection.slug, "campaign": campaign.slug}


def make_known() -> dict[str, str]:
    where = make_draft()
    item = Campaign.objects.get().items.order_by("pk")[0]
    criterion = Campaign.objects.get().criteria.get()
    known = KnownAnswer.objects.create(
        campaign=Campaign.objects.get(), item=item, criterion=criterion, value=1, changed_at=AT
    )
    return where | {"pk": str(known.pk)}


def make_asked() -> dict[str, str]:
    where = make_draft()
    collection = Collection.objects.get(slug=where["slug"])
    collection.consent_texts.create(version=1, body="We store your labels.", asks_background=True, created_at=AT)
    return {"slug": where["slug"]}


def make_decided() -> dict[str, str]:
    built = build_campaign([[0, 1], [1, 1], [2, 2]], people=("ana", "ben"))
    vote(built)
    criteria = drafts_of(built.campaign)
    copy = create_campaign(collection=built.collection, by=None, at=AT, name="Training", criteria=criteria)
    return {"slug": built.collection.slug, "campaign": copy.slug}


def make_annotator() -> dict[str, str]:
    where = make_draft()
    return where | {"annotator": "Ana", "pk": str(Annotator.objects.get(name="Ana").pk)}


def make_open() -> dict[str, str]:
    where = make_draft()
    Campaign.objects.update(state=CampaignState.OPEN, opened_at=AT)
    return where


def make_closed() -> dict[str, str]:
    where = make_judged()
    Campaign.objects.update(state=CampaignState.CLOSED, closed_at=AT)
    return where


def make_complex_topic() -> dict[str, str]:
    """Topic 1 has two aspects from separate sentences."""
    collection = CollectionFactory(slug="tea")
    sentences = ["I brew tea.", "I need pots."]
    topic = TopicFactory(collection=collection, number="1", sentences=sentences, text=" ".join(sentences))
    make_tree(topic, {"It is about tea.": [], "It has pots.": []})
    for place, node in enumerate(topic.nodes.order_by("position")):
        node.sentences = [place]
        node.save()
    return {"slug": "tea"}


def make_contexts() -> dict[str, str]:
    """A paper that cites one of two documents."""
    built = build_campaign([[2], [0]], people=("ana",))
    paper = PaperFactory(collection=built.collection, key="10.1/p.1234567", first_sentence_number=701)
    make_extraction(paper, ExtractionSource.IMPORTED, make_content(values=("doc00000", "doc00001")))
    return {"slug": built.collection.slug}


def make_release() -> dict[str, str]:
    collection = CollectionFactory(slug="tea")
    Release.objects.create(
        collection=collection,
        name="v1",
        version=1,
        pseudonym_key="k",
        requested_at=AT,
        started_at=AT,
        finished_at=AT,
        state=JobState.DONE,
        frozen_at=AT,
        manifest_sha256="ab" * 32,
        anonymous_sha256="cd" * 32,
    )
    return {"slug": "tea", "name": "v1"}


def make_archived() -> dict[str, str]:
    return {"slug": CollectionFactory(slug="tea", archived_at=AT).slug}


def make_call() -> dict[str, str]:
    """With an author whose letter is due."""
    call = new_call(new_manager())
    invite(call)
    return {"slug": call.collection.slug, "pk": str(call.pk)}


def make_endpoint(address: str = "https://llm.example.org/v1") -> dict[str, str]:
    ModelEndpoint.objects.create(name="our-llama", address=address, model_names=["llama"])
    return {"name": "our-llama"}


def make_answering_endpoint() -> dict[str, str]:
    return make_endpoint(ChatStub(["yes"]).__enter__().url)  # until the process ends


def make_question_run() -> dict[str, str]:
    """A run that has ended: one question that its filter left out, and one mention without an answer."""
    collection = CollectionFactory(slug="tea")
    document = DocumentFactory(collection=collection, docno="12", title="Green tea infusion temperatures")
    run = QuestionRunFactory(collection=collection, state=JobState.DONE, overlap_definition="words")
    mention = make_mention({"b0": document}, collection=collection)
    make_question(mention, run=run, text="Which green leaf is best?", state="filtered")
    silent = make_mention({"b0": document}, collection=collection)
    GenerationReply.objects.create(
        run=run,
        mention=silent,
        position=1,
        source="inline-outside",
        prompt="?",
        outcome=Outcome.NO_ANSWER,
        answered_at=AT,
    )
    return {"slug": "tea", "pk": str(run.pk)}


def make_runs() -> dict[str, str]:
    """Judged pairs of one topic and a run that ranks a document that nobody judged."""
    built = build_campaign([[2], [1], [0]], people=("ana",))
    vote(built)
    collection = built.collection
    DocumentFactory(collection=collection, docno="new")
    (topic,) = collection.topics.all()
    for name, docnos in (("good", ["doc00000", "doc00001"]), ("other", ["new", "doc00002"])):
        run = RetrievalRun.objects.create(collection=collection, name=name, created_at=AT)
        Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=[2, 1])
    return {"slug": collection.slug}


def make_evaluation() -> dict[str, str]:
    where = make_runs()
    spec = EvaluationSpec("campaign:main", ("good", "other"), resamples=1000)
    collection = Collection.objects.get(slug=where["slug"])
    job = request_evaluation(collection=collection, spec=spec, by=None, at=AT, send=False)
    jobs.carry_out(job)
    return where | {"pk": str(job.pk)}


def make_cycle() -> dict[str, str]:
    """A cycle with a machine that was tried, and a fresh test campaign."""
    made = make_material(topics=4, documents=12)
    dev = judged(made, "Dev", "dev")
    tuned(made, dev)
    judged(made, "Test", "test", labels=False)
    return {"slug": made.collection.slug, "number": str(began(made, dev).number)}


EXAMPLES: dict[str, Example] = {  # by the name of the action
    "write_topic": Example(
        make_topics,
        given={
            "number": "t1",
            "kind": "question",
            "title": "Tea",
            "text": "How long?",
            "sentences": "How long?",
            "narrative": "Minutes.",
            "source": "author",
            "author": "A. Brewer",
            "category": "tea",
            "source_papers": "",
            "targets": "",
            "aspects": "States minutes.",
        },
        audits="create_topic",
        wrong={"number": "1", "kind": "none", "source_papers": "nowhere", "targets": "nowhere"},
    ),
    "delete_run": Example(make_a_run),
    "make_split": Example(
        make_topics,
        given={
            "name": "halves",
            "parts": {"dev": 50.0, "test": 50.0},
            "within": ["source"],
            "together": [],
            "seed": 3,
        },
        wrong={"name": "two words", "parts": {"dev": -1.0}, "within": ["nothing"], "seed": -1},
        words={"parts": ["dev=50.0", "test=50.0"]},
    ),
    "delete_split": Example(make_a_split),
    "request_agreement": Example(
        make_judged,
        given={
            "resamples": 1000,
            "interval": "bca",
            "cluster": "item",
            "seed": 7,
            "margin": {"accuracy": 0.05},
            "figures": False,
        },
        wrong={"resamples": 1, "interval": "none", "cluster": "nobody", "seed": -1, "margin": {"accuracy": "wide"}},
        words={"margin": "accuracy 0.05"},
    ),
    "request_vote": Example(
        make_judged,
        given={"ties": "highest", "min_votes": 2, "voters": "all", "weighted": True},
        wrong={"ties": "toss", "min_votes": 0, "voters": "nobody"},
    ),
    "request_evaluation": Example(
        make_runs,
        given={
            "gold": "campaign:main",
            "runs": ["good", "other"],
            "measures": ["AP", "R@5"],
            "by": ["source"],
            "baseline": "good",
            "preset": "",
            "unjudged": "condensed",
            "topics": "relevant",
            "empty_topics": "zero",
            "random": False,
            "sensitivity": False,
            "against": "campaign:main;unit=aspect",
            "interval": "bca",
            "resamples": 1000,
            "seed": 3,
        },
        wrong={
            "gold": "magic",
            "runs": ["none"],
            "measures": ["magic"],
            "baseline": "none",
            "preset": "none",
            "unjudged": "none",
            "topics": "none",
            "empty_topics": "none",
            "against": "magic",
            "interval": "none",
            "resamples": 1,
            "seed": -1,
        },
    ),
    "judge_unjudged": Example(
        make_evaluation,
        given={"topics": ["1"], "depth": 7, "campaign": "", "name": "Second look"},
        wrong={"topics": ["none"], "depth": 0, "campaign": "none", "name": ""},
        audits="add_to_pools",
    ),
    "request_release": Example(
        make_runs, given={"name": "v7", "force": "The reviewers wait."}, wrong={"name": "two words", "force": ""}
    ),
    "choose_test_set": Example(make_cycle, given={"campaign": "test"}, wrong={"campaign": "dev"}),
    "freeze_machine": Example(make_cycle, given={"machine": "Lexical"}, wrong={"machine": "none"}),
    "decide_cycle": Example(
        make_cycle,
        given={"outcome": "stop", "reason": "It is no better.", "override": False},
        wrong={"outcome": "annotate", "reason": ""},
    ),
    "open_campaign": Example(make_closed, audits="reopen_campaign"),
    "close_campaign": Example(make_open),
    "request_rejudging": Example(
        make_changed,
        given={
            "before": 2,
            "criterion": "relevance",
            "grades": "0,1",
            "topics": "1",
            "disagreeing": True,
            "shows_former": True,
        },
        wrong={"before": 1, "criterion": "beauty", "grades": "good", "topics": "99"},
    ),
    "withdraw_rejudging": Example(make_asked_again),
    "delete_campaign": Example(make_draft),
    "change_annotator": Example(
        make_annotator,
        given={"name": "Ann", "weight": 2.0, "capacity": 5, "pay_rate": 12.5, "state": "paused"},
        wrong={"name": "Ben", "weight": 0, "capacity": -1, "pay_rate": -1.0, "state": "asleep"},
        audits="update_annotator",
    ),
    "correct_machine_label": Example(
        make_machine_judged, given={"label": LABEL, "value": 2}, wrong={"label": LABEL + 1, "value": 9}
    ),
    "undo_correction": Example(make_corrected, given={"label": LABEL}, wrong={"label": LABEL + 1}),
    "order_queue": Example(
        make_a_queue,
        given={"order": "holes", "runs": "bm25", "seed": 5},
        wrong={"order": "fastest", "runs": "bm26", "seed": -1},
    ),
    "assign_items": Example(
        make_known,
        given={
            "overlap": 1,
            "strategy": "planned",
            "repeat_percent": 20,
            "repeat_gap": 1,
            "gold_percent": 20,
            "gold_gap": 1,
            "seed": 5,
        },
        wrong={
            "overlap": 0,
            "strategy": "lottery",
            "repeat_percent": 80,
            "repeat_gap": 0,
            "gold_percent": 51,
            "gold_gap": 0,
            "seed": -1,
        },
    ),
    "set_known_answer": Example(
        make_draft,
        given={
            "topic": "1",
            "value": 2,
            "aspect": "Does thing 1.1.",
            "docno": "d0000",
            "criterion": "relevance",
            "explanation": "It is on tea.",
        },
        wrong={"topic": "99", "value": 9, "aspect": "None.", "docno": "d9999", "criterion": "beauty"},
    ),
    "draw_known_answers": Example(
        make_decided,
        given={"source": "main", "sample": 2, "seed": 7},
        wrong={"source": "nowhere", "sample": 0, "seed": -1},
    ),
    "draw_audit_sample": Example(
        make_machine_labels,
        given={
            "size": 40,
            "machine": "bot",
            "criterion": "relevance",
            "by_disagreement": False,
            "by_topic": False,
            "seed": 7,
        },
        wrong={"size": 0, "machine": "nobody", "criterion": "beauty", "seed": -1},
    ),
    "remove_known_answer": Example(make_known),
    "set_purpose": Example(
        make_draft, given={"purpose": "qualification", "pass_mark": 80}, wrong={"purpose": "fun", "pass_mark": 101}
    ),
    "set_consent_text": Example(
        make_draft,
        given={"text": "We store your labels.", "after_withdrawal": "leave-out", "asks_background": True},
        wrong={"text": " ", "after_withdrawal": "forget"},
    ),
    "give_consent": Example(
        make_asked,
        given={"version": 1, "field": "Chemistry", "stage": "doctoral", "years": 4, "language": "Thai"},
        wrong={"version": 2, "field": "x" * 81, "stage": "wizard", "years": 200, "language": "x" * 41},
    ),
    "withdraw_consent": Example(make_asked),
    "set_pay_rate": Example(
        make_draft,
        given={"rate": 14.5, "currency": "EUR", "per": "item"},
        wrong={"rate": -1.0, "currency": "E1R", "per": "year"},
    ),
    "set_calibration": Example(
        make_draft,
        given={"sample": 2, "overlap": 3, "seed": 7},
        wrong={"sample": 10_000, "overlap": 1, "seed": -1},
    ),
    "make_sub_queries": Example(make_complex_topic, given={"size": 2}, wrong={"size": 0}),
    "index_again": Example(make_topics, audits="request_indexing"),
    "make_context_topics": Example(make_contexts, given={"level": "sentence", "drafts": True}, wrong={"level": "word"}),
    "state_release_address": Example(
        make_release,
        given={"doi": "10.5281/zenodo.1234567", "address": "https://hub.example/tea"},
        wrong={"doi": "no DOI", "address": "ftp:/nowhere"},
    ),
    "change_cutoffs": Example(
        make_question_run,
        given={"overlap_definition": "words", "cutoff_inside": 0.5, "cutoff_outside": 0.9},
        wrong={"overlap_definition": "letters", "cutoff_inside": 2, "cutoff_outside": -1},
    ),
    "continue_questions": Example(
        make_question_run,
        given={"ask_again": True},
        settings={"LLM_BASE_URL": "http://127.0.0.1:1/v1", "LLM_MODEL": "stub"},
    ),
    "add_endpoint": Example(
        lambda: {"name": "our-llama"} if CollectionFactory(slug="tea") else {},
        given={**ENDPOINT, "name": "our-llama", "purpose": "embeddings"},
        wrong={**WRONG_ENDPOINT, "name": "default", "purpose": "paint"},
        words=KEY_IN_A_FILE,
    ),
    "change_endpoint": Example(
        lambda: make_endpoint() if CollectionFactory(slug="tea") else {},
        given={**ENDPOINT, "remove_key": True},
        wrong=WRONG_ENDPOINT,
        words=KEY_IN_A_FILE,
    ),
    "remove_endpoint": Example(make_endpoint),
    "test_endpoint": Example(make_answering_endpoint, settings={"INNER_ADDRESSES": (ip_network("127.0.0.1/32"),)}),
    "archive_collection": Example(make_topics),
    "reopen_collection": Example(make_archived),
    "request_removal": Example(
        make_archived, given={"confirm": "tea"}, wrong={"confirm": "tee"}, audits="request_collection_deletion"
    ),
    "invite_author": Example(
        make_call,
        given={"email": "bob@example.org", "name": "Bob", "docno": "D1"},
        wrong={"email": "bob", "name": "b" * 151, "docno": "D9"},
    ),
    "request_mailing": Example(make_call, given={"purpose": "invitation"}, wrong={"purpose": "reminder"}),
}
