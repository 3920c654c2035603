"""What schemathesis does not know of the service: NDJSON, messages of streams, and values that lead somewhere.

Generated ids hardly ever name anything, so about half of them are replaced by ones that do. The choice hangs on the
generated value alone, so that a run with the same seed sends the same requests.
"""
import json
import os
import zlib

import schemathesis

NDJSON = "application/x-ndjson"
KNOWN = json.loads(os.environ["KNOWN_VALUES"])


@schemathesis.serializer(NDJSON)
def to_lines(ctx, value):
    lines = value if isinstance(value, list) else [value]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


@schemathesis.deserializer(NDJSON)
def from_lines(ctx, response):
    """The schema is that of a line. Of an answer without lines there is nothing to check."""
    lines = [line for line in response.content.decode().split("\n") if line]
    return json.loads(lines[0]) if lines else {"status": "ERROR", "status_code": 400, "error": "no line"}


@schemathesis.deserializer("text/event-stream")
def from_events(ctx, response):
    """The messages of a stream as the document has them: `type` is the name of the event, `data` is JSON.

    Agents get the message of their protocol alone, under the event name `message`.
    """
    messages = []
    for block in response.content.decode().replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "data" not in fields:
            continue
        data = json.loads(fields["data"])
        name = fields.get("event", "message")
        messages.append(data if name == "message" else {"id": fields["id"], "type": name, "data": data})
    return messages


def with_known(values):
    if not isinstance(values, dict):
        return values
    for name, known in KNOWN.items():
        if name not in values:
            continue
        choice = zlib.crc32(repr(values[name]).encode())
        if choice % 2 == 0:
            values[name] = known[choice // 2 % len(known)]
    return values


@schemathesis.hook
def map_path_parameters(ctx, path_parameters):
    return with_known(path_parameters)


@schemathesis.hook
def map_query(ctx, query):
    return with_known(query)


@schemathesis.hook
def map_body(ctx, body):
    return with_known(body)
