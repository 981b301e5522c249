"""Addresses of the adjudication app."""

from typing import Any

from django.urls import URLPattern, URLResolver, path

from accounts.api import rest_addresses
from adjudication.agreement import api as agreement_api
from adjudication.agreement.operations import REQUEST_AGREEMENT, REQUEST_VOTE
from adjudication.agreement.pages import agreement, disagreements
from adjudication.cycles import api as cycles_api
from adjudication.cycles.operations import CHOOSE_TEST_SET, DECIDE_CYCLE, FREEZE_MACHINE
from adjudication.cycles.pages import cycles, unparsed_answers
from adjudication.evaluation import api as evaluation_api
from adjudication.evaluation.operations import JUDGE_UNJUDGED, REQUEST_EVALUATION
from adjudication.evaluation.pages import details, evaluations, sheets
from adjudication.exports import api as exports_api
from adjudication.exports import pages as exports
from adjudication.following import api as following_api
from adjudication.following import pages as following
from adjudication.following.operations import SET_PAY_RATE
from adjudication.guide import pages as guide
from adjudication.machine_audits import api as machine_audits_api
from adjudication.machine_audits import pages as machine_audits
from adjudication.machine_audits.operations import DRAW_AUDIT_SAMPLE
from adjudication.papers import api as papers_api
from adjudication.papers.operations import MAKE_CONTEXT_TOPICS
from adjudication.papers.pages import contexts, paper_editing, papers
from adjudication.questions import api as questions_api
from adjudication.questions import pages as questions
from adjudication.releases import api as releases_api
from adjudication.releases import pages as releases
from adjudication.releases.operations import REQUEST_RELEASE, STATE_RELEASE_ADDRESS
from adjudication.splits import api as splits_api
from adjudication.splits import pages as splits
from adjudication.splits.operations import DELETE_SPLIT, MAKE_SPLIT
from adjudication.verdicts import api as verdicts_api
from adjudication.verdicts.operations import CORRECT_MACHINE_LABEL, DRAW_KNOWN_ANSWERS, UNDO_CORRECTION
from adjudication.verdicts.pages import acceptance, adjudication, corrections, judgments, relevance
from annotation.campaigns.api.base import InCampaignView
from corpus.collections.api.base import InCollectionView

