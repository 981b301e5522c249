"""From judgments to gold: agreement, votes, verdicts, exports."""

from adjudication.models.agreement import AgreementResult, AgreementRun
from adjudication.models.audits import AuditItem, MachineAudit
from adjudication.models.evaluations import Evaluation, EvaluationScores, ImportedQrels, ImportedQrelsTopic
from adjudication.models.exports import ExportPrefixes
from adjudication.models.pay import PaidPer, PayRate
from adjudication.models.releases import DataStatement, Release
from adjudication.models.relevance import RelevanceCount
from adjudication.models.splits import Split, SplitTopic
from adjudication.models.verdicts import (
    Cause,
    MachineCorrection,
    Method,
    OwnDecider,
    Unknown,
    Verdict,
    VoteAcceptance,
    Voters,
    VoteRun,
)
