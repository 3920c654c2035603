/** Metrics of jobs and models (CONTRACT.md#metrics). */
import {
  isRefusal,
  type JobMetrics as EngineJobMetrics,
  type ModelMetrics as EngineModelMetrics,
  type Scope,
} from '../../engine/index.js'
import { replyError } from '../http/error-reply.js'
import { replyJson } from '../http/reply.js'
import { operation, type Call, type GuardedRoute, type Method, type Route } from '../http/route.js'
import { Checker } from '../http/validate.js'
import { worked } from '../schemas/common.js'
import {
  JobAndModel,
  JobAndModelQuery,
  JobMetrics,
  JobMetricsQuery,
  MetricsFilters,
  ModelMetrics,
  ModelQuery,
  ProductionDateAnswer,
  ProductionDateQuery,
  RecomputeAnswer,
} from '../schemas/metrics.js'
import { jobByIdOrTitle } from './job-reference.js'
import { filtersExample, scopeOf, TIMEOUT_S, wireOf } from './metrics-wire.js'

const tag = 'Metrics'
const scope = 'read:job_metrics' satisfies Scope
/** The scope of operations that change metrics. */
const changeScope = 'execute:recompute_model_metrics' satisfies Scope
const filtered = { body: MetricsFilters, bodyExample: filtersExample } as const

/** What existing clients know as null where a job has no model (C3.10). */
const withoutModel = {
  overallAccuracy: null,
  overallF1Score: null,
  overallRecall: null,
  overallPrecision: null,
  basis: null,
  basisEvents: null,
} as const

/** The metrics of a job without a model: numbers are numbers (S41). */
function noModel({ confusionMatrix }: EngineJobMetrics): Omit<EngineModelMetrics, 'modelId'> & { modelId: null } {
  return {
    ...nothingKnown,
    confusionMatrix: confusionMatrix.map((row) => row.map(() => 0)),
    overallAccuracy: 0,
    overallF1Score: 0,
    overallRecall: 0,
    overallPrecision: 0,
    basis: 'none',
    basisEvents: 0,
    bucketsInKb: 0,
    eventsInKb: 0,
  }
}

const nothingKnown = {
  modelId: null,
  metricsPerDecision: new Map(),
  quality: null,
  agreementWithVotes: null,
  isRecomputingMetrics: false,
  lastRecomputedTimestamp: null,
  recomputeStatus: null,
  recomputeError: null,
  kbCountPerDecision: new Map(),
} as const

const nulls = { ...nothingKnown, ...withoutModel, confusionMatrix: null, bucketsInKb: null, eventsInKb: null }

/** Served with POST, which takes filters, and with GET, which the management MCP server uses. */
const job = {
  path: '/api/v2/metrics/job',
  tag,
  summary: 'Get the metrics of a job',
  description:
    'The quality of decisions: each voted event is scored by the decision that it had before the first vote on its ' +
    'bucket. From fewer than 30 such events the overall figures are those of the model on held-out events; `basis` ' +
    'says so.',
  scope,
  query: JobMetricsQuery,
  responses: { 200: { description: 'The metrics.', schema: JobMetrics } },
  errors: [404],
  handle: async ({ app, principal, query, body, gone }: Call<typeof JobMetricsQuery, typeof MetricsFilters>) => {
    return wireOf(
      await app.service.metrics.job(
        jobByIdOrTitle(app, principal, query.job_id),
        scopeOf(query, body, principal),
        gone(),
      ),
    )
  },
} as const

const jobAndLatestModel = {
  path: '/api/v2/metrics/job_and_latest_model',
  tag,
  summary: 'Get the metrics of a job and its active model',
  description:
    'The metrics of the model are recomputed. If that takes longer than `timeout_s`, the answer has the latest known ' +
    'ones.',
  scope,
  query: JobAndModelQuery,
  responses: { 200: { description: 'Both; the metrics of the job also at top level.', schema: JobAndModel } },
  errors: [404],
  async handle({ app, principal, query, body, gone }: Call<typeof JobAndModelQuery, typeof MetricsFilters>) {
    const found = jobByIdOrTitle(app, principal, query.job_id)
    const both = await app.service.metrics.jobAndLatestModel(
      found,
      scopeOf(query, body, principal),
      query.timeout_s ?? TIMEOUT_S,
      gone(),
    )
    const jobWire = wireOf(both.job) as object
    const modelWire = wireOf(both.model ?? noModel(both.job))
    const isEmpty = both.model === null
    return {
      ...jobWire,
      ...(isEmpty ? (wireOf(withoutModel) as object) : {}),
      job_id: both.jobId,
      model_id: both.modelId,
      job_metrics: jobWire,
      model_metrics: modelWire,
      active_model_metrics: isEmpty ? wireOf(nulls) : modelWire,
    }
  },
} as const

