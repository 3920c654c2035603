/** What generators of clients make of the OpenAPI document: the names of types, what is required, what has a type. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiDocument } from '../../server/openapi.js'
import { parts } from '../../server/openapi-names.js'
import { routes } from '../../server/routes/index.js'

type Json = Record<string, unknown>

interface Component {
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Json>>
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly unknown[]
  readonly discriminator?: unknown
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Json
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
  readonly responses: Json
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Component>> }
}

function documentOf(name: string): Document {
  return JSON.parse(JSON.stringify(openApiDocument(routes, name)))
}

const document = documentOf('service')
const { schemas } = document.components
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

/** Names of types in generated clients. One that changes or goes breaks code of people who have such a client. */
const names = `
  ActiveModelMetrics AgenticNotes AgreementWithVotes AlertWebhook AlertmanagerAlert AlertsTaken Alive Analyst
  AnalystLabel AnalystPair AnalystsView AnswerWithout AnyObject ApiKeyProperties ApiKeyResource ApplyAnswer
  AssignedEvent AssignedEvents AssignmentBody Attention AuditBreak AuditChange AuditChanges AuditField
  AuditLogEntry AuditLogPage AuditTerm AuditTerms AuditVerdict AutoRetrain AutonomyLabel AutonomyMode AutonomyView
  Backup BackupList BackupRequest BackupState Batch BatchKind BatchList BatchStatus BeforeAndAfter BucketState
  CalibrationStep CallerKind CastVote CastVoteScope CertificatesPage ChallengeBody Challenger ChallengerAnswer
  ChallengerVerdict ChangedConsensus ClusterMember ClusterMessage ClusterPage ClusterState ClusterTree ClusterView
  CommonestLabel ComponentType ComputedAgain ComputedAnswer ComputedDecision ConsensusOverride ConsensusView Container
  ContainerCheck ContainerError ContainerHealth ContainerList ContainerQueue ContainerStatus ContractBody
  ContractLabel CountByLabel DecidedLine DecidingModel DecisionDifference DecisionFeature DecisionMember
  DecisionMessage DecisionOutlier DecisionParts DecisionPointsAnswer DecisionReason DecisionScores DecisionSource
  DecisionTrust DeleteAnswer Deliveries Delivery DeliveryStatus DisagreementPage DoubtedVote DrawnFigures
  Enrichment EnrichmentStatus Enrichments EraseResult ErrorBody ErrorMessage EventAttention EventAutonomy
  EventExplanation EventFileFormat EventFilter EventLine EventModel EventNote EventNotes EventSection EventStatus
  EventTimers EventView EventsPage EventsPageNumber EventsPageSize
  EventsQuery EvidenceLevel ExpectedGain ExplainedCluster
  ExplainedDecision ExplainedModel ExplainedOverride ExplainedVotes Explanation ExportedEvent ExportedUser Facet
  FacetQuery FacetValue Facets FailedDeliveries FailedDelivery FailedDeliveryCount FailedDeliverySelection
  FailedDeliveryStatus Feedback FeedbackOutcome FeedbackReach FeedbackUndo FieldDifference FieldKind FieldList
  FieldMapping FieldMeaning FieldStatistics FieldType FieldTypes FieldValue FileWarning FileWarningKind FileWarnings
  FilterCondition FilterField
  FollowsFrom ForecastAnswer ForecastThreshold Forgetting ForgettingState GapMessage GateCertificate GateState
  GateView Heartbeat HeartbeatMessage HistoricEvent HistoricEvents HistoricLabel IngestedEvent Input InputStatus
  Inputs IntegrationKind IntegrationKindInFull IntegrationList IntegrationMetadata IntegrationProperties
  IntegrationResource IntegrationRole IntegrationRoleDetails IntegrationTypes InternalAnswer InternalByJob
  InternalByModel InternalJob InternalModel IssuedToken Job JobAndModel JobCategory JobCategoryInFull
  JobCategoryList JobCategoryName JobEvidence JobLabel JobMetadata
  JobMetrics JobMonitor JobName JobProperties JobQuality
  JobResource JobSelection JobSettings JobStatus KeptPromises KeyState KnowledgeByDecision KnowledgeCount
  KnownVotes LabelProbabilities LabelPromise LabelQuality LabelRole LabelledNeighbour Labels Leakage LinkSide
  ListPage ListQuery ListedEvent ListedIntegration ListedReplay LogLevel LogLevelChange LogLevelResult LogMessage
  LogoutTaken Looker Lookers McpAnswer McpBadRequest McpError McpMessage McpRefusal MeasuredShare MetricsFilters
  MixedPage ModelActivation ModelActiveTime ModelAnswer ModelMetrics ModelOrigin ModelQuality ModelState
  ModelsPage MonitoringSettings Name NewDecisionPoints NewEvent NewestBy NextAnswer NextLabel NextPage NoteBody
  NotesOutcome ObjectByName Objective ObjectiveCosts ObjectiveName ObjectsExport Outcome OverrideBody OwnVote
  ParameterByName ParameterInfo ParameterSchemas PasswordChange PickedBy PipelineStep PlatformAnswer
  PlatformCluster PlatformInterval PlatformJob PlatformMetrics PlatformTotals ProbabilityByLabel ProblemBody
  ProductionDateAnswer QualityBasis QualityByLabel QualityReport QueriedEvent QueueOrder QueuePage QueuedEvent
  RawQuery RawSearch Ready ReadyMessage RecomputeAnswer RecomputeStatus RefusedLine RegisteredModel ReliabilityBin
  ReopenBody ReopenResult Replay ReplayAgreement ReplayBucket ReplayList ReplayMove ReplayOutput ReplayReach
  ReplayReport ReplayRequest ReplayState ReprocessOutcome ReprocessSelection ReprocessStarted ReprocessStatus
  ReprocessTask ReprocessTasks Resource ResourceDocument ResourceList ResourceMap ResourceRef ResourceSet
  ResourceType RestartResult RestartResults ResultLine Retention RetrainBlockers RollbackBody RollbackResult
  RootCause SampleEvents SampleFormat SampledField SavedView SavedViews ScopeName ScoresByDecision SearchAnswer
  SearchHit SearchHits SearchShards SearchTotal SearchTotalRelation SecondLookOrder SecondLookPage SecondOpinions
  SeparatingField ServiceAlive ServiceEvent ServiceLinks ServiceState SessionRequest SessionView ShownColumns
  ShownResource
  SignInMethods SignedOut SimilarAnswer SimilarEvent SortOrder StageTimer StatusOnly StoreHealth StoreIndex
  StoreStatus StoredBefore StoredDecision StreamGap StreamMessage StreamReady StreamType StreamedCluster
  StreamedDecision StreamedTraining StreamedTrainingState StreamedVote Suggestion TextMap TimeSelector Timestamp
  Token TokenRequest TrainAnswer TrainedBy TrainingMessage TrainingReason TrainingState UnlikeField UsagePoint
  UsageSeries UsageUnit User UserChange UserDocument UserRole ValidationErrorBody ValidationIssue ValuesByPoint
  ViewBody VoteAction VoteMessage VoteScope VoteTask VoteTaskState
  VoteTasks VotesByFilter VotesByLabel VotesPreview VotesUndo
  WarningBody WarningType Watchdog WatchdogCondition WatchdogConditions WatchdogDocument WatchdogIntegration
  WatchdogList WatchdogScope WatchdogSide WatchdogState WatchdogSwitch WatchdogType WebhookTaken WhatIfAnswer
  WhatIfBody
`
  .trim()
  .split(/\s+/)

