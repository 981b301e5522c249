"""How CSFCube's `expected_eval` calls its figures, and how they are asked for here, by the script that made them."""

NAMES = {
    "csfcube_script": {
        "recall": "CSFCube_R@20",
        "precision": "P@20",
        "f1": "CSFCube_F1@20",
        "r_precision": "CSFCube_Rprec",
        "av_precision": "CSFCube_AP",
        "reciprocal_rank": "RR",
        "ndcg": "CSFCube_nDCG",
        "ndcg@20": "CSFCube_nDCG@20",
        "ndcg%20": "CSFCube_nDCG@20%",
    },
    "trec_eval_9_relevance_level_2": {
        "map": "AP",
        "Rprec": "Rprec",
        "recip_rank": "RR",
        "P_20": "P@20",
        "recall_20": "R@20",
        "ndcg": "nDCG",
        "ndcg_cut_20": "nDCG@20",
    },
}
