/**
 * A small world around a shard: a few jobs, few enough hosts and users that events meet again, analysts who disagree,
 * and everything that can go wrong. A seed determines all of it.
 */
import assert from 'node:assert/strict'
import { isRefusal, Refusal, type RefusalCode } from '../../engine/errors.js'
import { limits } from '../../engine/limits.js'
import { bucketIdOf, bucketText } from '../../engine/domain/event/bucket-key.js'
import { DecisionPoints } from '../../engine/domain/event/decision-points.js'
import { eventIdOf } from '../../engine/domain/event/event-id.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import type { JobSettings } from '../../engine/domain/job/job.js'
import { defaultLabels } from '../../engine/domain/job/labels.js'
import { viewOf } from '../../engine/actor/event-reply.js'
import type { VoteEffect } from '../../engine/api/decision-service.js'
import { BallotCache } from '../../engine/services/report/job-ballots.js'
import { nextMessage, readMessage, type MessageKind } from '../../engine/actor/message.js'
import type { SafetyContract } from '../../engine/domain/autonomy/contract.js'
import { encodeAutonomyCommand } from '../../engine/actor/autonomy/autonomy-command.js'
import { checkAutonomy } from '../../engine/services/verify/verify-autonomy.js'
import { ShardCheck } from '../../engine/services/verify/verify-shard.js'
import { decodeAudit } from '../../engine/store/audit-row.js'
import { jobRange } from '../../engine/store/tables.js'
import { encodeHistoryCommand, readHistory, type HistoryCommand } from '../../engine/actor/history.js'
import { encodeEnriched } from '../../engine/actor/enrichment-results.js'
import { encodeNote } from '../../engine/actor/notes.js'
import { encodeTaskCommand } from '../../engine/actor/reprocess-tasks.js'
import { orphanSettings } from '../../engine/actor/purge.js'
import { encodeCollected, untold } from '../../engine/actor/audit-outbox.js'
import { beginTurn, type TurnResult, type TurnTask } from '../../engine/actor/turn-task.js'
import type { RecordLog } from '../../engine/runtime/log/turn-log.js'
import { SeededRandom } from '../../engine/rng.js'
import type { MemoryEnvironment } from '../../engine/store/memory-store.js'
import type { EventView } from '../../engine/api/decision-service.js'
import { compareJob, expectedView, lookAt } from '../support/engine/compare.js'
import { compareMetrics } from '../support/engine/metrics.js'
import { NO_TOLD, OracleJob, type Snapshot } from '../support/engine/oracle.js'
import { recordedAuthor } from '../support/author.js'
import { jobSettings, TestShard } from '../support/engine/shard.js'
import { alarm } from '../support/cause.js'
import type { AuditEntry } from '../../engine/api/audit-service.js'

/** What goes wrong in a world. */
export interface Troubles {
  /** Commits that the store refuses, and commits that throw. */
  readonly commits: boolean
  /** Threads that die before, between and after commits. */
  readonly deaths: boolean
  readonly restarts: boolean
}

const POISON = 'poison'
const CLUSTERED = 'Automated root cause analysis'
/** A step that enriches. */
const enrichment = { integrationId: 7, role: 'enrichment', enabled: true, parameters: {}, outsideSince: 1 } as const
const labels = ['Escalate', 'drop', 'label_2', 'class_0', ' Investigate ', 'Drop', 'Escalate'] as const
const wrongBodies: readonly [RefusalCode, string][] = [
  ['invalid_json', '{'],
  ['invalid_json', ''],
  ['invalid_body', '[]'],
  ['invalid_body', '{"raw_body":7}'],
  ['invalid_body', '{}'],
  ['number_too_large', '{"raw_body":{"a":-1e999}}'],
  ['forbidden_field', '{"raw_body":{"a":{"__proto__":1}}}'],
  ['event_too_deep', `{"raw_body":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`],
]

/** The expected answer to a message: the code of a refusal, or a result. */
type Outcome = RefusalCode | 'any' | object | number | null

type HistoricPart = readonly {
  readonly raw_body: Record<string, unknown>
  readonly label: { readonly cortex_user: string; readonly feedback: string } | null
}[]

/** A request with many historic events: its id, its parts, how many were sent, and the last that was asked for. */
interface SentRequest {
  readonly id: number
  readonly parts: readonly HistoricPart[]
  sent: number
  asked: number
}

/** How far a request is: its next part. */
interface HeldRequest {
  state: 'coming' | 'running' | 'done'
  next: number
}