const NAME_CHARS_MAX = 28

test('components keep their names', () => {
  assert.deepEqual(Object.keys(schemas), names)
})

test('names of types are short', () => {
  for (const name of Object.keys(schemas)) assert.ok(name.length <= NAME_CHARS_MAX, name)
})

test('every name of a part is in use', () => {
  assert.deepEqual(
    Object.keys(parts).filter((name) => !(name in schemas)),
    [],
  )
})

/** True if a generator makes a type of the schema, whose name is the whole path to it where it has none. */
function needsName(schema: Json): boolean {
  if (schema.type === 'object' || 'enum' in schema) return true
  const members = (schema.anyOf ?? []) as Json[]
  return members.filter((member) => '$ref' in member || member.type === 'object').length > 1
}

function* inside(schema: unknown, place: string, isRoot = false): Generator<[string, Json]> {
  if (typeof schema !== 'object' || schema === null) return
  if (!isRoot && !Array.isArray(schema)) yield [place, schema as Json]
  for (const [key, member] of Object.entries(schema)) {
    if (!['example', 'examples', 'default', 'discriminator'].includes(key)) yield* inside(member, `${place}/${key}`)
  }
}

test('objects, enumerations and unions have a name, wherever they are', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    for (const [place, part] of inside(schema, name, true)) assert.ok(!needsName(part), place)
  }
  for (const { operationId, parameters, requestBody, responses } of operations) {
    for (const [place, part] of inside({ ...parameters.map(({ schema }) => schema) }, operationId, true))
      assert.ok(!needsName(part), place)
    for (const [place, part] of inside({ requestBody, responses }, operationId, true)) {
      if (place.endsWith('/schema')) assert.ok(!needsName(part), place)
    }
  }
})

