"""Ranks labels by Cleanlab: reads runs of held-out probabilities and labels, writes the places of each, worst first.

A run is {"labels": [...], "probabilities": [[...], ...]} without labels that nothing has.
"""

import json
import sys

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores


def ranked(run):
    labels = np.array(run["labels"])
    probabilities = np.array(run["probabilities"])
    present = np.unique(labels)
    codes = np.searchsorted(present, labels)
    kept = probabilities[:, present]
    kept = kept / kept.sum(axis=1, keepdims=True)
    scores = get_label_quality_scores(codes, kept)
    issues = find_label_issues(codes, kept, return_indices_ranked_by="self_confidence")
    return {"scores": np.argsort(scores, kind="stable").tolist(), "issues": issues.tolist()}


with open(sys.argv[1], encoding="utf-8") as source:
    runs = json.load(source)
with open(sys.argv[2], "w", encoding="utf-8") as target:
    json.dump([ranked(run) for run in runs], target)