/** What a step of a request does to the oracle. */
type HistoryEffect = (settings: JobSettings, micros: number) => void

function textOfPart(events: HistoricPart): Buffer {
  return Buffer.from(JSON.stringify({ events }))
}

/** Applies a message to the oracle. */
type Effect = (settings: JobSettings, micros: number) => Outcome

export class World {
  readonly shard: TestShard
  readonly #random: SeededRandom
  readonly #troubles: Troubles
  readonly #jobs: JobSettings[]
  readonly #oracles: OracleJob[]
  readonly #atShard = new Map<number, JobSettings>()
  /** The effect of each message, and its expected answer from its commit on. */
  readonly #effects = new Map<number, Effect>()
  readonly #outcomes = new Map<number, Outcome>()
  readonly #answers: Promise<void>[] = []
  /** The cache of a thread that computes metrics; it lives through all steps. */
  readonly #ballotCache = new BallotCache()
  readonly #knownIds: string[][]
  readonly #models = new Map<number, { bytes: Uint8Array; seen: Snapshot }>()
  readonly #tasks = new Map<number, { id: number; cursor: number }>()
  /** The audit log as collected, and up to when. */
  readonly #chain: AuditEntry[] = []
  #taken = 0
  /** The clock of the alerts, seconds. */
  #seconds = 0
  #versions = 0
  #settled = 0
  /** By job: requests with many historic events, as they were sent, and as the shard should have them. */
  readonly #sentRequests: SentRequest[][]
  readonly #requests: Map<number, HeldRequest>[]
  /** States of such requests that were seen. */
  readonly requests = new Set<string>()
  /** Outcomes of audits that were seen. */
  readonly audits = new Set<string>()
  answered = 0
  refused = 0

