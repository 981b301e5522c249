"""The judging: campaigns, items, who judges what, every answer ever given, and the current judgments."""

from annotation.models.campaigns import (
    Campaign,
    CampaignState,
    Criterion,
    Guideline,
    Level,
    Order,
    Purpose,
    Scale,
    Split,
    Strategy,
)
from annotation.models.consents import AfterWithdrawal, Background, Consent, ConsentText, Stage
from annotation.models.cycles import AnnoCycle, MachineSource, Outcome
from annotation.models.extractions import Extraction, ExtractionRevision, ExtractionSource, ExtractionState
from annotation.models.gold import KnownAnswer
from annotation.models.inquiries import Audience, Inquiry
from annotation.models.items import (
    FORMER,
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Asked,
    Assignment,
    AssignmentState,
    Item,
    VotesSeen,
)
from annotation.models.jobs import AssignmentRun, DailyWork, ItemBuild, QueueOrdering, WorkSummary
from annotation.models.machines import (
    MachineKind,
    MachineReply,
    MachineRun,
    PromptTrial,
    ReplyState,
    ReplyValue,
    RunCriterion,
    TrialAnswer,
    UnparsedAnswer,
)
from annotation.models.rewrites import FoundTarget, ReviewDecision, Rewrite, RewriteReview
from annotation.models.submissions import Judgment, Submission, SubmissionKind, SubmissionOutcome
