"""One of everything in one collection, for tests that go through all addresses."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.utils import timezone

from accounts.models import ApiToken, Invitation, JobState, User
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreCell, ScoreColumn, ScoreRow, ScoreTable
from adjudication.models import (
    AgreementRun,
    Evaluation,
    EvaluationScores,
    ImportedQrels,
    Method,
    Release,
    Split,
    Verdict,
    VoteRun,
)
from annotation.models import (
    AnnoCycle,
    Annotator,
    AnnotatorKind,
    Assignment,
    AssignmentRun,
    AssignmentState,
    Campaign,
    CampaignState,
    Criterion,
    ExtractionSource,
    Guideline,
    Inquiry,
    Item,
    ItemBuild,
    KnownAnswer,
    Level,
    MachineReply,
    MachineRun,
    PromptTrial,
    ReplyState,
)
from annotation.papers.extractions import store_extraction
from corpus.models import (
    Aspect,
    AspectNode,
    Collection,
    CollectionRemoval,
    Document,
    GeneratedQuestion,
    ImportRun,
    InvitedRole,
    Membership,
    Paper,
    PoolEntry,
    PoolRun,
    PromptPurpose,
    PromptTemplate,
    RetrievalRun,
    Role,
    RunMaking,
    Topic,
    Webhook,
)
from engines.definitions.extractions import Content
from tests.factories.accounts import AT, CollectionFactory, UserFactory, make_token, one_member_each
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question
from tests.factories.webhooks import DeliveryFactory


@dataclass
class World:
    """One of everything, in one collection. `annotator` judges in `campaign`."""

    collection: Collection
    members: dict[Role, Membership]
    outsider: User
    document: Document
    topic: Topic
    aspect: Aspect
    campaign: Campaign
    item: Item
    annotator: Annotator
    assignment: Assignment
    inquiry: Inquiry  # the annotator's, about `item`
    known_answer: KnownAnswer  # of `item`
    paper: Paper
    own_paper: Assignment  # the annotator's, in the campaign `contexts`, begun
    ratings: Campaign  # of questions: a draft without items
    import_run: ImportRun
    retrieval_run: RetrievalRun
    webhook: Webhook
    run_making: RunMaking
    pool_run: PoolRun
    question: GeneratedQuestion
    item_build: ItemBuild
    assignment_run: AssignmentRun
    machine_run: MachineRun
    prompt_trial: PromptTrial
    prompt: PromptTemplate
    cycle: AnnoCycle
    agreement_run: AgreementRun
    vote_run: VoteRun
    evaluation: Evaluation
    measured: Evaluation  # done
    qrels: ImportedQrels
    split: Split
    release: Release
    verdict: Verdict
    invited: InvitedRole
    api_token: ApiToken  # the outsider's
    removal: CollectionRemoval  # asked for by the manager, of another collection

    def user(self, role: str) -> User | None:
        """Who asks: None for anonymous."""
        if role == "anonymous":
            return None
        return self.outsider if role == "outsider" else self.members[Role(role)].user


def make_world() -> World:
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    members = one_member_each(collection)
    outsider, manager = UserFactory(email="outsider@example.org"), members[Role.MANAGER].user
    topic = Topic.objects.create(collection=collection, number="1", text="What does tea do?")
    aspect = Aspect.objects.create(topic=topic, text="It is about tea.")
    AspectNode.objects.create(topic=topic, aspect=aspect, position=0)
    document = Document.objects.create(collection=collection, docno="D1", title="On tea", abstract="Tea was drunk.")
    PoolEntry.objects.create(topic=topic, document=document)
    campaign = _campaign(collection, manager)
    item = Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, aspect=aspect, document=document)
    annotator = Annotator.objects.create(
        campaign=campaign, name="annotator", user=members[Role.ANNOTATOR].user, created_at=AT
    )
    paper = Paper.objects.create(
        collection=collection, key="10.1/tea.1", title="A paper", source="acm-cr", created_at=AT, updated_at=AT
    )
    invitation = Invitation.objects.create(
        email="invited@example.org", invited_by=manager, created_at=AT, expires_at=timezone.now() + timedelta(days=3)
    )
    asked = {"campaign": campaign, "requested_by": manager, "requested_at": AT}
    vote_run = VoteRun.objects.create(**asked, state=JobState.DONE, started_at=AT, finished_at=AT)
    release = Release.objects.create(
        collection=collection, name="v1", version=1, pseudonym_key="k", requested_by=manager, requested_at=AT
    )
    return World(
        collection=collection,
        members=members,
        outsider=outsider,
        document=document,
        topic=topic,
        aspect=aspect,
        campaign=campaign,
        item=item,
        annotator=annotator,
        assignment=Assignment.objects.create(item=item, annotator=annotator, state=AssignmentState.PENDING, slot=1),
        known_answer=KnownAnswer.objects.create(
            campaign=campaign, item=item, criterion=campaign.criteria.get(), value=1, changed_at=AT
        ),
        inquiry=Inquiry.objects.create(
            uuid=uuid4(), campaign=campaign, item=item, annotator=annotator, text="Is tea a drink?", asked_at=AT
        ),
        paper=paper,
        own_paper=_own_paper(paper, manager, annotator.user),
        ratings=_ratings(collection),
        import_run=ImportRun.objects.create(
            collection=collection, kind="documents", requested_by=manager, requested_at=AT
        ),
        webhook=DeliveryFactory(webhook__collection=collection, webhook__address="http://127.0.0.1:1/hook").webhook,
        retrieval_run=RetrievalRun.objects.create(collection=collection, name="bm25", created_at=AT),
        run_making=RunMaking.objects.create(
            collection=collection,
            requested_by=manager,
            requested_at=AT,
            name="tfidf",
            parameters={"recipe": "tfidf", "settings": {}},
        ),
        pool_run=PoolRun.objects.create(collection=collection, requested_by=manager, requested_at=AT),
        question=_question(topic, document, manager),
        item_build=ItemBuild.objects.create(**asked),
        assignment_run=AssignmentRun.objects.create(**asked, strategy=campaign.strategy, overlap=1),
        machine_run=_machine_run(campaign, item, manager),
        prompt_trial=_prompt_trial(campaign, item, manager),
        prompt=PromptTemplate.objects.create(
            collection=collection,
            purpose=PromptPurpose.RELEVANCE,
            name="Plain",
            body="{aspect}",
            sha256="ab" * 32,
            created_at=AT,
        ),
        cycle=_tuning(collection, manager),
        agreement_run=AgreementRun.objects.create(**asked, state=JobState.DONE, started_at=AT, finished_at=AT),
        vote_run=vote_run,
        split=_split(topic),
        evaluation=Evaluation.objects.create(
            collection=collection,
            requested_by=manager,
            requested_at=AT,
            parameters=EvaluationSpec("targets", ("bm25",)).as_json(),
        ),
        measured=_measured(collection, manager),
        qrels=ImportedQrels.objects.create(collection=collection, name="elsewhere", created_at=AT),
        release=release,
        verdict=Verdict.objects.create(
            item=item, criterion=campaign.criteria.get(), method=Method.UNRESOLVED, vote_run=vote_run
        ),
        invited=InvitedRole.objects.create(invitation=invitation, collection=collection, role=Role.VIEWER),
        api_token=make_token(outsider)[0],
        removal=CollectionRemoval.objects.create(
            collection_id=0,
            slug="gone",
            title="Gone",
            requested_by=manager,
            requested_at=AT,
            state=JobState.DONE,
            started_at=AT,
            finished_at=AT,
        ),
    )


def _question(topic: Topic, document: Document, manager: User) -> GeneratedQuestion:
    """The topic as a language model wrote it, by a run that is done."""
    collection = topic.collection
    facts = {"requested_by": manager, "started_at": AT, "finished_at": AT, "state": JobState.DONE}
    run = QuestionRunFactory(collection=collection, total=1, done=1, **facts)
    mention = make_mention({"b0": document}, collection=collection)
    return make_question(mention, run=run, topic=topic, text=topic.text)


def _split(topic: Topic) -> Split:
    """One with the topic in a part: an export of nothing would be refused."""
    found = Split.objects.create(
        collection=topic.collection,
        name="dev-test",
        seed=1,
        parameters={"parts": [["dev", 40], ["test", 60]], "within": [], "together": []},
        created_at=AT,
    )
    found.members.create(topic=topic, part="dev")
    return found


def _measured(collection: Collection, manager: User) -> Evaluation:
    """Two runs measured on the world's topic; one of them ranks it better."""
    rows = {"bm25": 1.0, "tfidf": 0.5}
    means = {run: {"AP": {"value": value, "se": None, "n_topics": 1, "method": None}} for run, value in rows.items()}
    report = {
        "gold": "targets",
        "gold_label": "targets of questions",
        "unit": "query",
        "runs": list(rows),
        "measures": ["AP"],
        "notes": ["Other documents may answer as well."],
        "unjudged": "not-relevant",
        "subsets": [{"by": {}, "n_topics": 1, "runs": means}],
        "tests": [],
    }
    table = ScoreTable(
        "Run",
        (ScoreColumn("AP"),),
        tuple(ScoreRow(run, (ScoreCell(f"{100 * value:.2f}", value),)) for run, value in rows.items()),
        "Means.",
    )
    job = Evaluation.objects.create(
        collection=collection,
        requested_by=manager,
        requested_at=AT,
        started_at=AT,
        finished_at=AT,
        state=JobState.DONE,
        parameters=EvaluationSpec("targets", tuple(rows)).as_json(),
        results={"report": report, "table": table.to_json(), "figures": "run,measure\r\n"},
    )
    for run, value in rows.items():
        EvaluationScores.objects.create(evaluation=job, run=run, topics=["1"], measures=["AP"], values=[value])
    return job


