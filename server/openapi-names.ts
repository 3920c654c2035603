/**
 * The names of schemas that are written inside of others. Generated clients name their types so.
 *
 * A schema that a file of schemas/ exports has its exported name and is not listed here (openapi-components.ts).
 */
import type { TSchema } from 'typebox'
import { AnalystsView } from './schemas/analysts.js'
import { AlertWebhook } from './schemas/webhooks.js'
import { AuditLogEntry, AuditLogQuery, AuditTerms, AuditVerdict } from './schemas/audit.js'
import * as autonomy from './schemas/autonomy.js'
import { Backup } from './schemas/backups.js'
import { ClusterView, FollowsFrom } from './schemas/clusters.js'
import { ValidationErrorBody, WarningBody } from './schemas/common.js'
import { ConsensusView, MixedPage } from './schemas/consensus.js'
import { EraseResult } from './schemas/erase.js'
import { EventView, HistoricEvents } from './schemas/events.js'
import { EventAttention } from './schemas/exported-event.js'
import { Feedback, FeedbackOutcome } from './schemas/feedback.js'
import * as kinds from './schemas/integration-metadata.js'
import { Delivery, Enrichment, FailedDelivery, Input } from './schemas/integrations.js'
import { Job } from './schemas/jobs.js'
import * as metrics from './schemas/metrics.js'
import * as models from './schemas/models/registry.js'
import * as monitoring from './schemas/monitoring.js'
import { EventsQuery, FieldList, FieldTypes, RawQuery, SearchAnswer } from './schemas/queries.js'
import { ApiKeyResource, IntegrationResource, JobResource, ResourceDocument } from './schemas/resources.js'
import { EventFileQuery } from './schemas/live/event-file.js'
import { ListQuery } from './schemas/live/lists.js'
import { NextPage, SecondLookPage, SecondLookQuery } from './schemas/next.js'
import { ReprocessSelection, ReprocessStarted } from './schemas/stored-events.js'
import { Watchdog, WatchdogConditions } from './schemas/watchdogs.js'

const ANY_KEY = '^.*$'
const alert = AlertWebhook.properties.alerts.items
const term = AuditTerms.properties.fields.items
const { Container, StoreStatus, UsageSeries } = monitoring
const batch = monitoring.BatchList.properties.batches.items
const historic = HistoricEvents.properties.events.items
const job = JobResource.properties.properties
const settings = job.properties.advanced_settings
const { custom_labels, auto_retrain, monitoring_settings, objective, retention } = settings.properties
const internal = metrics.InternalAnswer.properties.job_metrics
const internalJob = internal.patternProperties[ANY_KEY]
const internalModel = internalJob.properties.model_metrics
const platform = metrics.PlatformAnswer.properties.service
const platformJob = platform.properties.per_job_metrics.items
const { hits } = SearchAnswer.properties
const condition = WatchdogConditions.properties.conditions.items
const kind = kinds.IntegrationKind.properties

const { GateView, AutonomyView } = autonomy

