"""The first steps of the manual with a generated client: python first_steps.py BASE_URL KEY"""

import io
import json
import sys
import time

from decision_service_client import AuthenticatedClient
from decision_service_client.api.events import export_event, post_event_lines, post_event_with_id
from decision_service_client.api.feedback import give_feedback
from decision_service_client.api.jobs import get_job, train_job
from decision_service_client.api.queries import query_events
from decision_service_client.api.resources import apply_resources
from decision_service_client.models import (
    AnyObject,
    ApiKeyProperties,
    ApiKeyResource,
    EventsQuery,
    Feedback,
    IntegrationProperties,
    IntegrationResource,
    JobCategoryName,
    JobProperties,
    JobResource,
    NewEvent,
    PipelineStep,
    ResourceMap,
    ResourceSet,
    TrainedBy,
    TrainingState,
)
from decision_service_client.types import File

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])

resources = ResourceMap()
resources["sender"] = ApiKeyResource(type_="api_key", properties=ApiKeyProperties(name="siem"))
resources["input"] = IntegrationResource(
    type_="integration",
    properties=IntegrationProperties(
        title="SIEM alerts",
        integration_type="External REST API",
        parameters=AnyObject.from_dict({"api_key": "{{api_keys(name='siem')}}", "data_type": "alerts"}),
    ),
)
resources["job"] = JobResource(
    type_="job",
    properties=JobProperties(
        title="Alert triage",
        category=JobCategoryName.DECISION_INTELLIGENCE,
        decision_points=["rule.id", "host.name", "event.action"],
        pipeline_integrations=[PipelineStep(resource="input", enabled=True)],
    ),
)
answer = apply_resources.sync(client=client, body=ResourceSet(resources=resources))
job_id = next(int(one.internal_id) for one in answer.created if one.type_.value == "job")

failed_logon = {"rule": {"id": "4625"}, "host": {"name": "web-1"}, "event": {"action": "logon-failed"}}
log_cleared = {"rule": {"id": "1102"}, "host": {"name": "dc-1"}, "event": {"action": "audit-log-cleared"}}
lines = [
    {"job_id": job_id, "event_id": event_id, "raw_body": body}
    for event_id, body in (("alert-1", failed_logon), ("alert-2", log_cleared))
]
stream = io.BytesIO("\n".join(json.dumps(line) for line in lines).encode())
results = post_event_lines.sync_detailed(client=client, body=File(payload=stream))
assert results.status_code == 200, results.content
assert [json.loads(line)["event_id"] for line in results.content.splitlines()] == ["alert-1", "alert-2"]

for event_id, label in (("alert-1", "Drop"), ("alert-2", "Escalate")):
    give_feedback.sync(job_id, event_id, client=client, body=Feedback(cortex_user="ann", feedback=label))
train_job.sync(job_id, client=client, body=TrainedBy())
for _ in range(300):
    if get_job.sync(job_id, client=client).retrain_state == TrainingState.RETRAIN_FINISHED:
        break
    time.sleep(0.1)

event = NewEvent(job_id=job_id, raw_body=AnyObject.from_dict(failed_logon))
decided = post_event_with_id.sync("alert-3", client=client, body=event, wait=True)
exported = export_event.sync(job_id, "alert-3", client=client)
assert exported.service_event.service.result_label == decided.result_label
page = query_events.sync(client=client, body=EventsQuery(job_ids=job_id))
assert page.total_count == 3, page
print(json.dumps({"result_label": decided.result_label, "events": page.total_count}))
