"""The betting martingale of confseq on streams of audits whose true rate is known, beside our capital on the same ones.

confseq's default bets are those of Waudby-Smith and Ramdas (2010.09686), predictable plug-in with empirical Bernstein,
one-sided against "the rate is epsilon or more". Usage: confseq_streams.py STREAMS
"""

import sys

import numpy as np
from confseq.betting import betting_mart

DELTA = 0.05
BETS = ((0, 0.4), (0.1, 0.2), (0.25, 0.2), (0.5, 0.2))


def capital(x, epsilon):
    """K after each audit, as in engine/domain/autonomy/evidence.ts."""
    failures = np.cumsum(x)
    clean = np.arange(1, len(x) + 1) - failures
    sums = np.zeros(len(x))
    for rate, weight in BETS:
        q = rate * epsilon
        lost = np.where(failures > 0, failures * np.log(q / epsilon) if q > 0 else -np.inf, 0.0)
        sums += weight * np.exp(np.clip(lost + clean * (np.log1p(-q) - np.log1p(-epsilon)), -700, 700))
    return sums


def theirs(x, epsilon):
    with np.errstate(all="ignore"):
        return betting_mart(x, epsilon, alpha=DELTA, theta=0)


def first(values):
    opened = np.flatnonzero(values >= 1 / DELTA)
    return int(opened[0]) + 1 if len(opened) else None


def main():
    streams = int(sys.argv[1])
    rows = [("epsilon, true rate", "audits", "ours opens", "median", "confseq opens", "median")]
    for epsilon, most in ((0.01, 3_000), (0.005, 6_000)):
        for share in (1, 0.5, 0.2, 0.1):
            random = np.random.default_rng(1)
            ours, others = [], []
            for _ in range(streams):
                x = (random.random(most) < share * epsilon).astype(float)
                ours.append(first(capital(x, epsilon)))
                others.append(first(theirs(x, epsilon)))
            row = [f"{100 * epsilon:g} %, {share} epsilon", str(most)]
            for opened in (ours, others):
                times = [most + 1 if one is None else one for one in opened]
                count = sum(one is not None for one in opened)
                middle = int(np.median(times))
                row += [f"{100 * count / streams:.1f} %", "over the end" if middle > most else str(middle)]
            rows.append(tuple(row))
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


main()
