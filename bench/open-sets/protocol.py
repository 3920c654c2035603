"""A labelled set as `bench:quality` takes it (bench/README.md): events.jsonl.gz, protocol.json.gz, about.json.

The first 60 % of a set may be labelled. At most 2,000 of the rest are scored, evenly spaced. All draws use fixed seeds, so
any two runs have the same lines.
"""
import collections
import gzip
import json
import math
import os
import random
from dataclasses import dataclass

import numpy
import pandas

SEEDS = 3
ROWS_MAX = 20_000
SCORED_MAX = 2_000
PICKS_MAX = 3_000
OUTLIERS_MAX = 1_000


@dataclass
class LabelledSet:
    """Events with their labels. `buckets`: fields that part the events; `ignored`: no learner sees these fields; `texts`: words are
    looked at; `outliers`: labels that are kept out of a training to see whether they are found to be unlike it; `order`: 'shuffled'
    where the source has none, else what the order is."""
    rows: list  # of (event, label)
    buckets: list
    source: str
    order: str
    texts: tuple = ()
    ignored: tuple = ()
    outliers: tuple = ()


def plain(value):
    """A value of a data frame as JSON has it; None where it is missing."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, (float, numpy.floating)):
        number = float(value)
        if math.isnan(number) or math.isinf(number):
            return None
        return int(number) if number.is_integer() and abs(number) < 1e15 else round(number, 6)
    if isinstance(value, numpy.integer):
        return int(value)
    if isinstance(value, numpy.bool_):
        return bool(value)
    if isinstance(value, pandas.Timestamp):
        return value.isoformat()
    return value if isinstance(value, (str, int, bool, list, dict)) else str(value)


def event_of(row, fields):
    """`fields`: a column, or what makes the value of a row, by its path in the event."""
    event = {}
    for path, column in fields.items():
        value = plain(row[column]) if isinstance(column, str) else column(row)
        if value is None:
            continue
        at = event
        *above, last = path.split('.')
        for name in above:
            at = at.setdefault(name, {})
        at[last] = value
    return event


def value_at(event, path):
    for name in path.split('.'):
        event = event.get(name) if isinstance(event, dict) else None
    return json.dumps(event, sort_keys=True)


def evenly(numbers, most):
    return numbers if len(numbers) <= most else [numbers[int(i * len(numbers) / most)] for i in range(most)]


def largest_first(keys, first, most, draw):
    """One event of each bucket, that of the largest bucket in front, then the rest in any order."""
    members = collections.defaultdict(list)
    for i in range(first):
        members[keys[i]].append(i)
    picked = [draw.choice(members[key]) for key in sorted(members, key=lambda key: (-len(members[key]), key))][:most]
    rest = sorted(set(range(first)) - set(picked))
    draw.shuffle(rest)
    return (picked + rest)[:most]


def outlier_test(labels, label, first, test, most):
    known = [i for i in range(first) if labels[i] != label]
    unknown = [i for i, other in enumerate(labels) if other == label]
    tests = {}
    for seed in range(SEEDS):
        draw = random.Random(200 + seed)
        tests[str(seed)] = {
            'train': draw.sample(known, min(most, len(known))),
            'inliers': [i for i in test if labels[i] != label],
            'outliers': unknown if len(unknown) <= OUTLIERS_MAX else sorted(draw.sample(unknown, OUTLIERS_MAX)),
        }
    return tests


def write(name, labelled, folder):
    rows = list(labelled.rows)
    draw = random.Random(7)
    if labelled.order == 'shuffled':
        draw.shuffle(rows)
        rows = rows[:ROWS_MAX]
    elif len(rows) > ROWS_MAX:
        rows = [rows[i] for i in sorted(draw.sample(range(len(rows)), ROWS_MAX))]
    labels = [str(label) for _, label in rows]
    first = int(len(rows) * 0.6)
    test = evenly(list(range(first, len(rows))), SCORED_MAX)
    most = min(PICKS_MAX, first)
    keys = [tuple(value_at(event, path) for path in labelled.buckets) for event, _ in rows]
    picks = {'random': {}, 'bucket': {}}
    for seed in range(SEEDS):
        draw = random.Random(100 + seed)
        picks['random'][str(seed)] = draw.sample(range(first), most)
        picks['bucket'][str(seed)] = largest_first(keys, first, most, draw)
    outliers = {label: outlier_test(labels, label, first, test, most) for label in labelled.outliers}
    home = os.path.join(folder, name)
    os.makedirs(home, exist_ok=True)
    with gzip.open(os.path.join(home, 'events.jsonl.gz'), 'wt') as file:
        for i, (event, _) in enumerate(rows):
            line = {'id': f'{name}-{i}', 'ts': None, 'event': event, 'label': labels[i], 'meta': {}}
            file.write(json.dumps(line, ensure_ascii=False) + '\n')
    with gzip.open(os.path.join(home, 'protocol.json.gz'), 'wt') as file:
        json.dump({
            'test': test, 'picks': picks, 'bucket_fields': labelled.buckets, 'ignored_fields': list(labelled.ignored),
            'text_fields': list(labelled.texts), 'outliers': outliers,
        }, file)
    counts = collections.Counter(labels)
    about = {'source': labelled.source, 'order': labelled.order, 'rows': len(rows), 'labels': dict(counts.most_common())}
    with open(os.path.join(home, 'about.json'), 'w') as file:
        json.dump(about, file, indent=1)
    print(f'{name}: {len(rows)} events, {len(set(keys))} buckets, {dict(counts.most_common())}', flush=True)