API: dict[str, tuple[Any, ...]] = {
    "collections/<slug:slug>/": (
        ("anno-gpt/", cycles_api.CycleList, "api_cycles"),
        ("anno-gpt/<int:number>/", cycles_api.CycleDetail, "api_cycle"),
        (
            "anno-gpt/<int:number>/test-set/",
            cycles_api.InCycleView.for_verbs({"post": CHOOSE_TEST_SET}),
            "api_cycle_test_set",
        ),
        (
            "anno-gpt/<int:number>/freezing/",
            cycles_api.InCycleView.for_verbs({"post": FREEZE_MACHINE}),
            "api_cycle_freezing",
        ),
        ("anno-gpt/<int:number>/runs/", cycles_api.CycleRuns, "api_cycle_runs"),
        ("anno-gpt/<int:number>/test/", cycles_api.CycleTest, "api_cycle_test"),
        (
            "anno-gpt/<int:number>/decision/",
            cycles_api.InCycleView.for_verbs({"post": DECIDE_CYCLE}),
            "api_cycle_decision",
        ),
        ("question-set/", questions_api.QuestionSetFigures, "api_question_set"),
        ("splits/", splits_api.SplitList, "api_splits"),
        ("splits/<slug:name>/", splits_api.SplitDetail, "api_split"),
        ("evaluations/", evaluation_api.EvaluationList, "api_evaluations"),
        ("evaluations/<int:pk>/", evaluation_api.EvaluationDetail, "api_evaluation"),
        (
            "evaluations/<int:pk>/judging/",
            evaluation_api.EvaluationReader.for_verbs({"post": JUDGE_UNJUDGED}),
            "api_evaluation_judging",
        ),
        ("search-sheet/", evaluation_api.EmptySheet, "api_search_sheet"),
        ("search-sheet/filled/", evaluation_api.FilledSheetView, "api_filled_sheet"),
        ("context-topics/", InCollectionView.for_verbs({"post": MAKE_CONTEXT_TOPICS}), "api_context_topics"),
        ("exports/", exports_api.ExportList, "api_exports"),
        ("exports/<slug:name>/", exports_api.ExportFile, "api_export"),
        ("releases/", releases_api.ReleaseList, "api_releases"),
        ("releases/<str:name>/", releases_api.ReleaseDetail, "api_release"),
        ("releases/<str:name>/archive/", releases_api.ReleaseArchive, "api_release_archive"),
        ("releases/<str:name>/files/<path:path>", releases_api.ReleaseFile, "api_release_file"),
        ("lines/", releases_api.LineDetail, "api_line"),
    ),
    "collections/<slug:slug>/campaigns/<slug:campaign>/": (
        ("agreement/", agreement_api.AgreementView, "api_agreement"),
        ("votes/", agreement_api.VoteList, "api_votes"),
        ("relevance/", verdicts_api.RelevanceList, "api_relevance"),
        ("relevance/<str:number>/", verdicts_api.RelevanceDetail, "api_topic_relevance"),
        (
            "known-answers/drawings/",
            InCampaignView.for_verbs({"post": DRAW_KNOWN_ANSWERS}, page="gold"),
            "api_known_answer_drawings",
        ),
        ("machine-labels/", verdicts_api.MachineLabels, "api_machine_labels"),
        (
            "machine-labels/undoing/",
            verdicts_api.InReadableView.for_verbs({"post": UNDO_CORRECTION}, page="machines"),
            "api_correction_undoing",
        ),
        ("verdicts/", agreement_api.VerdictList, "api_verdicts"),
        ("papers/", papers_api.PaperQueue, "api_paper_queue"),
        ("papers/majorities/", papers_api.PaperMajorities, "api_paper_majorities"),
        ("papers/<int:pk>/", papers_api.PaperDetail, "api_paper_case"),
        ("papers/<int:pk>/opening/", papers_api.PaperOpening, "api_paper_opening"),
        ("papers/<int:pk>/choice/", papers_api.PaperChoice, "api_paper_choice"),
        ("papers/<int:pk>/step/", papers_api.PaperStep, "api_paper_step"),
        ("papers/<int:pk>/content/", papers_api.PaperContent, "api_paper_content"),
        ("papers/<int:pk>/acceptance/", papers_api.PaperAcceptance, "api_paper_acceptance"),
        ("papers/<int:pk>/sending-back/", papers_api.PaperSentBack, "api_paper_sending_back"),
        ("quality/", following_api.QualityView, "api_quality"),
        ("machine-audits/", machine_audits_api.MachineAuditList, "api_machine_audits"),
        ("machine-audits/<int:pk>/", machine_audits_api.MachineAuditDetail, "api_machine_audit"),
        ("costs/", following_api.CostView, "api_costs"),
        ("pay/", following_api.PayView, "api_pay"),
    ),
}

