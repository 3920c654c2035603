/** Metrics: requests and answers. metrics/DESIGN.md and the code that computes a figure define it. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Outcome, Timestamp } from './common.js'
import { AgreementWithVotes, JobQuality, ModelQuality } from './quality.js'
import { EventFilter, QueryText } from './queries.js'

const JobReference = Type.String({
  minLength: 1,
  maxLength: limits.nameCharsMax,
  description: 'The id or the title of the job.',
})
const ModelId = Type.String({
  minLength: 1,
  maxLength: limits.nameCharsMax,
  description: 'One of `all_model_ids` in the metrics of the job.',
})
function moment(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description} ISO 8601; UTC without an offset.`,
    examples: ['2026-01-31T00:00:00Z'],
  })
}

const TimeoutS = Type.Integer({ minimum: 0, maximum: limits.metricsTimeoutSMax, default: 120, description: 'Seconds.' })
const JobIds = Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
  maxItems: limits.metricsJobsMax,
  description: 'Repeat the parameter, or separate the ids by commas. Default: all jobs that the key may see.',
})
const IntervalText = Type.String({
  minLength: 1,
  maxLength: 16,
  description: 'A duration: `30m`, `12h`, `1d`, `7d`, `2w`.',
  examples: ['1d'],
})

const period = {
  start_datetime: Type.Optional(
    moment(
      'By ingest time. Default, also for a zero time (0001-01-01T00:00:00): the production date of the job, else its ' +
        'first event.',
    ),
  ),
  end_datetime: Type.Optional(moment('Exclusive. Default, also for a zero time: now.')),
}

export const JobMetricsQuery = Exact({ job_id: JobReference, ...period })
export const JobAndModelQuery = Exact({ job_id: JobReference, ...period, timeout_s: Type.Optional(TimeoutS) })
export const ModelQuery = Type.Object({ job_id: JobReference, model_id: ModelId })
export const ProductionDateQuery = Type.Object({
  job_id: JobReference,
  production_date: moment('The metrics of the job count from this time on.'),
})

export const InternalQuery = Exact({
  job_ids: Type.Optional(JobIds),
  aggregation_time_interval: Type.Optional(IntervalText),
  obfuscate_decision_points_names: Type.Optional(
    Type.Boolean({ default: false, description: 'Show pseudonyms for decision points.' }),
  ),
  obfuscate_usernames: Type.Optional(Type.Boolean({ default: true, description: 'Show pseudonyms for analysts.' })),
  ...period,
  recompute_model_metrics: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Recompute the metrics of models if feedback is newer than they are.',
    }),
  ),
  latest_n_models_to_recompute: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.metricsModelsMax,
      default: 2,
      description: 'Number of models per job. The active model is always shown.',
    }),
  ),
  timeout_s: Type.Optional(TimeoutS),
})

export const PlatformQuery = Exact({
  job_ids: Type.Optional(JobIds),
  aggregation_time_interval: Type.Optional(IntervalText),
})

/** The body of every metrics request about events. */
export const MetricsFilters = Exact({
  filters: Type.Optional(
    Type.Array(EventFilter, {
      maxItems: limits.queryFiltersMax,
      description: 'Only events that pass all filters are counted.',
    }),
  ),
  query: Type.Optional(QueryText),
})

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Count = Type.Integer({ minimum: 0 })

export const DecisionScores = Type.Object({
  precision: Share,
  recall: Share,
  f1_score: Share,
  true_positives: Count,
  true_negatives: Count,
  false_positives: Count,
  false_negatives: Count,
})

const Matrix = Type.Array(Type.Array(Count), {
  description:
    'Counts of scored events. Rows: what analysts say; columns: the decision that is scored; in the order of labels.',
})
const PerDecision = Type.Record(Type.String(), DecisionScores, {
  description: 'For each decision, against all others.',
})

export const QualityBasis = Type.Enum(['before_votes', 'held_out', 'none'], {
  description:
    'What the overall figures, the confusion matrix and `metrics_per_decision` are of: `before_votes` is answers ' +
    'before any vote on their bucket, at least 30; `held_out` the answers of the model to events that were held out ' +
    'from its training; with `none` nothing was measured, and the figures are 0.',
})

const overall = {
  overall_accuracy: { ...Share, description: '`basis` says what it and the next three are of.' },
  overall_f1_score: Share,
  overall_recall: Share,
  overall_precision: Share,
  basis: QualityBasis,
  basis_events: { ...Count, description: 'Events that the figures are of.' },
}

