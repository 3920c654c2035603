/**
 * A whole engine in a process of its own, to be killed. It takes requests over the channel to its parent and answers
 * each when the engine has. `node engine-child.js <data directory> [shards] [port of a search engine for enrichment]`.
 */
import { isRefusal, openEngine, type Author, type Engine, type JobHandle } from '../../engine/index.js'
import type { ChildAnswer, ChildRequest, Ready } from './child.js'
import { testAuthor } from '../support/author.js'

const [dataDir = '', shards = '2', searchPort] = process.argv.slice(2)
const BOOTSTRAP_KEY = 'a-key-for-the-children-of-fault-tests-0123456789'

const child: Author = { kind: 'user', name: 'child' }

const points = ['host']
const enrichment =
  searchPort === undefined
    ? {}
    : {
        cmdb: {
          type: 'integration',
          properties: {
            title: 'cmdb',
            integration_type: 'Search engine',
            parameters: {
              hosts: '127.0.0.1',
              port: Number(searchPort),
              user: 'elastic',
              password: 'changeme-now',
              schema: 'http',
            },
          },
        },
      }
const enrichmentSteps =
  searchPort === undefined
    ? []
    : [
        {
          resource: 'cmdb',
          integration_type: 'enrichment',
          enabled: true,
          parameters: {
            index_pattern: 'cmdb',
            event_field: 'host',
            document_field: 'host',
            cache_seconds: 0,
            time_limit_seconds: 30,
          },
        },
      ]
const resources = {
  ...enrichment,
  key: { type: 'api_key', properties: { name: 'key' } },
  rest: {
    type: 'integration',
    properties: {
      title: 'rest',
      integration_type: 'External REST API',
      parameters: { api_key: "{{api_keys(name='key')}}", data_type: 'alerts' },
    },
  },
  job: {
    type: 'job',
    properties: {
      title: 'job',
      category: 'Decision intelligence',
      decision_points: points,
      pipeline_integrations: [{ resource: 'rest', integration_type: 'input', enabled: true }, ...enrichmentSteps],
    },
  },
}

function tell(message: ChildAnswer | Ready): void {
  process.send?.(message)
}

function ingest(
  engine: Engine,
  job: JobHandle,
  eventId: string | null,
  body: Readonly<Record<string, unknown>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    engine.ingest(job, eventId, false, Buffer.from(JSON.stringify({ raw_body: body })), {
      ingested: (view) => resolve(view.eventId),
      refused: reject,
    })
  })
}

async function answer(engine: Engine, job: JobHandle, request: ChildRequest): Promise<unknown> {
  switch (request.ask) {
    case 'ingest':
      return await ingest(engine, job, request.eventId, request.body)
    case 'ingest many':
      return await Promise.all(request.bodies.map((body) => ingest(engine, job, null, body)))
    case 'feedback':
      return await engine.giveFeedback(
        job,
        request.eventId,
        { analyst: request.analyst, label: request.label },
        testAuthor,
      )
    case 'override': {
      const [target, by] = [{ eventId: request.eventId }, { kind: 'management', name: request.by }]
      if (request.label === null) await engine.consensus.withdraw(job, target, by)
      else await engine.consensus.override(job, target, request.label, by)
      return null
    }
    case 'historic':
      return await engine.ingestHistoric(job, Buffer.from(JSON.stringify({ events: request.events })), testAuthor)
    case 'train':
      return await engine.train(job, null, testAuthor)
    case 'stop':
      return await engine.stopJob(job, testAuthor)
    case 'start':
      return await engine.startJob(job, testAuthor)
    case 'event':
      return engine.event(job, request.eventId)
    case 'reprocess event':
      return await engine.reprocess.event(job, request.eventId, child)
    case 'reprocess':
      return await engine.reprocess.start(job, {}, child, 0)
    case 'tasks':
      return engine.reprocess.tasks(job)
    case 'note':
      return await engine.notes.add(job, request.eventId, {
        notes: request.text,
        savedObjects: null,
        workflowName: null,
        workflowId: null,
        sessionId: null,
        author: 'child',
      })
    case 'job':
      return engine.jobView(job)
    case 'close':
      return await engine.close()
  }
}

try {
  const failures: string[] = []
  const engine = await openEngine({
    dataDir,
    name: 'service',
    shards: Number(shards),
    threads: 1,
    passwordCost: 10,
    bootstrapKey: BOOTSTRAP_KEY,
    privateHosts: ['127.0.0.1'],
    adminPassword: 'a-password-for-fault-tests',
    onFailure: (what, error) => failures.push(`${what}: ${String(error)}`),
  })
  const principal = engine.authenticate(BOOTSTRAP_KEY)
  if (principal === null) throw new Error('the bootstrap key is gone')
  if (engine.jobViews(principal, false).length === 0) await engine.applyResources({ resources }, false, testAuthor)
  const job = engine.jobByTitle(principal, 'job')
  process.on('message', (request: ChildRequest) => {
    answer(engine, job, request).then(
      (result) => tell({ number: request.number, result: result ?? null, failures: failures.splice(0) }),
      (error: unknown) =>
        tell({
          number: request.number,
          refused: isRefusal(error) ? error.code : `not a refusal: ${String(error)}`,
          failures: failures.splice(0),
        }),
    )
  })
  tell({ ready: true, jobId: job.id })
} catch (error) {
  tell({
    ready: false,
    code: isRefusal(error) ? error.code : 'not a refusal',
    message: String((error as Error).message),
  })
  process.exitCode = 1
  process.disconnect?.()
}
