/** What the service adds to an exported event (C3.4). */
import { Type } from 'typebox'
import { AnyObject, nullable, Timestamp } from './common.js'
import { Suggestion } from './clusters.js'
import { BucketState, ErrorMessage, EventStatus } from './events.js'

const MaybeText = nullable(Type.String())
const MaybeTime = nullable(Timestamp)
const Attention = Type.Object({ attention_required: Type.Boolean() })

export const EventModel = Type.Object({ path: MaybeText, timestamp: MaybeTime })

export const EventAttention = Type.Object({ low_confidence_score: Attention, undecided_consensus: Attention })

export const StageTimer = Type.Object(
  { total_ms: Type.Number(), start: Type.Number(), end: Type.Number() },
  { additionalProperties: true },
)

export const EventTimers = Type.Object(
  {
    core: Type.Object({}, { additionalProperties: true }),
    inference: nullable(StageTimer),
    output: nullable(StageTimer),
    total_pipeline_in_s: nullable(Type.Number()),
    ingest_timestamp: Timestamp,
    reprocess_timestamp: MaybeTime,
  },
  { additionalProperties: true },
)

export const EventNote = Type.Object({ timestamp: Timestamp, author: Type.String() }, { additionalProperties: true })

export const LogMessage = Type.Object({
  component: Type.String(),
  component_subcategory: Type.String(),
  level: Type.String(),
  content: Type.String(),
  timestamp: Timestamp,
})

/** The section under the name of the service. */
export const EventSection = Type.Object(
  {
    result: Type.String({ description: 'The decision: the id of a label, or empty without a decision.' }),
    result_label: Type.String({ description: 'The name of the label, or empty.' }),
    previous_result: nullable(Type.String({ description: 'Null if the event was never reprocessed.' })),
    previous_result_label: MaybeText,
    inference_status: Type.String({ description: '`finished` once the event is decided.' }),
    inference_result: Type.String({ description: 'The `result`, or `no_decision`.' }),
    original_id: Type.String(),
    title: MaybeText,
    severity: Type.Unknown(),
    storage_tag: MaybeText,
    bucket_state: BucketState,
    knowledge_base_state: BucketState,
    bucket_id: MaybeText,
    key_hash: MaybeText,
    features_hash: Type.String(),
    full_hash: Type.String(),
    confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
    outlier: Type.Boolean(),
    outlier_flag: Type.Boolean(),
    outlier_score: Type.Number(),
    consensus: MaybeText,
    last_compute_consensus_timestamp: MaybeTime,
    attention: EventAttention,
    pipeline_status: Type.String(),
    pipeline_stage: Type.String({ description: '`enrichment` or `inference` while the event waits, then `finished`.' }),
    model: EventModel,
    timers: EventTimers,
    cluster: Type.Optional({ ...AnyObject, description: 'The cluster of the event, and why the event is in it.' }),
    suggestion: Type.Optional(nullable(Suggestion)),
    agentic_notes: Type.Array(EventNote),
    log_messages: Type.Array(LogMessage, { description: 'What happened to the event, in order.' }),
  },
  { additionalProperties: true, description: 'What the service knows of the event.' },
)

/**
 * The fields of the event at top level, and what the service adds. The document has the section under the configured
 * name (openapi.ts). Fields of the event may have any form, so those that the service adds only where they lack have
 * any form here.
 */
export const ServiceEvent = Type.Object(
  {
    '@timestamp': Type.Optional(Type.Unknown({ description: 'The ingest time, if the event has no such field.' })),
    timestamp_inference: Type.Optional(
      Type.Unknown({ description: 'The ingest time, if the event has no such field.' }),
    ),
    metadata: Type.Optional(
      Type.Unknown({ description: 'Severity, ingest time, id and title, and what the event has there.' }),
    ),
    service: EventSection,
  },
  {
    additionalProperties: true,
    description:
      'The fields of the event at top level. What the service added is in a section under the name of the service.',
  },
)

export const ExportedEvent = Type.Object(
  {
    event_id: Type.String(),
    ingest_timestamp: Timestamp,
    status: EventStatus,
    error_message: ErrorMessage,
    service_event: ServiceEvent,
  },
  { description: 'Under a configured service name the event is present a second time, as `<name>_event`.' },
)
