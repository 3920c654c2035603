"""`baselines.py DATA OUT.csv [--sets A,B] [--labels 10,30] [--seeds 3] [--models M]`: known models on the sets in DATA.

The models are of scikit-learn, XGBoost and LightGBM, with sensible fixed settings. They see one-hot values, words and
numbers, on the lines of the set's protocol. Appends to OUT.csv (for `bench:quality --baselines`) and skips the runs that
OUT.csv has already. One thread.
"""
import os

for variable in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[variable] = '1'

import argparse
import collections
import csv
import gzip
import json
import re
import time
import warnings

import lightgbm
import numpy as np
import scipy.sparse as sparse
import xgboost
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

HEAD = 'data,pick,labels,model,seeds,accuracy,macro_f1,log_loss,ece,fit_s,predict_us'.split(',')
MODELS = ['majority', 'bucket', 'knn1', 'knn5', 'mnb', 'lr', 'lr_c10', 'rf', 'et', 'hgb', 'xgb', 'lgb', 'avg_lr_et_gb']
WORD = re.compile(r'[a-z0-9_]+', re.I)
TIME = re.compile(r'^\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d')
# Histogram boosting takes no sparse columns: the most frequent so many.
DENSE_MAX = 300


def flat(event, above=''):
    fields = {}
    for name, value in event.items():
        if isinstance(value, dict):
            fields.update(flat(value, above + name + '.'))
        elif value is not None:
            fields[above + name] = value
    return fields


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def features_of(rows, texts, ignored):
    """Tokens and numbers of each row. A field whose values are not all numbers has tokens."""
    categories = {path for row in rows for path, value in row.items() if not is_number(value)}
    tokens, numbers = [], []
    for row in rows:
        own, measured = set(), {}
        for path, value in row.items():
            if path in ignored:
                continue
            if isinstance(value, list):
                own.update(f'{path}[]={item}' for item in value)
                measured[path + '#'] = len(value)
            elif path in texts:
                own.update(f'{path}~{word.lower()}' for word in WORD.findall(str(value)))
            elif path in categories:
                own.add(f'{path}={value}')
                if isinstance(value, str) and TIME.match(value):
                    measured[path + '@hour'] = int(value[11:13])
                    measured[path + '@day'] = int(value[8:10]) + 31 * int(value[5:7]) + 372 * int(value[:4])
            else:
                measured[path] = float(value)
        # Trees draw columns by number: sorted, they have the same ones in every run.
        tokens.append(sorted(own))
        numbers.append(measured)
    return tokens, numbers


def one_hot(tokens, rows, columns):
    at = [(row, columns[token]) for row, i in enumerate(rows) for token in tokens[i] if token in columns]
    shape = (len(rows), max(1, len(columns)))
    return sparse.csr_matrix((np.ones(len(at)), ([row for row, _ in at], [column for _, column in at])), shape=shape)


def joined(*parts):
    return sparse.hstack([sparse.csr_matrix(part) for part in parts]).tocsr()


class Tables:
    """The same rows as each family of models wants them: a pair of (training, test) each."""

    def __init__(self, tokens, numbers, train, test):
        columns = {}
        for i in train:
            for token in tokens[i]:
                columns.setdefault(token, len(columns))
        paths = sorted({path for i in train for path in numbers[i]})
        hot = [one_hot(tokens, rows, columns) for rows in (train, test)]
        raw = [np.array([[numbers[i].get(path, np.nan) for path in paths] for i in rows]).reshape(len(rows), len(paths)) for rows in (train, test)]
        medians = np.nan_to_num(np.nanmedian(raw[0], 0)) if paths else np.zeros(0)
        filled = [np.where(np.isnan(table), medians, table) for table in raw]
        mean, deviation = filled[0].mean(0), filled[0].std(0) + 1e-9
        missing = [np.isnan(table).astype(float) for table in raw]
        self.linear = [joined(hot[k], np.clip((filled[k] - mean) / deviation, -10, 10), missing[k]) for k in range(2)]
        self.trees = [joined(hot[k], filled[k], missing[k]).astype(np.float32) for k in range(2)]
        edges = [np.unique(np.quantile(filled[0][:, j], np.linspace(0.1, 0.9, 9))) for j in range(len(paths))]
        binned = [[np.eye(len(edge) + 1)[np.searchsorted(edge, table[:, j])] for j, edge in enumerate(edges)] for table in filled]
        self.counts = [joined(hot[k], *binned[k]) for k in range(2)]
        frequent = np.sort(np.argsort(-np.asarray((self.trees[0] != 0).sum(0)).ravel(), kind='stable')[:DENSE_MAX])
        self.dense = [table[:, frequent].toarray() for table in self.trees]