def _machine_run(campaign: Campaign, item: Item, manager: User) -> MachineRun:
    """A machine's run with one reply that could not be parsed."""
    machine = Annotator.objects.create(
        campaign=campaign, name="machine, run 1", kind=AnnotatorKind.MACHINE, model="machine", created_at=AT
    )
    run = MachineRun.objects.create(
        campaign=campaign,
        annotator=machine,
        kind="lexical",
        recipe={"kind": "lexical", "model": "lexical", "temperature": 0.0, "thresholds": [0.4, 0.8]},
        recipe_hash="cd" * 32,
        requested_by=manager,
        requested_at=AT,
    )
    run.criteria.set(campaign.criteria.all(), through_defaults={"recipe_hash": run.recipe_hash, "run_number": 1})
    reply = MachineReply.objects.create(
        run=run, item=item, state=ReplyState.INVALID, text="Perhaps.", problem="is no answer", received_at=AT
    )
    reply.stated.create(criterion=campaign.criteria.get(), problem="is no answer")
    return run


def _prompt_trial(campaign: Campaign, item: Item, manager: User) -> PromptTrial:
    """A trial of a prompt with one answer."""
    trial = PromptTrial.objects.create(
        campaign=campaign,
        name="Mine",
        body="{aspect} {query}",
        model="wise",
        items=[item.pk],
        seed=1,
        state=JobState.DONE,
        requested_by=manager,
        requested_at=AT,
        finished_at=AT,
    )
    trial.answers.create(item=item, text="Answer: 1", received_at=AT)
    return trial