urlpatterns: list[URLPattern | URLResolver] = [
    rest_addresses(API),
    path("help/statistics/", agreement.statistics_help, name="statistics_help"),
    path("c/<slug:slug>/guide/<slug:step>/<slug:act>/", guide.guide_step, name="guide_step"),
    path("c/<slug:slug>/questions/", questions.question_set, name="question_set"),
    path("c/<slug:slug>/anno-gpt/", cycles.cycle_list, name="cycle_list"),
    path("c/<slug:slug>/anno-gpt/new/", cycles.cycle_create, name="cycle_create"),
    *[
        path(f"c/<slug:slug>/anno-gpt/<int:number>/{address}", view, name=name)
        for address, view, name in (
            ("", cycles.cycle_detail, "cycle_detail"),
            ("freezing/", FREEZE_MACHINE.page, "cycle_freeze"),
            ("test-set/", CHOOSE_TEST_SET.page, "cycle_test_set"),
            ("runs/", cycles.cycle_run, "cycle_run"),
            ("test/", cycles.cycle_test, "cycle_test"),
            ("decision/", DECIDE_CYCLE.page, "cycle_decide"),
        )
    ],
    *[
        path(f"c/<slug:slug>/releases/{address}", view, name=name)
        for address, view, name in (
            ("", releases.release_list, "release_list"),
            ("new/", REQUEST_RELEASE.page, "release_create"),
            ("statement/", releases.statement_edit, "statement_edit"),
            ("lines/", releases.line_detail, "line_detail"),
            ("<str:name>/", releases.release_detail, "release_detail"),
            ("<str:name>/archive/", releases.release_archive, "release_archive"),
            ("<str:name>/files/<path:path>", releases.release_file, "release_file"),
            ("<str:name>/publication/", releases.release_publish, "release_publish"),
            ("<str:name>/address/", STATE_RELEASE_ADDRESS.page, "release_address"),
        )
    ],
    path("releases/<slug:slug>/<str:name>/", releases.opened_release, name="public_release"),
    path("releases/<slug:slug>/<str:name>/archive/", releases.opened_archive, name="public_archive"),
    path("releases/<slug:slug>/<str:name>/files/<path:path>", releases.opened_file, name="public_file"),
    path("reviewing/<str:token>/", releases.opened_release, name="reviewing_release"),
    path("reviewing/<str:token>/archive/", releases.opened_archive, name="reviewing_archive"),
    path("reviewing/<str:token>/files/<path:path>", releases.opened_file, name="reviewing_file"),
    path("c/<slug:slug>/exports/", exports.export_list, name="export_list"),
    path("c/<slug:slug>/exports/<slug:name>/", exports.export_download, name="export_download"),
    *[
        path(f"c/<slug:slug>/evaluation/{address}", view, name=name)
        for address, view, name in (
            ("", evaluations.evaluation_list, "evaluation_list"),
            ("new/", REQUEST_EVALUATION.page, "evaluation_create"),
            ("search-sheet/", sheets.search_sheet, "search_sheet"),
            ("search-sheet/sheet.csv", sheets.search_sheet_file, "search_sheet_file"),
            ("qrels/<int:pk>/deletion/", evaluations.qrels_delete, "qrels_delete"),
            ("<int:pk>/", evaluations.evaluation_detail, "evaluation_detail"),
            ("<int:pk>/repetition/", evaluations.evaluation_repetition, "evaluation_repetition"),
            ("<int:pk>/run/", details.evaluation_run, "evaluation_run"),
            ("<int:pk>/topic/", details.evaluation_topic, "evaluation_topic"),
            ("<int:pk>/topics/", details.evaluation_topics, "evaluation_topics"),
            ("<int:pk>/pairs/", details.evaluation_matrix, "evaluation_matrix"),
            ("<int:pk>/pairs.<slug:form>", details.evaluation_matrix_file, "evaluation_matrix_file"),
            ("<int:pk>/judging/", JUDGE_UNJUDGED.page, "evaluation_judging"),
            ("<int:pk>/plot.<slug:form>", evaluations.evaluation_plot, "evaluation_plot"),
            ("<int:pk>/table.<slug:form>", evaluations.evaluation_table, "evaluation_table"),
        )
    ],
    *[
        path(f"c/<slug:slug>/splits/{address}", view, name=name)
        for address, view, name in (
            ("", splits.split_list, "split_list"),
            ("new/", MAKE_SPLIT.page, "split_create"),
            ("of/<slug:name>/", splits.split_detail, "split_detail"),
            ("of/<slug:name>/removal/", DELETE_SPLIT.page, "split_delete"),
        )
    ],
    *[
        path(f"c/<slug:slug>/contexts/{address}", view, name=name)
        for address, view, name in (
            ("", contexts.context_report, "context_report"),
            ("table.<slug:form>", contexts.context_table, "context_table"),
            ("topics/", MAKE_CONTEXT_TOPICS.page, "context_topics_create"),
        )
    ],
    *[
        path(f"c/<slug:slug>/campaigns/<slug:campaign>/{address}", view, name=name)
        for address, view, name in (
            ("agreement/", agreement.agreement_detail, "agreement_detail"),
            ("agreement/report/", agreement.agreement_report, "agreement_report"),
            ("agreement/report/table.<slug:form>", agreement.agreement_table, "agreement_table"),
            ("agreement/sample-size/", agreement.sample_size, "sample_size"),
            ("agreement/runs/", REQUEST_AGREEMENT.page, "agreement_create"),
            ("agreement/runs/<int:pk>/figures/", agreement.agreement_download, "agreement_download"),
            ("agreement/runs/<int:pk>/figures/<str:file>", agreement.agreement_figure, "agreement_figure"),
            ("extraction-agreement/", papers.extraction_agreement, "extraction_agreement"),
            ("disagreements/", disagreements.disagreement_list, "disagreement_list"),
            ("work/", following.work_detail, "work_detail"),
            ("work/count/", following.work_count, "work_count"),
            ("work/pay/", SET_PAY_RATE.page, "pay_rate_set"),
            ("work/quality.csv", following.quality_file, "quality_file"),
            ("work/costs/", following.cost_detail, "cost_detail"),
            ("work/pay.csv", following.pay_sheet_file, "pay_sheet"),
            ("judgments/", judgments.judgment_list, "judgment_list"),
            ("machine-labels/", corrections.machine_label_list, "machine_label_list"),
            ("machine-labels/corrections/", CORRECT_MACHINE_LABEL.page, "machine_label_correct"),
            ("machine-labels/corrections/undoing/", UNDO_CORRECTION.page, "machine_label_undo"),
            ("gold/drawing/", DRAW_KNOWN_ANSWERS.page, "known_answers_draw"),
            ("machine-audits/", machine_audits.machine_audit_list, "machine_audit_list"),
            ("machine-audits/new/", DRAW_AUDIT_SAMPLE.page, "machine_audit_draw"),
            ("machine-audits/<int:pk>/", machine_audits.machine_audit_detail, "machine_audit_detail"),
            ("machine-audits/<int:pk>/figures.csv", machine_audits.machine_audit_file, "machine_audit_file"),
            ("relevance/", relevance.relevance_list, "relevance_list"),
            ("relevance/<int:topic>/", relevance.relevance_detail, "relevance_detail"),
            ("votes/", REQUEST_VOTE.page, "vote_create"),
            ("adjudication/", adjudication.adjudication_screen, "adjudication_screen"),
            ("machines/unparsed/", unparsed_answers.unparsed_answer_list, "unparsed_answer_list"),
            ("adjudication/items/<int:item>/opening/", unparsed_answers.verdict_open, "verdict_open"),
            ("adjudication/own-items/", adjudication.own_items_decide, "own_items_decide"),
            ("adjudication/<int:pk>/decision/", adjudication.verdict_decide, "verdict_decide"),
            ("adjudication/<int:pk>/withdrawal/", adjudication.verdict_withdraw, "verdict_withdraw"),
            ("adjudication/<int:pk>/judge/", adjudication.verdict_send_back, "verdict_send_back"),
            ("adjudication/<int:pk>/judge/recall/", adjudication.verdict_recall, "verdict_recall"),
            ("adjudication/papers/<int:pk>/choice/", papers.paper_choose, "paper_choose"),
            ("adjudication/papers/<int:pk>/step/", papers.paper_step, "paper_step"),
            ("adjudication/papers/<int:pk>/acceptance/", papers.paper_accept, "paper_accept"),
            ("adjudication/papers/<int:pk>/judge/", papers.paper_send_back, "paper_send_back"),
            ("adjudication/papers/<int:pk>/result/", paper_editing.paper_edit, "paper_edit"),
            ("adjudication/papers/<int:pk>/result/save/", paper_editing.paper_save, "paper_save"),
            ("adjudication/papers/<int:pk>/result/move/", paper_editing.paper_move, "paper_move"),
            ("adjudication/papers/<int:pk>/result/proposal/", paper_editing.paper_propose, "paper_propose"),
            ("adjudication/papers/<int:pk>/result/reading/", paper_editing.paper_read, "paper_read"),
            ("adjudication/papers/<int:pk>/result/references/", paper_editing.paper_search, "paper_search"),
            ("adjudication/papers/<int:pk>/result/pages/<int:page>/", paper_editing.paper_page, "paper_page"),
            ("adjudication/acceptance/", acceptance.acceptance, "acceptance"),
            ("adjudication/acceptance/undo/", acceptance.acceptance_undo, "acceptance_undo"),
        )
    ],
]
