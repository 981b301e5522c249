"""A verb takes the same, under the same names, on its page, over REST and on the command line.

Verbs that are declared once (accounts/operations.py) are in tests/test_operations.py.

A field that a door lacks stands in LACKING with the reason. A list has its name in the singular on the command line,
where it is given once for each value. An entry that no longer holds fails too.
"""

import inspect
import re
from argparse import SUPPRESS
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.core.management import get_commands, load_command_class
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from accounts.operations import Operation
from adjudication.agreement.api import NewVoteSerializer
from adjudication.agreement.forms import VoteForm
from adjudication.cycles.api import (
    NewCycleSerializer,
    RunningSerializer,
)
from adjudication.cycles.forms import CycleForm
from adjudication.evaluation.api import EmptySheet, FilledSheetSerializer
from adjudication.evaluation.forms import FilledForm, SampleForm
from adjudication.exporting.options import option_fields
from adjudication.exports.api import ExportFile
from adjudication.papers.api import (
    AcceptanceSerializer,
    PaperAcceptance,
    PaperChoiceSerializer,
    PaperStepSerializer,
    StepSerializer,
    WrittenContentSerializer,
)
from adjudication.papers.forms import ChoiceForm, PaperAcceptanceForm
from adjudication.papers.pages.papers import paper_accept, paper_send_back, paper_step
from adjudication.releases.api import LineDetail, ReleaseArchive, ReleaseRequestSerializer
from adjudication.releases.forms import ReleaseForm
from adjudication.releases.pages import line_detail, release_archive
from annotation.assignment.api import NewAnnotatorsSerializer
from annotation.assignment.forms import MembersForm, NameForm
from annotation.campaigns.api.campaigns import (
    CampaignChangeSerializer,
    ItemBuilds,
    ItemBuildSerializer,
    NewCampaignSerializer,
)
from annotation.campaigns.forms.campaigns import CampaignForm, NewCampaignForm
from annotation.campaigns.forms.items import CalibrationForm, ItemBuildForm, ItemRemovalForm
from annotation.gold.api import NewKnownAnswerImportSerializer
from annotation.gold.importer import KNOWN_ANSWERS
from annotation.imports.api import NewJudgmentImportSerializer
from annotation.imports.importer import JUDGMENTS
from annotation.inquiries.api import AnswerSerializer as InquiryAnswerSerializer
from annotation.inquiries.api import AskSerializer
from annotation.inquiries.forms import AnswerForm as InquiryAnswerForm
from annotation.kinds.relevance.choosing import PairChoiceForm
from annotation.kinds.rubric.choosing import QuestionChoiceForm
from annotation.labelling.answers import AnswerInput
from annotation.labelling.api.judging import GivenSerializer
from annotation.machines.api.prompts import NewPromptSerializer
from annotation.machines.api.runs import MachineOptionsSerializer
from annotation.machines.forms import MachineForm, PromptForm
from annotation.rubric.api import AskingSerializer, RewriteDecisionSerializer
from annotation.rubric.forms import AskForm, RewriteDecisionForm
from corpus.collections.api.base import ApiView
from corpus.collections.api.collections import CollectionChangeSerializer, CollectionDetail, CollectionSerializer
from corpus.collections.api.invitations import InvitingSerializer
from corpus.collections.api.persons import LabelsSerializer, PersonErasureSerializer
from corpus.collections.forms import (
    AddressForm,
    CollectionForm,
    ErasureForm,
    ErasureRequestForm,
    InvitationListForm,
    NewCollectionForm,
    RemovalForm,
)
from corpus.imports.api import COMMON, NewImportSerializer
from corpus.imports.registry import Importer, collection_importers
from corpus.pools.api import NewPoolsSerializer
from corpus.pools.forms import BuildForm
from corpus.questions.api.author_calls import (
    AuthorsFileSerializer,
    NewAuthorSerializer,
    NewMailingSerializer,
    WrittenCallSerializer,
)
from corpus.questions.api.question_runs import NewQuestionRunSerializer
from corpus.questions.forms.authors import AuthorForm, AuthorsFileForm, CallForm
from corpus.questions.forms.generation import GenerationForm
from corpus.runs.api import NewRunSerializer
from corpus.runs.recipes.registry import RECIPES
from corpus.topics.api import TopicSerializer
from corpus.topics.forms import TopicForm