def _tuning(collection: Collection, manager: User) -> AnnoCycle:
    """A cycle of Anno-GPT that has only just begun."""
    dev = Campaign.objects.create(
        collection=collection, slug="dev", name="Dev", kind="relevance", split="dev", seed=1, created_at=AT
    )
    criterion = Criterion.objects.create(campaign=dev, key="relevance", label="Relevance")
    Level.objects.bulk_create([Level(criterion=criterion, value=v, label=f"level {v}") for v in range(3)])
    return AnnoCycle.objects.create(
        collection=collection, number=1, criterion="relevance", dev=dev, margin=0.05, created_by=manager, created_at=AT
    )


def _campaign(collection: Collection, manager: User) -> Campaign:
    campaign = Campaign.objects.create(
        collection=collection,
        slug="main",
        name="Main round",
        kind="relevance",
        state=CampaignState.OPEN,
        seed=1,
        created_at=AT,
        opened_at=AT,
    )
    criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
    Level.objects.bulk_create([Level(criterion=criterion, value=v, label=f"level {v}") for v in range(3)])
    Guideline.objects.create(campaign=campaign, version=1, body="Judge calmly.", created_at=AT, created_by=manager)
    return campaign


def _ratings(collection: Collection) -> Campaign:
    """A draft campaign of questions."""
    campaign = Campaign.objects.create(
        collection=collection, slug="ratings", name="Ratings", kind="rubric", seed=1, created_at=AT
    )
    quality = Criterion.objects.create(campaign=campaign, key="quality", label="Quality")
    Level.objects.bulk_create([Level(criterion=quality, value=v, label=f"level {v}") for v in range(3)])
    return campaign


def _own_paper(paper: Paper, manager: User, user: User | None) -> Assignment:
    """A paper in an open extraction campaign, assigned to the annotator, who has begun."""
    made = {"kind": "extraction", "state": CampaignState.OPEN, "created_at": AT, "opened_at": AT}
    campaign = Campaign.objects.create(collection=paper.collection, slug="contexts", name="Contexts", seed=1, **made)
    Guideline.objects.create(campaign=campaign, version=1, body="Cut.", created_at=AT, created_by=manager)
    item = Item.objects.create(campaign=campaign, split=campaign.split, paper=paper)
    annotator = Annotator.objects.create(campaign=campaign, name="annotator", user=user, created_at=AT)
    assignment = Assignment.objects.create(item=item, annotator=annotator, state=AssignmentState.PENDING, slot=1)
    store_extraction(
        paper=paper, source=ExtractionSource.ANNOTATOR, content=Content(), by=user, at=AT, assignment=assignment
    )
    return assignment
