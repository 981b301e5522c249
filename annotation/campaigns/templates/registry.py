"""The templates of campaigns, by name; other packages add theirs as `litmus.campaign_templates`."""

from pathlib import Path

from annotation.campaigns.templates.template import CampaignTemplate
from engines.definitions.campaign_file import read_defaults
from engines.plugins import Registry

_HERE = Path(__file__).parent
_GRADED, _BINARY = read_defaults(_HERE / "graded"), read_defaults(_HERE / "binary")
_PICTURES = "annotation/campaigns/pictures"

TEMPLATES: Registry[CampaignTemplate] = Registry(
    "litmus.campaign_templates",
    CampaignTemplate,
    CampaignTemplate(
        name="doris-mae",
        label="Aspects of a complex query (DORIS-MAE)",
        kind="relevance",
        asks="One aspect of a query and one abstract: does the abstract meet the aspect? 0 no, 1 partly, 2 fully.",
        picture=f"{_PICTURES}/doris_mae.html",
    ),
    CampaignTemplate(
        name="graded",
        label="Graded relevance 0-3 (TREC)",
        kind="relevance",
        asks="One topic and one document: not relevant, related, relevant or highly relevant (0-3)?",
        picture=f"{_PICTURES}/graded.html",
        criteria=_GRADED.criteria,
        guideline=_GRADED.guideline,
    ),
    CampaignTemplate(
        name="binary",
        label="Relevant or not",
        kind="relevance",
        asks="One topic and one document: relevant or not? The fastest; nuances are lost.",
        picture=f"{_PICTURES}/binary.html",
        seconds=20,
        criteria=_BINARY.criteria,
        guideline=_BINARY.guideline,
    ),
    CampaignTemplate(
        name="litsearch",
        label="Quality of questions (LitSearch)",
        kind="rubric",
        asks="One question and the papers that answer it: how specific (0-1), how good (0-2)? People may also rewrite"
        " the question.",
        picture=f"{_PICTURES}/litsearch.html",
    ),
    CampaignTemplate(
        name="acm-cr",
        label="Citation contexts of papers (ACM-CR)",
        kind="extraction",
        asks="One paper: which sentences cite which references? An expert corrects a proposal, about an hour a paper.",
        picture=f"{_PICTURES}/acm_cr.html",
    ),
)