def model_of(name, count, seed, tables):
    """The model, and the table that it takes."""
    if name == 'knn1':
        return KNeighborsClassifier(1), tables.linear
    if name == 'knn5':
        return KNeighborsClassifier(min(5, count)), tables.linear
    if name == 'mnb':
        return MultinomialNB(), tables.counts
    if name == 'lr':
        return LogisticRegression(C=1, max_iter=200), tables.linear
    if name == 'lr_c10':
        return LogisticRegression(C=10, max_iter=200), tables.linear
    if name == 'rf':
        return RandomForestClassifier(200, random_state=seed), tables.trees
    if name == 'et':
        return ExtraTreesClassifier(200, random_state=seed), tables.trees
    if name == 'hgb':
        return HistGradientBoostingClassifier(max_iter=100, random_state=seed, early_stopping=False), tables.dense
    if name == 'xgb':
        return xgboost.XGBClassifier(
            n_estimators=120, max_depth=6, learning_rate=0.1, subsample=0.9, colsample_bytree=0.5, tree_method='hist', n_jobs=1,
            random_state=seed), tables.trees
    return lightgbm.LGBMClassifier(
        n_estimators=100, learning_rate=0.1, min_child_samples=max(2, min(20, count // 10)), n_jobs=1, verbose=-1, random_state=seed), tables.trees


def looked_up(keys, labels, train, test, prior):
    """Shares of the labels of the bucket's examples and one more of all."""
    counts = collections.defaultdict(lambda: np.zeros(len(prior)))
    for i in train:
        counts[keys[i]][labels[i]] += 1
    return np.array([(counts[keys[i]] + prior) / (counts[keys[i]].sum() + 1) if keys[i] in counts else prior for i in test])


def judged(chances, truth):
    """Accuracy, macro F1 over the classes of the truth, log-loss mixed with 0.001 of the uniform, calibration error in 15 bins."""
    count = chances.shape[1]
    said, top = chances.argmax(1), chances.max(1)
    right = said == truth
    loss = -np.log((0.999 * chances + 0.001 / count)[np.arange(len(truth)), truth]).mean()
    f1 = [2 * ((said == k) & (truth == k)).sum() / ((said == k).sum() + (truth == k).sum()) for k in range(count) if (truth == k).any()]
    bins = np.clip(np.ceil(top * 15) - 1, 0, 14).astype(int)
    error = sum(abs(top[bins == b].sum() - right[bins == b].sum()) for b in range(15)) / len(truth)
    return right.mean(), np.mean(f1), loss, error


class LabelledSet:
    def __init__(self, folder):
        with gzip.open(f'{folder}/protocol.json.gz') as file:
            self.protocol = json.load(file)
        with gzip.open(f'{folder}/events.jsonl.gz', 'rt') as file:
            lines = [json.loads(line) for line in file]
        names = sorted({line['label'] for line in lines})
        self.class_count = len(names)
        self.labels = np.array([names.index(line['label']) for line in lines])
        rows = [flat(line['event']) for line in lines]
        self.keys = [tuple(json.dumps(row.get(path), sort_keys=True) for path in self.protocol['bucket_fields']) for row in rows]
        self.tokens, self.numbers = features_of(rows, set(self.protocol['text_fields']), set(self.protocol['ignored_fields']))
        self.test = np.array(self.protocol['test'])

    def figures(self, pick, count, seed, wanted):
        """By model: judged(...), seconds of training, microseconds a decision."""
        train = np.array(self.protocol['picks'][pick][str(seed)][:count])
        labels = self.labels[train]
        known = np.unique(labels)
        prior = np.bincount(labels, minlength=self.class_count) / len(labels)
        tables = Tables(self.tokens, self.numbers, train, self.test)
        answers, figures = {}, {}
        for name in wanted:
            begun = fitted = time.time()
            if name == 'majority' or (len(known) < 2 and name != 'bucket'):
                chances = np.tile(prior, (len(self.test), 1))
            elif name == 'bucket':
                chances = looked_up(self.keys, self.labels, train, self.test, prior)
            elif name == 'avg_lr_et_gb':
                chances = (answers['lr'] + answers['et'] + answers['xgb']) / 3
            else:
                model, (table, scored) = model_of(name, count, seed, tables)
                model.fit(table, np.searchsorted(known, labels))
                fitted = time.time()
                chances = np.zeros((len(self.test), self.class_count))
                chances[:, known] = model.predict_proba(scored)
            answers[name] = chances
            figures[name] = (*judged(chances, self.labels[self.test]), fitted - begun, (time.time() - fitted) * 1e6 / len(self.test))
        return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('data')
    parser.add_argument('out')
    parser.add_argument('--sets')
    parser.add_argument('--labels', default='10,30,100,300,1000')
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--models', default=','.join(MODELS))
    options = parser.parse_args()
    warnings.filterwarnings('ignore')
    done = set()
    if os.path.exists(options.out):
        with open(options.out) as file:
            done = {(row['data'], row['pick'], int(row['labels'])) for row in csv.DictReader(file)}
    else:
        with open(options.out, 'w') as file:
            file.write(','.join(HEAD) + '\n')
    for name in options.sets.split(',') if options.sets else sorted(os.listdir(options.data)):
        labelled = LabelledSet(f'{options.data}/{name}')
        for pick in ('random', 'bucket'):
            for count in map(int, options.labels.split(',')):
                if (name, pick, count) in done or len(labelled.protocol['picks'][pick]['0']) < count:
                    continue
                begun = time.time()
                runs = [labelled.figures(pick, count, seed, options.models.split(',')) for seed in range(options.seeds)]
                with open(options.out, 'a') as file:
                    for model in runs[0]:
                        means = np.mean([run[model] for run in runs], 0)
                        file.write(','.join([name, pick, str(count), model, str(len(runs)), *(f'{mean:.4f}' for mean in means)]) + '\n')
                print(f'{name}, {pick}, {count} labels: {time.time() - begun:.0f} s', flush=True)


if __name__ == '__main__':
    main()
