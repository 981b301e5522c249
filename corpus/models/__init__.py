"""What is judged: collections with their people, documents, topics with their aspects, runs and pools, imports."""

from corpus.models.authors import (
    LONGEST_QUESTION,
    AuthorAnswer,
    AuthorInvitation,
    AuthorLetter,
    AuthorMailing,
    AuthorOptOut,
    AuthorQuestion,
    LetterState,
    MailPurpose,
    QuestionCall,
)
from corpus.models.collections import (
    Collection,
    CollectionAddress,
    CollectionRemoval,
    InvitedRole,
    Membership,
    PersonErasure,
    Role,
)
from corpus.models.documents import Citation, Document, FullText, Indexing, SearchEntry
from corpus.models.endpoints import ModelEndpoint, ModelPurpose
from corpus.models.generation import (
    GeneratedQuestion,
    GenerationReply,
    Outcome,
    OverlapDefinition,
    QuestionRun,
    QuestionState,
)
from corpus.models.imports import ImportRun, ReplacedRecord
from corpus.models.mentions import CitationMention, DiscardReason, Link, MentionReference
from corpus.models.papers import Paper
from corpus.models.pools import (
    PaidAnswer,
    PartRanking,
    PoolEntry,
    PoolRun,
    PoolSource,
    Ranking,
    RetrievalRun,
    RunMaking,
)
from corpus.models.prompts import PromptPurpose, PromptTemplate
from corpus.models.topics import Aspect, AspectNode, SubQuery, SubQueryAspect, Target, Topic, TopicKind
from corpus.models.versions import AspectRemark, Change, ReviewVerdict, TopicReview, TopicVersion
from corpus.models.webhooks import PING, DeliveryState, Event, Webhook, WebhookDelivery