# What every command has, and what says where: the collection, the campaign, the thing that is changed.
FRAME = {"help", "as_json", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"}
FRAME |= {"skip_checks"}
COLLECTION = ("slug",)  # the first argument of commands


@dataclass(frozen=True)
class Verb:
    """One verb: the forms of its page, its serializer, its command (and step); what each door calls otherwise.

    A page without a form has the template that `Sent` names, REST without a body the parameters of its `Asked`. A door
    that is not there is (), None, "".
    """

    name: str
    page: tuple[Any, ...]
    rest: "type[serializers.BaseSerializer[Any]] | Asked | None"
    command: str
    here: tuple[str, ...] = ()  # arguments of the command that say where: they are in the address of the other doors
    buttons: tuple[str, ...] = ()  # of the page, which are no fields
    other: Mapping[str, str] = field(default_factory=dict)  # other word at one door: the verb's word
    lacking: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # door: {field: why it has none}


@dataclass(frozen=True)
class Sent:
    """What the forms of a template send to the page of this name."""

    template: str
    page: str

    @property
    def base_fields(self) -> set[str]:
        text = (Path("templates") / self.template).read_text(encoding="utf-8")
        forms = [*re.findall(r"{% post (.*?){% endpost %}", text, re.S), *re.findall(r"<form(.*?)</form>", text, re.S)]
        sent = [form for form in forms if f'"{self.page}"' in form]
        assert sent, f"{self.template} sends nothing to {self.page}"
        return {name for form in sent for name in re.findall(r'\bname="(\w+)"', form)}


@dataclass(frozen=True)
class Asked:
    """The parameters of a request."""

    view: type[ApiView]
    method: str

    @property
    def names(self) -> set[str]:
        schema = getattr(self.view, self.method.lower()).kwargs["schema"]()
        schema.view, schema.method = self.view(request=None, kwargs={}), self.method  # as its own generator sets them
        described = schema.get_override_parameters()
        described += own.get_override_parameters() if (own := self.view.__dict__.get("schema")) else []
        return {each.name for each in described if isinstance(each, OpenApiParameter)}


@dataclass(frozen=True)
class Read:
    """What a page reads itself of its address, or of buttons that were sent."""

    view: Callable[..., Any]

    @property
    def base_fields(self) -> set[str]:
        source = inspect.getsource(inspect.unwrap(self.view))
        return set(re.findall(r'request\.(?:GET|POST)\.get\("(\w+)"', source))


@dataclass(frozen=True)
class Parsed:
    """What is read of the JSON of a page's script, and of its plain form put into the same shape."""

    shape: type[Any]

    @property
    def base_fields(self) -> set[str]:
        return {each.name for each in fields(self.shape)}


def import_shape(importer: Importer) -> type[serializers.BaseSerializer[Any]]:
    """What REST takes for files of this sort: one description serves all, and refuses the options of others."""

    class Shape(NewImportSerializer):
        def get_fields(self) -> dict[str, Any]:
            fields = super().get_fields()
            assert importer.name in fields.pop("kind").choices
            return {name: field for name, field in fields.items() if name in {*COMMON, *importer.form.options()}}

    return Shape


IMPORTS = [
    ("import_pool" if name == "pool" else f"import_{name}", each, import_shape(each))
    for name, each in collection_importers().items()
]
IMPORTS += [("import_judgments", JUDGMENTS, NewJudgmentImportSerializer)]
IMPORTS += [("import_known_answers", KNOWN_ANSWERS, NewKnownAnswerImportSerializer)]
ExportOptions = type("ExportOptions", (forms.Form,), option_fields())  # all of them in the address of a page
OF_TEMPLATE = "the template COLLECTION/CAMPAIGN"
BY_FILE = "in the TOML file of --config"
CYCLE = "adjudication/cycles/cycle_detail.html"
IN_CYCLE = ("number", "dry_run")
IN_PAPER = ("campaign", "paper", "dry_run")
BY_ADDRESS = "among the addresses of members"
BUILT_LATER = "items are built by a second request"
VERBS = [
    Verb(
        "create_campaign",
        (NewCampaignForm, CalibrationForm, PairChoiceForm, QuestionChoiceForm),
        NewCampaignSerializer,
        "create_campaign",
        other={"file": "config", "short_name": "slug"},
        lacking={
            "page": {
                "slug": "made from the name",
                "guideline": "its own page, or the file",
                "criteria": "its own page, or the file",
                "options": "forms of each kind",
                "kind": "the template's",
            },
            "rest": {
                "config": "its parts are fields",
                "copied": OF_TEMPLATE,
                "invited": BY_ADDRESS,
                **dict.fromkeys(("sample", "stratified"), BUILT_LATER),
                **dict.fromkeys(("calibration", "calibration_overlap"), "a request after that, to calibration/"),
                **dict.fromkeys((*PairChoiceForm.base_fields, *QuestionChoiceForm.base_fields), BUILT_LATER),
            },
            "command": {
                **dict.fromkeys(("guideline", "criteria", "options"), BY_FILE),
                "copied": OF_TEMPLATE,
                "invited": BY_ADDRESS,
            },
        },
    ),
    Verb(
        "update_campaign",
        (CampaignForm,),
        CampaignChangeSerializer,
        "update_campaign",
        here=("campaign",),
        other={"no_deadline": "deadline"},
        lacking={
            "page": {
                "state": "buttons",
                "guideline": "its own page",
                "criteria": "its own page",
                "options": "forms of each kind",
                "config": "a file defines criteria on their page",
            },
            "rest": {"config": "its parts are fields"},
            "command": {
                "state": "open_campaign and close_campaign",
                **dict.fromkeys(("guideline", "criteria", "options"), BY_FILE),
            },
        },
    ),
    Verb(
        "build_items",
        (ItemBuildForm, PairChoiceForm, QuestionChoiceForm),
        ItemBuildSerializer,
        "build_items",
        here=("campaign",),
        buttons=("dry_run",),
    ),
    Verb(
        "remove_items",
        (ItemRemovalForm,),
        Asked(ItemBuilds, "DELETE"),
        "remove_items",
        here=("campaign",),
        buttons=("dry_run",),
    ),
    Verb(
        "add_annotators",
        (MembersForm, NameForm),
        NewAnnotatorsSerializer,
        "add_annotators",
        here=("campaign",),
        other={"users": "emails"},
        lacking={"rest": {"invited": BY_ADDRESS}, "command": {"invited": BY_ADDRESS}},
    ),
    Verb(
        "annotate",
        (MachineForm,),
        MachineOptionsSerializer,
        "annotate",
        here=("campaign", "go_on"),
        buttons=("dry_run",),
        lacking={"page": {"criterion": "former"}, "command": {"criterion": "another word for criteria"}},
    ),
    Verb(
        "rewrites ask",
        (AskForm,),
        AskingSerializer,
        "rewrites ask",
        here=("campaign", "by", "dry_run"),
    ),
    Verb(
        "rewrites decide",
        (RewriteDecisionForm,),
        RewriteDecisionSerializer,
        "rewrites decide",
        here=("campaign", "rewrite", "by", "dry_run"),
    ),
    Verb("submit", (Parsed(AnswerInput),), GivenSerializer, "", lacking={"rest": {"device": "always api"}}),
    Verb("ask_managers", (Sent("annotation/_asking.html", "label_questions"),), AskSerializer, ""),
    Verb("answer_inquiry", (InquiryAnswerForm,), InquiryAnswerSerializer, ""),
    Verb(
        "set_paper_doi",
        (Sent("annotation/papers/_paper_doi.html", "paper_doi"),),
        None,
        "set_paper_doi",
        here=("key",),
        other={"other": "doi"},  # typed instead of chosen
    ),
    Verb(
        "generate_questions",
        (GenerationForm,),
        NewQuestionRunSerializer,
        "generate_questions",
        here=("run", "ask_again"),  # of those that go on
        buttons=("dry_run",),
    ),
    Verb(
        "adjudicate_papers take",
        (ChoiceForm,),
        PaperChoiceSerializer,
        "adjudicate_papers take",
        here=(*IN_PAPER, "override"),
        lacking={"command": {"everything": "take-everything", "rest": "take-rest"}},
    ),
    Verb(
        "adjudicate_papers accept",
        (PaperAcceptanceForm,),
        AcceptanceSerializer,
        "adjudicate_papers accept",
        here=(*IN_PAPER, "override"),
    ),
    Verb(
        "adjudicate_papers write",
        (),  # the page stores each step of the extraction screen, so it has nothing to compare
        WrittenContentSerializer,
        "adjudicate_papers write",
        here=(*IN_PAPER, "override"),
        other={"file": "content"},
    ),
    *(
        Verb(
            f"adjudicate_papers {step}",
            (Read(paper_step),),
            PaperStepSerializer,
            f"adjudicate_papers {step}",
            here=(*IN_PAPER, "override"),
            lacking={"command": {"step": "its name is the step"}},
        )
        for step in ("undo", "redo")
    ),
    Verb(
        "adjudicate_papers reopen",
        (Read(paper_accept),),
        Asked(PaperAcceptance, "DELETE"),
        "adjudicate_papers reopen",
        here=(*IN_PAPER, "override"),
    ),
    Verb(
        "adjudicate_papers send-back",
        (Read(paper_send_back),),
        StepSerializer,
        "adjudicate_papers send-back",
        here=(*IN_PAPER, "override"),
    ),
    Verb("adjudicate", (VoteForm,), NewVoteSerializer, "adjudicate", here=("campaign", "policy")),
    Verb("search_sheet write", (SampleForm,), Asked(EmptySheet, "GET"), "search_sheet write", here=("file",)),
    Verb("search_sheet read", (FilledForm,), FilledSheetSerializer, "search_sheet read", here=("dry_run",)),
    Verb(
        "create_collection",
        (NewCollectionForm,),
        CollectionSerializer,
        "create_collection",
        lacking={
            "page": {"manager": "who makes it"},
            "rest": {"manager": "who makes it"},
            "command": {"slug": "the first argument"},
        },
    ),
    Verb(
        "update_collection",
        (CollectionForm,),
        CollectionChangeSerializer,
        "update_collection",
        lacking={"page": {"slug": "another form"}, "command": {"slug": "rename_collection"}},
    ),
    Verb("rename_collection", (AddressForm,), None, "rename_collection", other={"new": "slug"}),  # REST: a change of it
    Verb("delete_collection", (RemovalForm,), Asked(CollectionDetail, "DELETE"), "delete_collection"),
    Verb("request_erasure", (ErasureRequestForm,), LabelsSerializer, ""),
    Verb("erase_person", (ErasureForm,), PersonErasureSerializer, "erase_person", here=("email",)),
    Verb(
        "invite_people",
        (InvitationListForm,),
        InvitingSerializer,
        "invite_people",
        here=("by",),
        buttons=("dry_run",),
        other={"file": "emails"},
    ),
    Verb("author_calls create", (CallForm,), WrittenCallSerializer, "author_calls create", here=("dry_run",)),
    Verb("author_calls change", (CallForm,), WrittenCallSerializer, "author_calls change", here=("call", "dry_run")),
    Verb("author_calls invite", (AuthorForm,), NewAuthorSerializer, "author_calls invite", here=("call", "dry_run")),
    Verb(
        "author_calls invite-file",
        (AuthorsFileForm,),
        AuthorsFileSerializer,
        "author_calls invite-file",
        here=("call", "dry_run"),
    ),
    Verb(
        "author_calls mail",
        (Sent("corpus/questions/author_call_detail.html", "author_mailing_create"),),
        NewMailingSerializer,
        "author_calls mail",
        here=("call", "dry_run"),
    ),
    Verb(
        "build_pools",
        (BuildForm,),
        NewPoolsSerializer,
        "build_pools",
        other={"search": "recipe"},
        lacking={"page": {"index": "its settings are fields"}, "command": {"index": "its settings are options"}},
    ),
    Verb(
        "make_run",
        tuple(recipe.form for recipe in RECIPES.values()),
        NewRunSerializer,
        "make_run",
        lacking={"page": {"name": "first field of the page", "recipe": "chosen before"}},
    ),
    Verb("anno_gpt start", (CycleForm,), NewCycleSerializer, "anno_gpt start", here=("dry_run",)),
    Verb("anno_gpt run", (Sent(CYCLE, "cycle_run"),), RunningSerializer, "anno_gpt run", here=(*IN_CYCLE, "go_on")),
    Verb(
        "write_topic",
        (TopicForm,),
        TopicSerializer,
        "",
        lacking={"page": {"aspects": "the workshop"}},
    ),
    Verb(
        "prompts write",
        (PromptForm,),
        NewPromptSerializer,
        "prompts write",
        here=("dry_run",),
        other={"file": "body"},
        lacking={"page": {"purpose": "each purpose has its page"}},
    ),
    Verb(
        "release",
        (ReleaseForm,),
        ReleaseRequestSerializer,
        "release",
        here=("out", "anonymous"),  # where a copy goes, and which of both variants: pages and REST read either
    ),
    Verb(
        "read_release", (Read(release_archive),), Asked(ReleaseArchive, "GET"), "release", here=("name", "force", "out")
    ),
    Verb("explain", (Read(line_detail),), Asked(LineDetail, "GET"), "explain", here=("page",)),
    *(
        Verb(
            command,
            (importer.form,),
            shape,
            command,
            here=("campaign",) if importer in (JUDGMENTS, KNOWN_ANSWERS) else (),
            other={"uploads": "files"},
        )
        for command, importer, shape in IMPORTS
    ),
    Verb("export", (ExportOptions,), Asked(ExportFile, "GET"), "export", here=("kind", "out")),
]


def fields_of_page(verb: Verb) -> set[str]:
    names = {name for form in verb.page for name in form.base_fields}
    return {verb.other.get(name, name) for name in names} | set(verb.buttons)


def fields_of_rest(verb: Verb) -> set[str]:
    assert verb.rest
    names = verb.rest.names if isinstance(verb.rest, Asked) else _fields(verb.rest())
    return {verb.other.get(name, name) for name in names}


def _fields(shape: Any) -> Iterator[str]:
    for name, each in shape.fields.items():
        if each.read_only:
            continue
        yield name
        if isinstance(each, serializers.Serializer):
            yield from _fields(each)


def options_of(command: str) -> list[Any]:
    """Of the command or its step; former options, which are hidden, are none."""
    name, _, step = command.partition(" ")
    app: Any = get_commands()[name]
    actions: list[Any] = load_command_class(app, name).create_parser("manage.py", name)._actions
    if step:
        steps = next(action for action in actions if action.dest == "step")
        actions = steps.choices[step]._actions
    return [action for action in actions if action.help != SUPPRESS]


def fields_of_command(verb: Verb, known: Iterable[str]) -> set[str]:
    """By the names of its options; a singular that is a plural elsewhere is that field."""
    plural = {one.removesuffix("s"): one for one in known if one.endswith("s")}
    found = set()
    for action in options_of(verb.command):
        word = (action.option_strings[0].lstrip("-") if action.option_strings else action.dest).replace("-", "_")
        if action.dest not in FRAME and action.dest not in (*verb.here, *COLLECTION):
            word = verb.other.get(action.dest, verb.other.get(word, word))
            found.add(word if word in known else plural.get(word, word))
    return found


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_takes_the_same_at_each_door(verb: Verb) -> None:
    doors = {"page": fields_of_page(verb)} if verb.page else {}
    doors |= {"rest": fields_of_rest(verb)} if verb.rest else {}
    doors = {door: names - set(verb.here) for door, names in doors.items()}
    if verb.command:
        doors["command"] = fields_of_command(verb, set().union(*doors.values()))
    assert len(doors) > 1
    every = set[str]().union(*doors.values())
    missing = {door: sorted(every - names) for door, names in doors.items()}
    assert missing == {door: sorted(verb.lacking.get(door, {})) for door in doors}


def defaults_of(verb: Verb) -> Iterator[tuple[str, str, str]]:
    """(field, door, what it begins with), where it begins with something that is no switch."""
    forms = [form for form in verb.page if not isinstance(form, Sent | Read | Parsed)]
    found = [(name, "page", field.initial) for form in forms for name, field in form.base_fields.items()]
    if verb.rest and not isinstance(verb.rest, Asked):
        found += [(name, "rest", field.default) for name, field in verb.rest().fields.items()]
    if verb.command:
        found += [(action.dest, "command", action.default) for action in options_of(verb.command)]
    for name, door, value in found:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            yield verb.other.get(name, name), door, value if isinstance(value, str) else f"{value:g}"


OTHER_DEFAULTS = {
    ("build_pools", "depth"): "0 stands for the usual one, which is 100 for searches: that is what the page begins with"
}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_begins_with_the_same_at_each_door(verb: Verb) -> None:
    """Questions were asked about 50 mentions by page, and about all of them, up to 20,000, by REST and command."""
    begins: dict[str, dict[str, set[str]]] = {}
    for name, door, value in defaults_of(verb):  # a page of several forms may begin with several
        begins.setdefault(name, {}).setdefault(door, set()).add(value)
    differing = {name for name, doors in begins.items() if not set.intersection(*doors.values())}
    assert differing == {name for command, name in OTHER_DEFAULTS if command == verb.name}


# Commands of these apps that are compared nowhere above and follow from no operation, and why.
ELSEWHERE = {
    "evaluate": "its options are the fields of the operation, and how figures are printed",
    "judge_unjudged": "of an evaluation that it names by gold and runs; page and REST are one operation",
    "verify_release": "reads a folder, which only the command line has",
    "pay_sheet": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_pay.py",
    "quality": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_quality.py",
    "machine_audit": "stores nothing; tests/adjudication/machine_audits/test_report.py compares page, REST and command",
    "gold_results": "stores nothing; page, REST and command are compared in tests/annotation/gold/test_results.py",
    "correct_machine_labels": "many by a file; page and REST are one operation for each label",
    "costs": "stores nothing; page, REST and command are compared in tests/adjudication/following/test_costs.py",
    "sample_size": "stores nothing; the page asks in points what the command takes as shares",
}


def is_declared_once(command: Any) -> bool:
    """Whether it follows from an operation, with the other doors."""
    return type(command).__module__ == Operation.__module__


def test_no_command_of_judging_and_deciding_is_forgotten() -> None:
    compared = {verb.command.partition(" ")[0] for verb in VERBS}
    apps: dict[str, Any] = {name: app for name, app in get_commands().items() if app in ("annotation", "adjudication")}
    commands = {name for name, app in apps.items() if not is_declared_once(load_command_class(app, name))}
    assert commands - compared == ELSEWHERE.keys()
