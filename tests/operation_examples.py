"""Each operation as it is done once: in which world, with what, and what is refused. See tests/test_operations.py."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from tests.factories.accounts import CollectionFactory
from tests.operation_worlds import (
    LABEL,
    make_a_queue,
    make_a_run,
    make_a_split,
    make_annotator,
    make_answering_endpoint,
    make_archived,
    make_asked,
    make_asked_again,
    make_call,
    make_changed,
    make_closed,
    make_complex_topic,
    make_contexts,
    make_corrected,
    make_cycle,
    make_decided,
    make_delivery,
    make_draft,
    make_endpoint,
    make_evaluation,
    make_judged,
    make_known,
    make_machine_judged,
    make_machine_labels,
    make_machines,
    make_open,
    make_question_run,
    make_release,
    make_runs,
    make_topics,
    make_webhook,
)

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
WEBHOOK = {"address": "https://hooks.example.org/litmus?for=tea", "events": ["job.done", "release.frozen"]}
WRONG_WEBHOOK = {"address": "https://me:secret@hooks.example.org/", "events": ["job.undone"]}


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
    "request_committee": Example(
        make_machines,
        given={"members": ["Lexical baseline, run 1", "Lexical baseline, run 2"], "rule": "median"},
        wrong={"members": ["Ana"], "rule": "mean"},
        audits="add_annotators",  # before it has members
        words={"members": ["Lexical baseline, run 1", "Lexical baseline, run 2"]},
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
    "add_webhook": Example(make_topics, given=WEBHOOK, wrong=WRONG_WEBHOOK),
    "change_webhook": Example(make_webhook, given={**WEBHOOK, "is_on": False}, wrong=WRONG_WEBHOOK),
    "remove_webhook": Example(make_webhook),
    "replace_webhook_secret": Example(make_webhook, given={"hours": 48}, wrong={"hours": 169}),
    "ping_webhook": Example(make_webhook),
    "redeliver_message": Example(make_delivery),
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
