"""MAPIE's BinaryClassificationController on streams of audits whose true rate is known.

It controls the precision of one threshold (Learn then Test, 2110.01052): is the rate of wrong answers below epsilon? Its
promise is for one look at a number of audits that is fixed before. Usage: mapie_streams.py STREAMS
"""

import sys
import warnings

import numpy as np
from mapie.risk_control import BinaryClassificationController

warnings.filterwarnings("ignore")
DELTA = 0.05
LOOKS = 20


def certain(x):
    """Every audited answer is the same label: the model is sure of all."""
    return np.column_stack((np.zeros(len(x)), np.ones(len(x))))


def opens(wrong, epsilon):
    controller = BinaryClassificationController(
        certain, "precision", 1 - epsilon, confidence_level=1 - DELTA, list_predict_params=np.array([0.5])
    )
    controller.calibrate(np.zeros((len(wrong), 1)), 1 - wrong)
    return len(controller.valid_predict_params) > 0


def clean_audits(epsilon):
    """The least number of audits, all of them right, that it takes."""
    low, high = 1, 100_000
    while low < high:
        middle = (low + high) // 2
        if opens(np.zeros(middle, dtype=int), epsilon):
            high = middle
        else:
            low = middle + 1
    return low


def main():
    streams = int(sys.argv[1])
    rows = [("epsilon, true rate", "audits", "opens, one look", f"opens, {LOOKS} looks", "clean audits needed")]
    for epsilon, most in ((0.01, 3_000), (0.005, 6_000)):
        needed = clean_audits(epsilon)
        for share in (1, 0.5, 0.2, 0.1):
            random = np.random.default_rng(1)
            one, many = 0, 0
            looked = min(streams, 400)
            for at in range(streams):
                wrong = (random.random(most) < share * epsilon).astype(int)
                one += opens(wrong, epsilon)
                if at < looked:
                    many += any(opens(wrong[: most * look // LOOKS], epsilon) for look in range(1, LOOKS + 1))
            rows.append(
                (
                    f"{100 * epsilon:g} %, {share} epsilon",
                    str(most),
                    f"{100 * one / streams:.1f} %",
                    f"{100 * many / looked:.1f} %",
                    str(needed),
                )
            )
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


main()