function modelRoute(method: Method, operationId: string): Route {
  return operation({
    method,
    ...(method === 'POST' ? { isIdempotent: true } : {}),
    path: '/api/v2/metrics/model',
    operationId,
    tag,
    summary: 'Get the metrics of a model',
    description:
      'The quality of the model: on first answers, else on events that were held out from its training, as `basis` ' +
      'says. The metrics are those of the latest recomputation; the first request starts one.',
    scope,
    query: ModelQuery,
    responses: { 200: { description: 'The metrics.', schema: ModelMetrics } },
    errors: [404],
    handle: async ({ app, principal, query }) => {
      return wireOf(await app.service.metrics.model(jobByIdOrTitle(app, principal, query.job_id), query.model_id))
    },
  })
}

const recompute = operation({
  method: 'POST',
  path: '/api/v2/metrics/model/request_recompute_metrics',
  operationId: 'requestRecomputeMetrics',
  tag,
  summary: 'Recompute the metrics of a model',
  description: 'Runs in the background, and continues after a restart. The metrics of the model show its progress.',
  scope: changeScope,
  query: ModelQuery,
  responses: { 200: { description: 'The recomputation is requested.', schema: RecomputeAnswer } },
  errors: [404, 507],
  handle({ app, principal, query }) {
    const answer = app.service.metrics.requestRecompute(jobByIdOrTitle(app, principal, query.job_id), query.model_id)
    const isNew = answer.status === 'queued'
    return {
      message: isNew ? 'Recomputation of metrics is queued' : 'Recomputation of metrics is running already',
      ...(wireOf(answer) as object),
    }
  },
})

const productionDateChecker = new Checker(ProductionDateQuery, 'query')

/** Its 404 has a body of its own. */
const productionDate: GuardedRoute = {
  method: 'PUT',
  path: '/api/v2/metrics/production_date',
  operationId: 'setProductionDate',
  tag,
  summary: 'Set when a job went into production',
  description: 'Metrics requests without a start begin at this date.',
  scope: changeScope,
  query: ProductionDateQuery,
  responses: {
    200: { description: 'The date is set.', schema: ProductionDateAnswer, example: { request: worked } },
    404: {
      description: 'The job does not exist.',
      schema: ProductionDateAnswer,
      example: { request: { status: 'NOK', reason: 'job not found', reason_details: null } },
    },
  },
  errors: [507],
  serve(exchange, _params, app, principal) {
    const query = productionDateChecker.checkQuery(exchange.query())
    try {
      app.service.metrics.setProductionDate(jobByIdOrTitle(app, principal, query.job_id), query.production_date)
      replyJson(exchange, 200, { request: worked })
    } catch (error) {
      if (!isRefusal(error, 'job_not_found') || exchange.wantsProblem) return replyError(exchange, error)
      replyJson(exchange, 404, { request: { status: 'NOK', reason: error.message, reason_details: null } })
    }
  },
}

export const metricsRoutes: readonly Route[] = [
  operation({ ...job, method: 'POST', isIdempotent: true, operationId: 'getJobMetrics', ...filtered }),
  operation({ ...job, method: 'GET', operationId: 'readJobMetrics' }),
  operation({
    ...jobAndLatestModel,
    method: 'POST',
    isIdempotent: true,
    operationId: 'getJobAndLatestModelMetrics',
    ...filtered,
  }),
  operation({ ...jobAndLatestModel, method: 'GET', operationId: 'readJobAndLatestModelMetrics' }),
  modelRoute('POST', 'postModelMetrics'),
  modelRoute('GET', 'getModelMetrics'),
  recompute,
  productionDate,
]
