"""The pages of this app that stand in bars of tabs, and links to them from pages of apps below."""

from accounts.slots import Tab
from annotation.tabs import ADJUDICATE, AGREEMENT, PROGRESS, of_kinds
from corpus.collections.rules import DECIDE, MANAGE, OVERSEERS
from corpus.tabs import CAMPAIGNS, DO_IN_CAMPAIGN, DO_IN_COLLECTION, RESULTS

UNPARSED = "Invalid machine answers"
COMPARING = of_kinds("comparison")
DIFFERING = of_kinds("disagreements")
MEASURED = of_kinds("agreement")
MACHINES = of_kinds("machines")
OPEN = "?filter=open"  # ties and items with too few votes


TABS = (
    Tab(DO_IN_COLLECTION, "", 210, "evaluate", "Evaluate runs", "evaluation_create", MANAGE).found_by(
        "new measure ndcg map"
    ),
    Tab(DO_IN_COLLECTION, "", 220, "split", "New split", "split_create", MANAGE, also="divide train dev test"),
    Tab(DO_IN_COLLECTION, "", 230, "release", "New release", "release_create", MANAGE, also="publish freeze version"),
    Tab(DO_IN_CAMPAIGN, "", 110, "compute", "Compute agreement", "agreement_detail", MANAGE, MEASURED).found_by(
        "kappa iaa alpha"
    ),
    Tab(DO_IN_CAMPAIGN, "", 115, "table", "Copy the agreement table", "agreement_report", OVERSEERS, MEASURED).found_by(
        "table for a paper to publish latex markdown csv kappa"
    ),
    Tab(DO_IN_CAMPAIGN, "", 120, "count", "Count the votes", "adjudication_screen", DECIDE, DIFFERING).found_by(
        "majority vote"
    ),
    Tab(DO_IN_CAMPAIGN, "", 130, "ties", "Decide ties", "adjudication_screen", DECIDE, DIFFERING, after=OPEN).found_by(
        "tie resolve"
    ),
    Tab(
        DO_IN_CAMPAIGN,
        "",
        140,
        "known",
        "Draw known answers",
        "known_answers_draw",
        MANAGE,
        of_kinds("gold"),
    ).found_by("gold training qualification"),
    Tab(
        DO_IN_CAMPAIGN,
        "",
        150,
        "audit",
        "Draw an audit sample",
        "machine_audit_draw",
        MANAGE,
        of_kinds("machines"),
    ).found_by("machine error check labels llm"),
    Tab(
        "help pages", "", 10, "statistics", "What the statistics say, and how a vote is decided", "statistics_help"
    ).found_by("kappa alpha definitions formulas"),
    Tab("collection", CAMPAIGNS, 120, "anno-gpt", "Anno-GPT", "cycle_list", OVERSEERS, also="llm gpt machine prompt"),
    Tab("collection", RESULTS, 210, "evaluation", "Evaluation", "evaluation_list", OVERSEERS).found_by(
        "ndcg map mrr recall precision metrics measures leaderboard significance compare runs"
    ),
    Tab("collection", RESULTS, 215, "splits", "Splits", "split_list", OVERSEERS).found_by(
        "train dev test validation folds"
    ),
    Tab("collection", RESULTS, 220, "set", "Question set", "question_set", OVERSEERS),
    Tab("collection", RESULTS, 230, "contexts", "Citation contexts", "context_report", OVERSEERS).found_by(
        "citation figures"
    ),
    Tab("collection", RESULTS, 240, "exports", "Exports", "export_list", OVERSEERS).found_by(
        "export download files qrels trec beir jsonl csv"
    ),
    Tab("collection", RESULTS, 250, "releases", "Releases", "release_list", OVERSEERS).found_by(
        "publish version doi zenodo croissant dataset card freeze archive"
    ),
    Tab("campaign", PROGRESS, 115, "work", "Quality and hours", "work_detail", MANAGE).found_by(
        "time speed pay pace hours careful drift guideline repeats dawid skene confusion collusion"
    ),
    Tab(
        "campaign", PROGRESS, 120, "judgments", "Judgments", "judgment_list", OVERSEERS, of_kinds("judgments")
    ).found_by("labels answers annotations"),
    Tab(
        "campaign", PROGRESS, 125, "machine-labels", "Machine labels", "machine_label_list", OVERSEERS, MACHINES
    ).found_by("correct llm gpt bulk review"),
    Tab(
        "campaign", PROGRESS, 130, "unparsed", UNPARSED, "unparsed_answer_list", OVERSEERS, of_kinds("machines")
    ).found_by("json errors"),
    Tab(
        "campaign", AGREEMENT, 210, "agreement", "Agreement", "agreement_detail", OVERSEERS, of_kinds("agreement")
    ).found_by("agreement kappa cohen fleiss krippendorff alpha gwet iaa inter-annotator reliability"),
    Tab("campaign", AGREEMENT, 215, "comparison", "Agreement", "extraction_agreement", OVERSEERS, COMPARING).found_by(
        "agreement kappa iaa inter-annotator reliability"
    ),
    Tab("campaign", AGREEMENT, 220, "sample", "Sample size", "sample_size", OVERSEERS, of_kinds("agreement")).found_by(
        "power how many"
    ),
    Tab(
        "campaign",
        AGREEMENT,
        230,
        "audits",
        "Machine audits",
        "machine_audit_list",
        OVERSEERS,
        of_kinds("machines"),
    ).found_by("audit sample machine error prediction powered inference ppi corrected figures"),
    Tab(
        "campaign", ADJUDICATE, 310, "disagreements", "Disagreements", "disagreement_list", OVERSEERS, DIFFERING
    ).found_by("conflicts differences"),
    Tab("campaign", ADJUDICATE, 320, "adjudication", "Adjudication", "adjudication_screen", DECIDE).found_by(
        "tie ties vote votes majority gold decide resolve"
    ),
    Tab(
        "campaign", ADJUDICATE, 340, "relevance", "Relevance", "relevance_list", OVERSEERS, of_kinds("relevance")
    ).found_by("grades scores documents"),
)
