"""The small worlds in which operations are done: each gives the arguments of addresses and commands."""

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
from tests.factories.machines import ask as ask_machine
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question
from tests.factories.papers import PaperFactory, make_content, make_extraction
from tests.factories.webhooks import DeliveryFactory, WebhookFactory
from tests.stubs.chat import ChatStub

LABEL = 4_242_000  # of a machine


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


def make_machines() -> dict[str, str]:
    """A machine has judged twice."""
    made = make_material()
    campaign = make_campaign(made)
    for run in ask_machine(made, campaign, kind="lexical", runs=2):
        jobs.carry_out(run)
    return {"slug": campaign.collection.slug, "campaign": campaign.slug}


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
        place="releases/1.1",
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


def make_webhook() -> dict[str, str]:
    """One whose server nobody reaches."""
    webhook = WebhookFactory(collection__slug="tea", address="http://127.0.0.1:1/hook")
    return {"slug": "tea", "pk": str(webhook.pk)}


def make_delivery() -> dict[str, str]:
    """A message that has arrived."""
    return {"slug": "tea", "pk": str(DeliveryFactory(webhook__collection__slug="tea").pk)}


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
