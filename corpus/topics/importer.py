"""Importing topics with their aspects."""

from corpus.imports.forms import TopicImportForm
from corpus.imports.registry import Importer, at_once
from corpus.imports.undoing import Undoing
from corpus.models import Aspect, AspectNode, Target, Topic
from corpus.topics.storing import load_topics
from corpus.topics.text_fields import fields_to_choose

TOPICS = Importer(
    name="topics",
    label="topics",
    unit="topics",
    title="Import topics",
    about="Questions or complex queries, with their aspects where the file has them. Known numbers are updated; "
    "judged topics are not changed.",
    reading=at_once(load_topics),
    form=TopicImportForm,
    found=lambda run: {"text_from": fields_to_choose(run)},
    target="topic_list",
    undoing=Undoing(Topic, ((Target, "topic"), (Aspect, "topic"), (AspectNode, "topic"))),
)