export const JobMetrics = Type.Object({
  confusion_matrix: Matrix,
  ...overall,
  metrics_per_decision: PerDecision,
  quality: JobQuality,
  agreement_with_votes: AgreementWithVotes,
  start_time: Timestamp,
  end_time: Timestamp,
  time_saved_minutes: Type.Number({
    description:
      'Decided events with a consensus, times the share of scored decisions that are right, times the minutes of one ' +
      'alert. 0 while fewer than 30 events are scored.',
  }),
  active_model_id: nullable(Type.String()),
  all_model_ids: Type.Array(Type.String()),
  total_events: Count,
  total_events_in_knowledge_base: Count,
  total_events_with_consensus: Count,
  changed_consensus_after_training: Type.Object({
    total_events: Count,
    top_events_ids: Type.Array(Type.String(), { maxItems: 10 }),
    top_buckets_ids: Type.Array(Type.String(), { maxItems: 10 }),
  }),
  production_date: nullable(Timestamp),
})

export const ModelMetrics = Type.Object({
  model_id: nullable(Type.String()),
  confusion_matrix: Matrix,
  ...overall,
  metrics_per_decision: PerDecision,
  quality: nullable(ModelQuality),
  agreement_with_votes: nullable(AgreementWithVotes),
  is_recomputing_metrics: Type.Boolean(),
  last_recomputed_timestamp: nullable(Timestamp),
  recompute_status: nullable(Type.Enum(['queued', 'in_progress', 'completed', 'failed'])),
  recompute_error: nullable(Type.String()),
  kb_count_per_decision: Type.Record(Type.String(), Type.Object({ alerts_count: Count, buckets_count: Count })),
  buckets_in_kb: Count,
  events_in_kb: Count,
})

const clientScalars = {
  overall_accuracy: nullable(Share),
  overall_f1_score: nullable(Share),
  overall_recall: nullable(Share),
  overall_precision: nullable(Share),
  basis: nullable(overall.basis),
  basis_events: nullable(overall.basis_events),
}

/** The same for existing clients, which know nulls where there is no model. */
export const ActiveModelMetrics = Type.Object({
  ...ModelMetrics.properties,
  ...clientScalars,
  confusion_matrix: nullable(Matrix),
  buckets_in_kb: nullable(Count),
  events_in_kb: nullable(Count),
})

export const JobAndModel = Type.Object({
  ...JobMetrics.properties,
  ...clientScalars,
  job_id: Type.Integer(),
  model_id: nullable(Type.String()),
  job_metrics: JobMetrics,
  model_metrics: ModelMetrics,
  active_model_metrics: ActiveModelMetrics,
})

export const RecomputeAnswer = Type.Object({
  message: Type.String(),
  job_id: Type.Integer(),
  model_id: Type.String(),
  status: Type.Enum(['queued', 'in_progress', 'completed', 'failed']),
  requested_at: Timestamp,
})

export const ProductionDateAnswer = Type.Object({ request: Outcome })

const Open = Type.Object({}, { additionalProperties: true })

export const InternalAnswer = Type.Object({
  endpoint_warnings: Type.Array(Type.String()),
  endpoint_request_parameters: Open,
  job_metrics: Type.Record(
    Type.String(),
    Type.Object({
      job_id: Type.Integer(),
      job_settings: Open,
      job_metrics: Open,
      model_metrics: Type.Record(
        Type.String(),
        Type.Object({ evaluation: Open, scores: nullable(Open), decision_points: Type.Array(Open) }),
      ),
      feedback_metrics: Open,
    }),
  ),
  overall_feedback_metrics: Open,
})

const PlatformObject = Type.Object({
  overall: Type.Object({ buckets_count: Count, storage_mb: Type.Number(), events_count: Count }),
  per_job_metrics: Type.Array(
    Type.Object({
      job_id: Type.Integer(),
      title: Type.String(),
      category: Type.String(),
      status: Type.String(),
      events_count: Count,
      buckets_count: Count,
      pending_events_count: Count,
      feedback_events_count: Count,
      models_count: Count,
      last_event_timestamp: nullable(Timestamp),
      storage_mb: Type.Number(),
      intervals: Type.Array(Type.Object({ start_time: Timestamp, end_time: Timestamp, events_count: Count })),
    }),
  ),
})

export const PlatformAnswer = Type.Object(
  {
    es_cluster_metrics: Type.Object({ cluster_name: Type.String() }, { additionalProperties: true }),
    service: PlatformObject,
  },
  {
    additionalProperties: true,
    description: 'The object `service` is also present under the configured name of the service.',
  },
)
