"""What can be done here: import judgments that were made elsewhere."""

from accounts.operations import Rest
from annotation.campaigns.file_imports import CampaignImport
from annotation.campaigns.places import in_campaign
from annotation.imports.importer import JUDGMENTS
from annotation.imports.importing import fetch_for_judgments

IMPORT_JUDGMENTS = CampaignImport(
    called="import_judgments",
    rest=Rest("judgment_imports_create", takes="NewJudgmentImport"),
    task="Bring in",
    example="import_judgments demo main-round judgments.csv --dry-run",
    line="Import judgments made elsewhere into a campaign",
    importer=JUDGMENTS,
    fetch=fetch_for_judgments,
    place=in_campaign("annotator_list", "annotators", page="judgments"),
    lead="CSV, JSON Lines or TREC qrels; the formats below name all columns. Annotators are named as in this campaign,"
    " or by the e-mail address of a member; all others are added by name only. Importing again changes nothing. Answers"
    " given in Litmus are not changed, and no item gets more judgments by people than it needs.",
)