  /** With a log, each turn is appended to it before it runs. */
  constructor(seed: number, troubles: Troubles, log: RecordLog | null = null) {
    this.shard = new TestShard<MemoryEnvironment>(undefined, undefined, undefined, log)
    this.#random = new SeededRandom(seed)
    this.#troubles = troubles
    this.#jobs = [
      jobSettings({ id: 1 }),
      jobSettings({ id: 2, category: 'Event centric decision intelligence' }),
      jobSettings({ id: 3, decisionPoints: ['user', 'tags', 'net.port'] }),
      jobSettings({
        id: 4,
        category: CLUSTERED,
        decisionPoints: [],
        labels: defaultLabels('Decision intelligence'),
        advancedSettings: { decide_untrained: seed % 4 !== 0 },
      }),
    ]
    this.#oracles = this.#jobs.map(() => new OracleJob())
    this.#knownIds = this.#jobs.map(() => [])
    this.#sentRequests = this.#jobs.map(() => [])
    this.#requests = this.#jobs.map(() => new Map())
    this.shard.run = (task) => this.#runTurn(task)
    this.shard.commitRounds = () => this.#random.below(5) - 1
    meetBugs(this.shard)
  }

  /** Does one random thing and waits for nothing. */
  step(): void {
    if (this.#random.below(30) === 0) return this.#postAutonomy()
    if (this.#random.below(14) === 0) return this.#postHistory(this.#random.below(this.#jobs.length))
    // One step in seven is for the job with clusters.
    const at = this.#random.below(7) >> 1
    const chance = this.#random.below(100)
    if (chance < 46) this.#postEvent(at)
    else if (chance < 52) this.#postEnriched(at)
    else if (chance < 76) this.#postFeedback(at)
    else if (chance < 81) this.#postHistoric(at)
    else if (chance < 84) this.#changeJob(at)
    else if (chance < 88) {
      this.#post(at, 'resume', (settings, micros) => {
        this.#oracle(at).resume(settings, micros)
        return null
      })
    } else if (chance < 90) this.#postModel(at)
    else if (chance < 93) this.#postReprocess(at)
    else if (chance < 94) this.#postTask(at)
    else if (chance < 95) this.#postNote(at)
    else if (chance < 97) this.#postOverride(at)
    else if (chance < 98) this.#forgetTold()
    else if (this.#troubles.commits) {
      this.shard.environment.failNextCommit =
        this.#random.below(2) === 0 ? new Refusal('store_full', 'full') : new Error('a bug')
    }
  }

  /** Waits until everything is answered, and compares the store with the oracle. */
  async settle(): Promise<void> {
    await Promise.all(this.#answers.splice(0))
    this.shard.environment.failNextCommit = null
    await this.#catchUp()
    const look = lookAt(this.shard.environment)
    this.#jobs.forEach((job, at) => {
      compareJob(look, job, this.#oracle(at))
      compareMetrics(look, job, this.#oracle(at), this.#ballotCache)
      this.#compareGates(job)
      this.#compareHistory(at)
    })
    this.#compareLatest()
    this.#compareTold()
    if (this.#settled++ % 2 === 0) {
      this.shard.rest()
      this.#jobs.forEach((job, place) => compareJob(lookAt(this.shard.environment), job, this.#oracle(place)))
    }
    if (this.#troubles.restarts && this.#random.below(2) === 0) {
      this.shard.restart()
      this.#atShard.clear()
    }
    const at = this.#random.below(this.#jobs.length)
    this.#train(at)
  }

  /** The shard applies what its log has. The log may not answer at first. */
  async #catchUp(): Promise<void> {
    for (;;) {
      try {
        return await this.shard.logged?.catchUp()
      } catch (error) {
        if (!isRefusal(error, 'log_unavailable')) throw error
      }
    }
  }

  /** The evidence of gates equals a count over the audits, and their outcomes one over the votes. */
  #compareGates(job: JobSettings): void {
    const check = new ShardCheck(this.shard.environment, 'shard')
    checkAutonomy(check, job.id)
    assert.deepEqual(check.problems, [])
    const { audits } = this
    for (const { value } of this.shard.environment.range('audits', jobRange(job.id)))
      audits.add(decodeAudit(value).outcome)
  }

  /** The events remembered as the latest equal the stored ones. */
  #compareLatest(): void {
    for (const [at, job] of this.#jobs.entries()) {
      for (const id of new Set(this.#knownIds[at])) {
        const shown = this.shard.latest.find(job, id)
        if (shown !== null) assert.deepEqual(viewOf(job, id, shown), this.shard.view(job, id), id)
      }
    }
  }

  #oracle(at: number): OracleJob {
    return this.#oracles[at] as OracleJob
  }

  /** Alerts of a few hosts that are neighbours in circles: some out of order, some from long ago or from the future. */
  #alarm(): Record<string, unknown> {
    const random = this.#random
    this.#seconds += random.below(30)
    const behind = random.below(8) === 0 ? random.below(500) : random.below(40)
    const lists = Array.from({ length: random.below(3) }, () => `h${random.below(5)}`)
    const body = alarm(`h${random.below(5)}`, `k${random.below(4)}`, this.#seconds - behind, lists)
    if (random.below(25) === 0) body['@timestamp'] = random.pick(['1970-01-01', '2100-01-01', 'x', null])
    if (random.below(25) === 0) delete body.device
    if (random.below(25) === 0) delete body.alarm
    return { ...body, host: `h${random.below(4)}` }
  }

  #body(at: number): Record<string, unknown> {
    if (this.#jobs[at]?.category === CLUSTERED) return this.#alarm()
    const random = this.#random
    const body: Record<string, unknown> = { host: `h${random.below(4)}` }
    if (random.below(3) > 0) body.user = random.pick(['ann', 'bob', null, 7, true, ''])
    if (random.below(3) === 0)
      body.tags = Array.from({ length: random.below(4) }, () => random.pick(['x', 'y', 1, null]))
    if (random.below(3) === 0)
      body.net = random.pick([{ port: 22 }, { port: 443 }, [{ port: 1 }, { port: 2 }], {}, null])
    if (random.below(20) === 0) delete body.host
    if (random.below(15) === 0)
      body.enrichment = random.pick([{ ti: 1 }, { own: 2 }, { ti: { level: 'x' }, own: 3 }, 'text'])
    if (random.below(30) === 0) return { other: random.below(3), constructor: 'x', '1': { '0': [] } }
    return body
  }

  #id(at: number): string | null {
    const random = this.#random
    const known = this.#knownIds[at] as string[]
    switch (random.below(6)) {
      case 0:
      case 1:
      case 2:
        return null
      case 3:
        return known.length > 0 ? random.pick(known) : 'None'
      default:
        return `id ${random.below(12)}`
    }
  }

  #postEvent(at: number): void {
    if (this.#random.below(25) === 0) {
      const [code, body] = this.#random.pick(wrongBodies)
      this.#post(at, 'ingest', () => code, { body })
      return
    }
    if (this.#troubles.deaths && this.#random.below(60) === 0) {
      this.#post(at, 'ingest', () => assert.fail('never committed'), {
        eventId: POISON,
        body: '{"raw_body":{"host":"h"}}',
      })
      return
    }
    const rawBody = this.#body(at)
    const eventId = this.#id(at)
    const body = JSON.stringify({ job_id: at + 1, raw_body: rawBody, title: 'T' })
    const micros = this.shard.take()
    ;(this.#knownIds[at] as string[]).push(eventId ?? eventIdOf(micros))
    this.#post(
      at,
      'ingest',
      (settings) => {
        const event = this.#oracle(at).ingest(settings, eventId, { micros }, rawBody)
        return expectedView(settings, this.#oracle(at), event)
      },
      { eventId, body, micros },
    )
  }

  #postFeedback(at: number): void {
    const random = this.#random
    const known = this.#knownIds[at] as string[]
    const eventId =
      known.length === 0 || random.below(15) === 0
        ? 'nobody'
        : (known.at(-1 - random.below(Math.min(40, known.length))) as string)
    const label = random.below(8) === 0 ? null : random.below(20) === 0 ? '<empty>' : random.pick(labels)
    const analyst = `analyst ${random.below(4)}`
    const scope = random.pick(['event', 'event', 'bucket'] as const)
    this.#post(
      at,
      'feedback',
      (settings, micros) => {
        const event = this.#oracle(at).find(eventId)
        if (event === null) return 'event_not_found'
        if (label === '<empty>') return 'unknown_label'
        return this.#oracle(at).vote(settings, event, {
          analyst,
          label: label === null ? null : placeOf(label),
          micros,
          scope,
        })
      },
      { eventId, body: JSON.stringify({ analyst, label, scope }) },
    )
  }

  /** A safety contract, a look at its deadlines, or a reopening, for one of the jobs that are trained most. */
  #postAutonomy(): void {
    const random = this.#random
    const at = random.below(2) * 2
    const chance = random.below(10)
    if (chance < 3) {
      this.#post(at, 'autonomy', () => 'any', { body: encodeAutonomyCommand({ op: 'check' }) })
      return
    }
    if (chance < 4) {
      const through = this.shard.take()
      const command = { op: 'reopen', label: null, from: 0, through, first: true, by: recordedAuthor } as const
      this.#post(at, 'autonomy', () => 'any', { body: encodeAutonomyCommand(command) })
      return
    }
    const thresholds = random.pick([[5_000], [6_000, 4_000], [3_400]] as const)
    const protectedLabels = random.pick([[0], [0], [0, 2]])
    const contract: SafetyContract = {
      mode: random.pick(['open', 'open', 'shadow', 'off'] as const),
      holdOutRate: random.pick([0.5, 0.5, 1]),
      revokeOnMiss: random.below(4) === 0,
      // Some hundred messages of this world.
      deadlineMicros: random.pick([300, 100_000]),
      protectedLabels,
      labels: [{ label: 1, epsilon: 0.5, delta: 0.5, thresholds, exclusions: [] }],
    }
    const drawKey = Buffer.alloc(32, 7).toString('base64')
    const command = { op: 'set', contract, drawKey, by: recordedAuthor } as const
    this.#post(at, 'autonomy', () => 'any', { body: encodeAutonomyCommand(command) })
  }

  /** An id that was posted lately, or one that does not exist. */
  #someId(at: number): string {
    const known = this.#knownIds[at] as string[]
    const isNobody = known.length === 0 || this.#random.below(15) === 0
    return isNobody ? 'nobody' : (known.at(-1 - this.#random.below(Math.min(60, known.length))) as string)
  }

  #postReprocess(at: number): void {
    const eventId = this.#someId(at)
    this.#post(
      at,
      'reprocess',
      (settings, micros) => {
        const event = this.#oracle(at).find(eventId)
        if (event === null) return 'event_not_found'
        if (settings.status === 'STOPPED') return 'job_stopped'
        if (event.enrichments !== 'awaited') this.#oracle(at).decideAgain(settings, event, micros)
        return null
      },
      { eventId },
    )
  }

  /** Enrichments of some events: of those that wait, of others, and of deleted ones. */
  #postEnriched(at: number): void {
    const random = this.#random
    const times = [...this.#oracle(at).events.keys(), 7].filter(() => random.below(3) > 0).slice(-12)
    const events = times.map((micros) => {
      const fields = random.below(5) === 0 ? undefined : { found: true, level: random.pick(['high', 'low', 3]) }
      const outcome = fields === undefined ? ('late' as const) : ('found' as const)
      return {
        micros,
        steps: [
          { name: 'ti', title: 'Threats', outcome, reason: '', ms: 1, ...(fields === undefined ? {} : { fields }) },
        ],
      }
    })
    this.#post(
      at,
      'enriched',
      (settings, atMicros) => {
        for (const {
          micros,
          steps: [step],
        } of events) {
          const event = this.#oracle(at).events.get(micros)
          if (event !== undefined) this.#oracle(at).enrich(settings, event, step?.fields, atMicros)
        }
        return 'any'
      },
      { body: encodeEnriched({ op: 'bring', events }) },
    )
  }

  #postNote(at: number): void {
    const eventId = this.#someId(at)
    const notes = `note ${this.#random.below(100)}`
    this.#post(
      at,
      'note',
      () => {
        const event = this.#oracle(at).find(eventId)
        if (event === null) return 'event_not_found'
        event.notes.push(notes)
        return null
      },
      {
        eventId,
        body: encodeNote({
          notes,
          savedObjects: [],
          author: 'x',
          workflowName: null,
          workflowId: null,
          sessionId: null,
        }),
      },
    )
  }

  /** Continues a job's latest task, or begins one. Some pieces begin where the task is not, or no longer is. */
  #postTask(at: number): void {
    const random = this.#random
    const task = this.#tasks.get(at)
    if (task === undefined) {
      const selection = { dateField: '@timestamp', startDate: null, endDate: null, filters: [] }
      const id = this.#post(
        at,
        'task',
        (_, micros) => {
          this.#oracle(at).tasks.set(micros, { cursor: 0, updated: 0, changed: 0, state: 'queued' })
          const told = { action: 'reprocessing requested', object: eventIdOf(micros), analyst: undefined } as const
          this.#oracle(at).told.set(micros, { ...told, consensus: NO_TOLD })
          return 'any'
        },
        { body: encodeTaskCommand({ op: 'create', selection, requestedBy: 'x', by: recordedAuthor }) },
      )
      this.#tasks.set(at, { id, cursor: 0 })
      return
    }
    const times = [...this.#oracle(at).events.keys()]
      .filter((time) => time > task.cursor && time <= task.id)
      .sort((a, b) => a - b)
      .slice(0, 20)
    const last = times.length < 20 && random.below(2) === 0
    const from = random.below(6) === 0 ? task.cursor + 1 : task.cursor
    const through = times.at(-1) ?? task.cursor
    const order = { from, through, times, last }
    if (last) this.#tasks.delete(at)
    else if (random.below(3) > 0) task.cursor = through
    this.#post(
      at,
      'task',
      (settings, micros) => {
        this.#oracle(at).piece(settings, task.id, order, micros)
        return 'any'
      },
      { body: encodeTaskCommand({ op: 'piece', id: task.id, ...order }) },
    )
  }

  /** By event or by bucket; a label, a wrong one, or a withdrawal. */
  #postOverride(at: number): void {
    const random = this.#random
    const oracle = this.#oracle(at)
    const known = this.#knownIds[at] as string[]
    const label = random.below(3) === 0 ? null : random.below(15) === 0 ? '<empty>' : random.pick(labels)
    const bucket =
      random.below(2) === 0 ? random.pick([...oracle.events.values()].map((event) => event.bucket).concat(null)) : null
    const eventId = known.length === 0 ? 'nobody' : random.pick(known.slice(-60))
    const bucketId = bucket === null ? null : bucketIdOfName(bucket)
    this.#post(
      at,
      'override',
      (_, micros) => {
        const event = bucket === null ? oracle.find(eventId) : null
        if (bucket === null && event === null) return 'event_not_found'
        const isThere =
          bucket === null ||
          oracle.ballots.has(bucket) ||
          [...oracle.events.values()].some((each) => each.bucket === bucket)
        if (!isThere) return 'bucket_not_found'
        if (label === '<empty>') return 'unknown_label'
        const subject = bucket ?? event?.bucket ?? `event ${event?.micros}`
        return oracle.overrule(subject, bucketId ?? eventId, label === null ? null : placeOf(label), micros)
      },
      { eventId: bucketId === null ? eventId : null, body: JSON.stringify({ label, bucketId }) },
    )
  }

  /** The audit log takes its entries; most of the time the shard hears of it. */
  #takeTold(): void {
    const most = this.#random.pick([1, 7, 1_000])
    for (const entry of untold(this.shard.environment, this.#taken, most)) {
      this.#chain.push(entry)
      this.#taken = entry.atMicros
    }
  }

  #forgetTold(): void {
    this.#takeTold()
    if (this.#random.below(4) === 0) return
    this.#post(-1, 'collected', () => null, { body: encodeCollected(this.#taken, Buffer.alloc(41)) })
  }

  /** Every entry is collected once, in order, and no other. */
  #compareTold(): void {
    this.#chain.push(...untold(this.shard.environment, this.#taken, Infinity))
    this.#taken = this.#chain.at(-1)?.atMicros ?? 0
    const wanted = this.#oracles.flatMap((oracle, at) =>
      [...oracle.told].map(([micros, told]) => ({ micros, job: at + 1, ...told })),
    )
    const told = this.#chain
      .filter(({ action }) => !/gate|contract|reopened/.test(action))
      .map(({ atMicros, job, by, action, object, analyst, details }) => {
        // The service itself has stored events decided by their first model.
        if (by.kind !== 'service' || action !== 'reprocessing requested') assert.deepEqual(by, recordedAuthor)
        return {
          micros: atMicros,
          job: job?.id,
          action,
          object: object.id,
          analyst,
          consensus: consensusNames.indexOf(details?.consensus as string | null) - 2,
        }
      })
    assert.deepEqual(
      told,
      wanted.sort((a, b) => a.micros - b.micros),
      'what the audit log is told',
    )
  }

  #postHistoric(at: number): void {
    const random = this.#random
    const events = Array.from({ length: random.below(6) }, () => ({
      raw_body: this.#body(at),
      label:
        random.below(3) === 0 ? null : { cortex_user: `analyst ${random.below(3)}`, feedback: random.pick(labels) },
    }))
    const wrong = random.below(4) === 0
    const micros = this.shard.take(10_000)
    this.#post(
      at,
      'historic',
      (settings) => {
        if (wrong) return 'invalid_body'
        this.#storeHistoric(at, settings, events, micros)
        return events.length
      },
      { body: JSON.stringify({ events: wrong ? [...events, { raw_body: null }] : events }), micros },
    )
  }

  /** The events of a request, in one to three parts. */
  #parts(at: number): HistoricPart[] {
    const random = this.#random
    return Array.from({ length: 1 + random.below(3) }, () =>
      Array.from({ length: 1 + random.below(3) }, () => ({
        raw_body: this.#body(at),
        label:
          random.below(3) === 0 ? null : { cortex_user: `analyst ${random.below(3)}`, feedback: random.pick(labels) },
      })),
    )
  }

  /** A step of a request with many historic events: mostly the next one, sometimes one that is late or comes twice. */
  #postHistory(at: number): void {
    const random = this.#random
    const sent = this.#sentRequests[at] as SentRequest[]
    const request = sent.at(-1 - random.below(Math.min(2, sent.length)))
    if (request === undefined || random.below(5) === 0) return this.#beginHistory(at)
    const { id, parts } = request
    if (request.sent < parts.length && random.below(8) > 0) return this.#bringParts(at, request)
    const part = random.below(6) === 0 ? 1 + random.below(parts.length) : Math.min(parts.length, ++request.asked)
    if (random.below(12) === 0 || request.asked > parts.length) {
      this.#tell(at, { op: 'end', id }, [], () => {
        if (this.#request(at, id)?.state !== 'running') this.#requests[at]?.delete(id)
      })
      return
    }
    this.#tell(at, { op: 'piece', id, part }, [], (settings, micros) => {
      const now = this.#request(at, id)
      if (now === undefined || now.state !== 'running' || now.next !== part) return
      this.#storeHistoric(at, settings, parts[part - 1] as HistoricPart, micros)
      now.next++
      if (part === parts.length) now.state = 'done'
    })
  }

  #beginHistory(at: number): void {
    const parts = this.#parts(at)
    const hash = String(this.#sentRequests[at]?.length)
    const some = parts.slice(0, 1 + this.#random.below(parts.length)).map(textOfPart)
    const begin = {
      op: 'begin',
      hash,
      labels: (this.#jobs[at] as JobSettings).labels,
      events: parts.flat().length,
      parts: parts.length,
      odd: null,
      bytes: some.map(({ length }) => length),
    } as const
    const id = this.#tell(at, begin, some, (_, row) => {
      const known = this.#requests[at] as Map<number, HeldRequest>
      const done = [...known].filter(([, { state }]) => state === 'done').sort(([a], [b]) => a - b)
      for (const [other] of done.slice(0, Math.max(0, done.length + 1 - limits.historicKnownMax))) known.delete(other)
      const isWhole = some.length === parts.length
      known.set(row, { state: isWhole ? 'running' : 'coming', next: isWhole ? 1 : some.length + 1 })
    })
    this.#sentRequests[at]?.push({ id, parts, sent: some.length, asked: 0 })
  }

  #bringParts(at: number, request: SentRequest): void {
    const { id, parts } = request
    const from = request.sent + 1
    const some = parts.slice(request.sent).map(textOfPart)
    // Where the message is refused, its request stays as it was and is told to end some time.
    request.sent = parts.length
    this.#tell(at, { op: 'more', id, from, bytes: some.map(({ length }) => length) }, some, () => {
      const now = this.#request(at, id)
      if (now?.state === 'coming' && now.next === from) Object.assign(now, { state: 'running', next: 1 })
    })
  }

  /** Every message of this kind has as many times as a piece may have events. */
  #tell(at: number, command: HistoryCommand, texts: readonly Buffer[], effect: HistoryEffect): number {
    const micros = this.shard.take(limits.historicEventsPerPiece)
    const applied: Effect = (settings) => {
      effect(settings, micros)
      return 'any'
    }
    return this.#post(at, 'history', applied, { body: encodeHistoryCommand(recordedAuthor, command, texts), micros })
  }

  #request(at: number, id: number): HeldRequest | undefined {
    return this.#requests[at]?.get(id)
  }

  /** The requests of a job, and how far each is, equal what their messages say. */
  #compareHistory(at: number): void {
    const rows = readHistory(this.shard.environment, (this.#jobs[at] as JobSettings).id)
    const held = [...(this.#requests[at] as Map<number, HeldRequest>)].sort(([a], [b]) => a - b)
    assert.deepEqual(
      rows.map(({ id, state, next }) => [id, state, next]),
      held.map(([id, { state, next }]) => [id, state, next]),
    )
    for (const [, { state }] of held) this.requests.add(state)
  }

  #storeHistoric(at: number, settings: JobSettings, events: HistoricPart, micros: number): void {
    for (const [place, { raw_body: rawBody, label }] of events.entries()) {
      const event = this.#oracle(at).ingest(settings, null, { micros: micros + place, enriched: false }, rawBody)
      if (label === null) continue
      const vote = {
        analyst: label.cortex_user,
        label: placeOf(label.feedback),
        micros: micros + place,
        isHistoric: true,
      }
      this.#oracle(at).vote(settings, event, vote)
    }
  }

  #changeJob(at: number): void {
    const job = this.#jobs[at] as JobSettings
    const change = this.#random.below(5)
    this.#jobs[at] = {
      ...job,
      revision: job.revision + 1,
      ...(change < 2 ? { status: job.status === 'STARTED' ? 'STOPPED' : 'STARTED' } : {}),
      ...(change === 2
        ? {
            decisionPoints: this.#random.pick([
              ['host', 'user'],
              ['host', 'enrichment.ti.level'],
              ['user', 'tags', 'net.port'],
            ]),
          }
        : {}),
      ...(change === 4 ? { pipeline: job.pipeline.length === 0 ? [enrichment] : [] } : {}),
      ...(change === 3 && job.id !== 1 && job.category !== CLUSTERED
        ? { category: this.#random.pick(['Decision intelligence', 'Event centric decision intelligence'] as const) }
        : {}),
    }
  }

  /** Trains on what is stored; the model arrives later. */
  #train(at: number): void {
    const job = this.#jobs[at] as JobSettings
    const { consensusCounts } = this.shard.reader().stats(job)
    if (consensusCounts.filter((count) => count > 0).length < 2 || this.#random.below(3) === 0) return
    try {
      this.#models.set(at, { bytes: this.shard.train(job, ++this.#versions), seen: this.#oracle(at).snapshot() })
    } catch (error) {
      // Consensuses of other decision points do not count.
      assert.match(String(error), /at least two labels/)
    }
  }

  #postModel(at: number): void {
    const model = this.#models.get(at)
    if (model === undefined) return
    this.#models.delete(at)
    this.#post(
      at,
      'install',
      (settings, micros) => {
        const oracle = this.#oracle(at)
        if (oracle.install(model.bytes, model.seen, settings, micros) && !this.#tasks.has(at))
          this.#tasks.set(at, { id: micros, cursor: oracle.tasks.get(micros)?.cursor ?? 0 })
        return null
      },
      { body: model.bytes },
    )
  }

  #post(at: number, kind: MessageKind, effect: Effect, more: object = {}): number {
    const micros = (more as { micros?: number }).micros ?? this.shard.take()
    this.#effects.set(micros, effect)
    const job = this.#jobs[at] ?? orphanSettings(0, 0)
    this.#answers.push(
      this.shard.post({ job, kind, micros, ...more }).then(
        (answer) => {
          this.answered++
          const wanted = this.#outcomes.get(micros) as Outcome
          if (
            wanted === 'any' ||
            kind === 'resume' ||
            kind === 'collected' ||
            (kind === 'reprocess' && (this.#troubles.deaths || this.shard.logged !== null))
          )
            return
          // A turn that runs again answers with the event's state by then.
          if (kind === 'ingest' && (this.#troubles.deaths || this.shard.logged !== null))
            assert.equal((answer as EventView).eventId, (wanted as EventView).eventId)
          else if (kind === 'feedback') assert.equal(typeof (answer as VoteEffect).appliesToEvents, 'number')
          else assert.deepEqual(kind === 'ingest' ? { ...(answer as EventView), autonomy: 'none' } : answer, wanted)
        },
        (error: unknown) => {
          this.refused++
          assert.ok(isRefusal(error), String(error))
          const { code } = error
          // The message may take effect all the same.
          if (code === 'log_unavailable') return assert.ok(this.shard.logged !== null)
          if (code === 'gate_without_model' || code === 'contract_not_found') return
          if (code === 'store_full') assert.ok(!this.#outcomes.has(micros))
          else if (code === 'turn_failed' && (kind === 'feedback' || kind === 'note' || kind === 'override'))
            assert.ok(this.#troubles.deaths || this.shard.logged !== null)
          else if (code === 'turn_failed') assert.equal((more as { eventId?: string }).eventId, POISON)
          else assert.equal(code, this.#outcomes.get(micros))
        },
      ),
    )
    return micros
  }

  #runTurn(task: TurnTask): TurnResult {
    const random = this.#random
    // A message that is in too many failed turns is refused. A turn that runs again meets no new trouble.
    const fate = this.#troubles.deaths && !task.again ? random.below(12) : 99
    if (task.again && !isRefusal(this.shard.environment.failNextCommit)) this.shard.environment.failNextCommit = null
    if (fate === 0) return this.#die()
    if (fate === 1) {
      beginTurn(task)
      return this.#die()
    }
    for (const settings of task.settings) this.#atShard.set(settings.id, settings)
    const settingsOf = new Map(this.#atShard)
    const result = this.shard.runTurn(task)
    const first = result.extras[0]
    const { laid } = this.shard.lateCommits
    if (result.handedOver === true)
      (laid as NonNullable<typeof laid>).whenCommitted = () => this.#apply(task, settingsOf)
    else if (first?.type !== 'refusal' || first.code !== 'store_full') this.#apply(task, settingsOf)
    return fate === 2 ? this.#die() : result
  }

  #die(): never {
    this.shard.replaceThread()
    throw new Error('the thread died')
  }

  /** The oracle applies a message once, when the shard has committed it. */
  #apply(task: TurnTask, settingsOf: ReadonlyMap<number, JobSettings>): void {
    const memory = Buffer.from(task.memory)
    for (let i = 0, at = 0; i < task.count; i++, at = nextMessage(memory, at)) {
      const { micros, jobId } = readMessage(memory, at, 0)
      if (this.#outcomes.has(micros)) continue
      this.#outcomes.set(micros, (this.#effects.get(micros) as Effect)(settingsOf.get(jobId) as JobSettings, micros))
    }
  }
}

/** One message meets a bug in this shard. */
export function meetBugs({ environment }: TestShard): void {
  const get = environment.get.bind(environment)
  environment.get = (table, key) => {
    if (table === 'ids' && Buffer.from(key).includes(POISON)) throw new Error('a bug that one message meets')
    return get(table, key)
  }
}

function placeOf(label: string): number {
  return { escalate: 0, drop: 1, investigate: 2, label_2: 2, class_0: 0 }[label.trim().toLowerCase()] as number
}

/** By consensus, from UNDECIDED (-2) on. */
const consensusNames = ['Undecided', null, 'Escalate', 'Drop', 'Investigate'] as readonly (string | null)[]

/** The id of a bucket, by the oracle's name for it. */
function bucketIdOfName(name: string): string {
  const [points, values] = JSON.parse(name) as [string[], PointValues]
  return bucketIdOf(new DecisionPoints(points).fingerprint, bucketText(values)).toString('hex')
}
