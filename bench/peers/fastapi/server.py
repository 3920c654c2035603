"""The peer that people would take: FastAPI on uvicorn, a random forest of scikit-learn, SQLite.

SQLite is in WAL mode with synchronous=FULL, so an answered event survives a power cut here, too. One event a request
is one transaction; a batch is decided at once and stored in one transaction. It checks no key and keeps no buckets,
votes or audit log, which is in its favour.

    python server.py SAMPLES DIRECTORY     trains on {"points": {...}, "label": "..."} a line
    uvicorn server:app                     serves; PEER_DIRECTORY is the directory, PEER_POINTS the fields, as JSON
"""

import json
import os
import pickle
import sqlite3
import sys
import threading
import time
import uuid

from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.pipeline import make_pipeline

INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)"


def features(points):
    """Numbers stay numbers, everything else is a category; a list has one for each item."""
    row = {}
    for name, value in points.items():
        if isinstance(value, list):
            row.update({f"{name}={item}": 1 for item in value})
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            row[name] = value
        elif value is not None:
            row[name] = str(value)
    return row


def value_at(body, path):
    for name in path:
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def train(samples, directory):
    with open(samples, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    model = make_pipeline(DictVectorizer(), RandomForestClassifier(n_estimators=100, random_state=0))
    model.fit([features(row["points"]) for row in rows], [row["label"] for row in rows])
    with open(os.path.join(directory, "model.pickle"), "wb") as file:
        pickle.dump(model, file)


class Event(BaseModel):
    job_id: int
    raw_body: dict


app = FastAPI()


class State:
    """What a worker has. It is opened with the first request: workers are forked before."""

    def __init__(self):
        directory = os.environ["PEER_DIRECTORY"]
        self.paths = [(name, name.split(".")) for name in json.loads(os.environ["PEER_POINTS"])]
        with open(os.path.join(directory, "model.pickle"), "rb") as file:
            self.model = pickle.load(file)
        self.store = sqlite3.connect(os.path.join(directory, "peer.sqlite"), timeout=60, isolation_level=None)
        self.store.execute("PRAGMA journal_mode = WAL")
        self.store.execute("PRAGMA synchronous = FULL")
        self.store.execute(
            "CREATE TABLE IF NOT EXISTS events (event_id TEXT PRIMARY KEY, job_id INTEGER NOT NULL, "
            "ingest_micros INTEGER NOT NULL, result_label TEXT NOT NULL, confidence REAL NOT NULL, "
            "raw_body TEXT NOT NULL) WITHOUT ROWID"
        )

    def decide(self, events):
        rows = [features({name: value_at(event.raw_body, path) for name, path in self.paths}) for event in events]
        shares = self.model.predict_proba(rows)
        best = shares.argmax(axis=1)
        return [(str(self.model.classes_[at]), float(share[at])) for at, share in zip(best, shares)]

    def take(self, events):
        now = time.time_ns() // 1000
        records = [
            (uuid.uuid4().hex, event.job_id, now, label, 100 * share, json.dumps(event.raw_body))
            for event, (label, share) in zip(events, self.decide(events))
        ]
        self.store.execute("BEGIN IMMEDIATE")
        self.store.executemany(INSERT, records)
        self.store.execute("COMMIT")
        return [
            {"event_id": one[0], "job_id": one[1], "status": "OK", "result_label": one[3], "confidence_score": one[4]}
            for one in records
        ]


state = None


def opened():
    global state
    if state is None:
        state = State()
    return state


def end_with(parent):
    """A worker ends when the process that started it is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()


@app.post("/api/v1/events/", status_code=201)
async def one_event(event: Event):
    return opened().take([event])[0]


@app.post("/api/v1/events/batch", status_code=201)
async def batch(events: list[Event]):
    return opened().take(events)


@app.get("/count")
async def count():
    return {"stored": opened().store.execute("SELECT count(*) FROM events").fetchone()[0]}


if __name__ == "__main__":
    train(*sys.argv[1:3])
