/** Safety contracts, their gates and certificates, and the queue of people. */
import { Type } from 'typebox'
import { autonomyBounds, contractDefaults } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'

const share = (description: string) => Type.Number({ description })
const Mode = Type.Enum(['off', 'shadow', 'open'], {
  description: '`shadow` collects evidence and settles nothing. `open`: gates open where audits prove that they may.',
})
const LabelNames = Type.Array(Type.String(), { description: 'Labels, by name or id.' })
const ContractLabel = {
  label: Type.String({ description: 'A label that is not protected.' }),
  epsilon: share('The share of settled events that may be wrong: 0.000001 to 0.5.'),
  thresholds: Type.Array(Type.Number(), {
    description:
      'Least confidences, 0 to 100, falling: the strictest first. Each is tried when those before are proved.',
  }),
}
const contract = {
  hold_out_rate: share('The share of events that go to people although a gate would settle them: audits.'),
  revoke_on_miss: Type.Boolean({ description: 'One confirmed miss of a protected label revokes the gate.' }),
  audit_deadline_hours: Type.Number({
    description:
      'An audit that nobody answers in this time counts as a failure. Default: 72, or three working days where only ' +
      'working hours count.',
  }),
  audit_deadline_working_hours: Type.Boolean({
    description:
      'Only working hours count for the deadline (`advanced_settings.working_hours` of the job, or ' +
      '`SERVICE_WORKING_HOURS`). Default: true where there are any.',
  }),
  protected_labels: LabelNames,
}

export const ContractBody = Exact({
  mode: Mode,
  ...Type.Partial(Type.Object(contract)).properties,
  labels: Type.Array(
    Exact({
      ...ContractLabel,
      delta: Type.Optional(share(`The chance that the statement is false: default ${contractDefaults.delta}.`)),
      exclusions: Type.Optional(Type.Array(Type.String(), { description: 'Ids of buckets that are never settled.' })),
    }),
  ),
})

export const GateView = Type.Object({
  gate_id: Type.String(),
  label: Type.String(),
  threshold: Type.Number(),
  model: Type.String(),
  exclusions: Type.Integer({ description: 'Number of buckets that are left out.' }),
  state: Type.Enum(['shadow', 'open', 'revoked']),
  reason: Type.String(),
  message: Type.String({ description: 'The state, for people.' }),
  since: Timestamp,
  started: Timestamp,
  epsilon: Type.Number(),
  delta: Type.Number(),
  statement: Type.String({ description: 'What the gate promises.' }),
  certified: Type.Boolean({ description: 'Audits prove the statement now.' }),
  bound: nullable(share('With confidence 1 - delta at most this share of the settled events is wrong; null: unknown.')),
  protected_bound: nullable(
    share('The same for the share of all protected events that were settled; null if nothing was settled.'),
  ),
  rates: Type.Array(Type.String(), { description: 'Both rates, for people.' }),
  audits: Type.Integer({ description: 'Audits with an outcome that count.' }),
  failures: Type.Integer(),
  pending: Type.Integer({ description: 'Audits that nobody has answered yet.' }),
  waiting: Type.Integer({
    description: 'Clean answers that do not count yet: audits of an hour before are not answered.',
  }),
  settled: Type.Integer({ description: 'Events settled in the last four weeks.' }),
  protected_events: Type.Integer({
    description:
      'Events in that time that people answered with a protected label, or whose bucket they had answered so.',
  }),
  second_opinions: Type.Object({ answered: Type.Integer(), differ: Type.Integer(), message: Type.String() }),
})

export const AutonomyView = Type.Object({
  mode: Mode,
  ...contract,
  labels: Type.Array(Type.Object({ ...ContractLabel, delta: Type.Number(), exclusions: Type.Array(Type.String()) })),
  paused: nullable(
    Type.String({
      description: 'Why nothing is settled although gates may be open: labels were renamed. Set the contract again.',
    }),
  ),
  set_at: nullable(Timestamp),
  set_by: nullable(Type.String()),
  gates: Type.Array(GateView, { description: 'By label, from the strictest threshold to the laxest.' }),
  ended_gates: Type.Array(GateView, { description: 'Gates of earlier models and contracts, latest first.' }),
  assumptions: Type.Array(Type.String(), { description: 'What has to hold for the bounds to hold.' }),
})

export const CertificatesQuery = Exact({
  gate_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only certificates of this gate.' })),
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: autonomyBounds.certificatesPageMax, default: 20 })),
})

export const CertificatesPage = Type.Object({
  certificates: Type.Array(
    Type.Object({
      timestamp: Timestamp,
      sequence: Type.Integer({ description: 'Its place in the audit log.' }),
      hash: Type.String({ description: 'The hash of the chain there.' }),
      user: Type.String(),
      certificate: Type.Object({}, { additionalProperties: true, description: 'As the audit log has it.' }),
    }),
    { description: 'One for each change of state of a gate, latest first.' },
  ),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({ description: 'False if counting took too long: there may be more.' }),
  page: Type.Integer(),
  size: Type.Integer(),
})

export const ReopenBody = Exact({
  label: Type.Optional(Type.String({ description: 'Only events that were settled with this label.' })),
  start_date: Type.Optional(
    Type.String({
      description: 'Only events from this time on: ISO 8601, UTC without an offset. Default: 28 days ago.',
    }),
  ),
})

export const ReopenResult = Type.Object({
  reopened: Type.Integer({ description: 'Events that people have to look at now.' }),
  complete: Type.Boolean({ description: 'False if it took too long: send the request again to go on.' }),
})

export const QueueQuery = Exact({
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: autonomyBounds.queuePageMax, default: 50 })),
  order: Type.Optional(
    Type.Enum(['newest', 'need'], { description: '`need`: outliers and the least confident of the latest first.' }),
  ),
  after: Type.Optional(Type.String({ maxLength: 128, description: '`next` of the previous page.' })),
})

export const QueuePage = Type.Object({
  events: Type.Array(
    Type.Object({
      event_id: Type.String(),
      ingest_timestamp: Timestamp,
      result: Type.String(),
      result_label: Type.String(),
      confidence_score: Type.Number(),
      outlier: Type.Boolean(),
      bucket_id: nullable(Type.String()),
    }),
  ),
  next: nullable(
    Type.String({ description: 'Pass it as `after` for the next page. A page may be short; null ends it.' }),
  ),
})

export const ForecastQuery = Exact({
  epsilon: Type.Number({ description: 'The share of settled events that may be wrong: 0.000001 to 0.5.' }),
  delta: Type.Optional(Type.Number({ description: `Default ${contractDefaults.delta}.` })),
  hold_out_rate: Type.Optional(Type.Number({ description: 'Default: as in the contract.' })),
  protected_labels: Type.Optional(
    Type.String({ maxLength: 512, description: 'Labels, separated by commas. Default: as in the contract.' }),
  ),
})

export const ForecastAnswer = Type.Object({
  message: Type.String({ description: 'What would settle most, for people.' }),
  events: Type.Integer({ description: 'Events that the forecast read.' }),
  from: nullable(Timestamp),
  to: nullable(Timestamp),
  hold_out_rate: Type.Number(),
  thresholds: Type.Array(
    Type.Object({
      label: Type.String(),
      threshold: Type.Number(),
      settled_share: Type.Number(),
      events_per_day: Type.Number(),
      voted_events: Type.Integer(),
      misses: Type.Integer(),
      audits_needed: nullable(Type.Integer()),
      audits_per_day: Type.Number(),
      days: nullable(Type.Number({ description: 'Null if it cannot be certified within 28 days.' })),
      message: Type.String(),
    }),
  ),
})