test('what has a default is not required, and generators do not call it so', () => {
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    // openapi-typescript makes a property with a default in its place required.
    for (const [key, property] of Object.entries(properties)) assert.ok(!('default' in property), `${name}.${key}`)
  }
  for (const { operationId, parameters } of operations) {
    for (const { name, in: place, required, schema } of parameters) {
      if (place !== 'query') continue
      if ('default' in schema || name === 'page' || name === 'size') assert.ok(!required, `${operationId} ${name}`)
      if (name === 'page') assert.equal(schema.default, 0, operationId)
    }
  }
})

test('size and page of a query are optional and have their defaults', () => {
  const { required = [], properties = {} } = schemas.EventsQuery as Component
  assert.deepEqual(required, [])
  assert.equal(properties.size?.$ref, '#/components/schemas/EventsPageSize')
  assert.equal((schemas.EventsPageSize as Json).default, 5)
  assert.equal(properties.page?.$ref, '#/components/schemas/EventsPageNumber')
  assert.equal((schemas.EventsPageNumber as Json).default, 0)
})

test('a union of resources says which member is meant', () => {
  assert.deepEqual(schemas.Resource?.discriminator, {
    propertyName: 'type',
    mapping: {
      api_key: '#/components/schemas/ApiKeyResource',
      integration: '#/components/schemas/IntegrationResource',
      job: '#/components/schemas/JobResource',
    },
  })
})

test('an exported event has types, and its section is under the name of the service', () => {
  assert.deepEqual(schemas.ExportedEvent?.properties?.service_event?.$ref, '#/components/schemas/ServiceEvent')
  for (const name of ['service', 'arcanna']) {
    const { required, properties, additionalProperties } = documentOf(name).components.schemas.ServiceEvent as Component
    assert.deepEqual(required, [name])
    assert.deepEqual(properties?.[name], { $ref: '#/components/schemas/EventSection' })
    assert.equal(additionalProperties, true)
    assert.equal('service' in (properties ?? {}), name === 'service')
  }
})

test('the stream of events can also be sent as bytes, for generators that know no NDJSON', () => {
  const { requestBody } = operations.find(({ operationId }) => operationId === 'postEventLines') as Operation
  assert.deepEqual(Object.keys(requestBody?.content ?? {}), ['application/x-ndjson', 'application/octet-stream'])
})
