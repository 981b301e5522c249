"""The verbs that are declared at each door, and what a door lacks or calls otherwise, with the reason."""

from typing import Any

from django import forms
from rest_framework import serializers

from accounts.rest_fields import taken_by
from adjudication.agreement.forms import VoteForm
from adjudication.agreement.operations import REQUEST_VOTE
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
from adjudication.releases.api import LineDetail, ReleaseArchive
from adjudication.releases.forms import ReleaseForm
from adjudication.releases.operations import REQUEST_RELEASE
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
from annotation.gold.importer import KNOWN_ANSWERS
from annotation.gold.operations import IMPORT_KNOWN_ANSWERS
from annotation.imports.importer import JUDGMENTS
from annotation.imports.operations import IMPORT_JUDGMENTS
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
    WrittenCallSerializer,
)
from corpus.questions.api.question_runs import NewQuestionRunSerializer
from corpus.questions.forms.authors import AuthorForm, AuthorsFileForm, CallForm
from corpus.questions.forms.generation import GenerationForm
from corpus.questions.operations import INVITE_AUTHOR, SEND_LETTERS
from corpus.runs.api import NewRunSerializer
from corpus.runs.recipes.registry import RECIPES
from corpus.topics.api import TopicSerializer
from corpus.topics.forms import TopicForm
from tests.doors import Asked, Parsed, Read, Sent, Verb


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
IMPORTS += [("import_judgments", JUDGMENTS, IMPORT_JUDGMENTS.takes)]
IMPORTS += [("import_known_answers", KNOWN_ANSWERS, IMPORT_KNOWN_ANSWERS.takes)]
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
    Verb("adjudicate", (VoteForm,), taken_by(REQUEST_VOTE), "adjudicate", here=("campaign", "policy")),
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
    Verb(
        "author_calls invite", (AuthorForm,), taken_by(INVITE_AUTHOR), "author_calls invite", here=("call", "dry_run")
    ),
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
        taken_by(SEND_LETTERS),
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
        taken_by(REQUEST_RELEASE),
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