/** By name. */
export const parts: Readonly<Record<string, TSchema>> = {
  AlertmanagerAlert: alert,
  TextMap: alert.properties.labels,
  AuditChanges: AuditLogEntry.properties.changes,
  AuditField: term,
  AuditTerm: term.properties.terms.items,
  AuditBreak: AuditVerdict.properties.broken.anyOf[0],
  SortOrder: AuditLogQuery.properties.sort_order,
  BackupState: Backup.properties.state,
  Batch: batch,
  BatchKind: batch.properties.type,
  BatchStatus: batch.properties.status,
  ClusterState: ClusterView.properties.state,
  RootCause: ClusterView.properties.root_causes.items,
  LinkSide: FollowsFrom.properties.side,
  WarningType: WarningBody.properties.type,
  ValidationIssue: ValidationErrorBody.properties.detail.items,
  ConsensusOverride: ConsensusView.properties.override.anyOf[0],
  CountByLabel: ConsensusView.properties.split,
  CastVote: ConsensusView.properties.votes.items,
  CastVoteScope: ConsensusView.properties.votes.items.properties.scope,
  SeparatingField: MixedPage.properties.separating_fields.items,
  HistoricEvent: historic,
  HistoricLabel: historic.properties.label,
  Attention: EventAttention.properties.low_confidence_score,
  VoteScope: Feedback.properties.scope,
  OwnVote: FeedbackOutcome.properties.vote.anyOf[0],
  NextAnswer: FeedbackOutcome.properties.answer_before.anyOf[0],
  IntegrationRole: kind.roles.items,
  IntegrationRoleDetails: kind.roles_details.items,
  IntegrationTypes: kinds.IntegrationMetadata.anyOf[0],
  JobCategoryList: kinds.JobMetadata.anyOf[0],
  ObjectByName: kinds.ParameterSchemas.properties.properties,
  ParameterByName: kinds.JobCategoryInFull.properties.parameters,
  ParameterInfo: kinds.JobCategoryInFull.properties.parameters.patternProperties[ANY_KEY],
  ListedIntegration: kinds.IntegrationList.items,
  DeliveryStatus: Delivery.properties.status,
  EnrichmentStatus: Enrichment.properties.status,
  InputStatus: Input.properties.status,
  FailedDeliveryStatus: FailedDelivery.properties.status,
  JobStatus: Job.properties.status,
  TrainingState: Job.properties.retrain_state,
  ModelState: Job.properties.model_state,
  ScoresByDecision: metrics.JobMetrics.properties.metrics_per_decision,
  ChangedConsensus: metrics.JobMetrics.properties.changed_consensus_after_training,
  RecomputeStatus: metrics.RecomputeAnswer.properties.status,
  KnowledgeByDecision: metrics.ModelMetrics.properties.kb_count_per_decision,
  KnowledgeCount: metrics.ModelMetrics.properties.kb_count_per_decision.patternProperties[ANY_KEY],
  InternalByJob: internal,
  InternalJob: internalJob,
  InternalByModel: internalModel,
  InternalModel: internalModel.patternProperties[ANY_KEY],
  PlatformMetrics: platform,
  PlatformTotals: platform.properties.overall,
  PlatformJob: platformJob,
  PlatformInterval: platformJob.properties.intervals.items,
  PlatformCluster: metrics.PlatformAnswer.properties.es_cluster_metrics,
  ServiceState: monitoring.ServiceAlive.properties.state,
  ComponentType: Container.properties.component_type,
  ContainerStatus: Container.properties.status,
  ContainerHealth: Container.properties.health,
  ContainerQueue: Container.properties.queue,
  ContainerError: Container.properties.last_error.anyOf[0],
  LogLevel: Container.properties.log_level,
  StoreHealth: StoreStatus.properties.status,
  StoreIndex: StoreStatus.properties.indices.items,
  TimeSelector: UsageSeries.properties.time_selector,
  UsageUnit: UsageSeries.properties.unit,
  UsagePoint: UsageSeries.properties.points.items,
  ExportedUser: monitoring.ObjectsExport.properties.users.items,
  EventsPageSize: EventsQuery.properties.size,
  EventsPageNumber: EventsQuery.properties.page,
  FilterField: FieldList.items,
  FieldType: FieldTypes.patternProperties[ANY_KEY],
  RawSearch: RawQuery.properties.query_body,
  SearchShards: SearchAnswer.properties._shards,
  SearchHits: hits,
  SearchTotal: hits.properties.total,
  SearchTotalRelation: hits.properties.total.properties.relation,
  SearchHit: hits.properties.hits.items,
  ApiKeyProperties: ApiKeyResource.properties.properties,
  IntegrationProperties: IntegrationResource.properties.properties,
  JobProperties: job,
  JobCategoryName: job.properties.category,
  JobSettings: settings,
  JobLabel: custom_labels.items,
  LabelRole: custom_labels.items.properties.role,
  AutoRetrain: auto_retrain,
  RetrainBlockers: auto_retrain.properties.blockers,
  MonitoringSettings: monitoring_settings,
  JobMonitor: monitoring_settings.properties.monitors.items,
  Objective: objective,
  ObjectiveName: objective.anyOf[0],
  ObjectiveCosts: objective.anyOf[1],
  Retention: retention,
  PipelineStep: job.properties.pipeline_integrations.items,
  ResourceSet: ResourceDocument.anyOf[0],
  FilterCondition: ReprocessSelection.properties.filters.items,
  ReprocessStatus: ReprocessStarted.properties.task_status,
  EventAutonomy: EventView.properties.autonomy,
  AutonomyMode: AutonomyView.properties.mode,
  AutonomyLabel: AutonomyView.properties.labels.items,
  ContractLabel: autonomy.ContractBody.properties.labels.items,
  GateState: GateView.properties.state,
  SecondOpinions: GateView.properties.second_opinions,
  GateCertificate: autonomy.CertificatesPage.properties.certificates.items,
  QueueOrder: autonomy.QueueQuery.properties.order,
  QueuedEvent: autonomy.QueuePage.properties.events.items,
  NextLabel: NextPage.properties.next.items,
  LabelPromise: NextPage.properties.next.items.properties.promise.anyOf[0],
  DoubtedVote: SecondLookPage.properties.votes.items,
  ExpectedGain: SecondLookPage.properties.votes.items.properties.expected_gain,
  NewestBy: ListQuery.properties.newest_by,
  EventFileFormat: EventFileQuery.properties.format,
  SecondLookOrder: SecondLookQuery.properties.order,
  Forgetting: EraseResult.properties.forgetting,
  ForgettingState: EraseResult.properties.forgetting.properties.state,
  Analyst: AnalystsView.properties.analysts.items,
  AnalystLabel: AnalystsView.properties.analysts.items.properties.labels.items,
  AnalystPair: AnalystsView.properties.pairs.items,
  DrawnFigures: NextPage.properties.drawn,
  KeptPromises: NextPage.properties.promises,
  ForecastThreshold: autonomy.ForecastAnswer.properties.thresholds.items,
  ModelActivation: models.ModelActiveTime.properties.why,
  TrainingReason: models.ModelOrigin.properties.why,
  WatchdogType: Watchdog.properties.type,
  WatchdogIntegration: Watchdog.properties.integrations.items,
  WatchdogState: Watchdog.properties.state,
  WatchdogCondition: condition,
  WatchdogSide: condition.properties.fires,
  WatchdogScope: condition.properties.job_id,
}
