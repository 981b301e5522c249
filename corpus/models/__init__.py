"""What is judged: collections with their people, documents, topics with their aspects, runs and pools, imports."""

from corpus.models.collections import Collection, InvitedRole, Membership, Role
from corpus.models.documents import Citation, Document
from corpus.models.imports import ImportKind, ImportRun
from corpus.models.pools import PoolEntry, PoolRun, PoolSource, Ranking, RetrievalRun
from corpus.models.prompts import PromptPurpose, PromptTemplate
from corpus.models.topics import Aspect, AspectNode, Target, Topic, TopicKind

__all__ = [
    "Aspect",
    "AspectNode",
    "Citation",
    "Collection",
    "Document",
    "ImportKind",
    "ImportRun",
    "InvitedRole",
    "Membership",
    "PoolEntry",
    "PoolRun",
    "PoolSource",
    "PromptPurpose",
    "PromptTemplate",
    "Ranking",
    "RetrievalRun",
    "Role",
    "Target",
    "Topic",
    "TopicKind",
]
