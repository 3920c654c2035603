/**
 * Kills a loaded engine again and again, at random moments. After each kill it checks that everything acknowledged is
 * there: each event once, counted once in its bucket, each vote once.
 *
 * `node --enable-source-maps .build/test/faults/kill-loop.js --kills 20 --seed 1`
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SeededRandom } from '../../engine/rng.js'
import { untold } from '../../engine/actor/audit-outbox.js'
import { proveChain } from '../../engine/services/audit/audit-proof.js'
import { auditTables, decodeTaken, takenKey } from '../../engine/services/audit/audit-tables.js'
import { openCatalog, openShard } from '../../engine/store/directory/environments.js'
import { auditEntries } from '../support/audit.js'
import { recount, type Recounted } from '../support/engine/recount.js'
import { EngineChild, type Ready } from './child.js'
import type { AuditEntry } from '../../engine/api/audit-service.js'

const SHARDS = 2
const IN_FLIGHT = 150
const LONG_LIFE = 8
/**
 * Events that are posted at once: more than a turn takes, so another thread commits the first of them. Then the number
 * of such streams, and their average period.
 */
const STREAM_EVENTS = 1_500
const STREAMS = 2
const STREAM_MS = 400
const HOSTS = 23
const NEW_HOSTS_EVERY = 20_000
const labels = ['Escalate', 'Drop', 'Investigate'] as const

export interface KillCounts {
  kills: number
  killedWhileStarting: number
  posted: number
  acknowledgedEvents: number
  acknowledgedVotes: number
  acknowledgedTrainings: number
  acknowledgedReprocessings: number
  acknowledgedOverrides: number
  /** Entries of the audit log. */
  audited: number
  /** Feedback that had not reached the audit log when the process was killed. */
  auditedLater: number
  /** Stored, though the process died before it could answer. */
  storedUnacknowledged: number
  storedEvents: number
  models: number
  slowestStartMs: number
}

/** What was posted, and what was acknowledged. */
class Ledger {
  /** By id: the version posted last, and the version acknowledged last. */
  readonly versions = new Map<string, { posted: number; acknowledged: number }>()
  /** Events whose id the service made: by id, what they hold. */
  readonly own = new Map<string, number>()
  readonly votes = new Map<string, { label: string; acknowledged: boolean }>()
  readonly ids: string[] = []
  /** Overrides and withdrawals, by their author. */
  readonly overrides = new Map<string, { label: string | null; acknowledged: boolean }>()
  tokens = 0
  acknowledged = 0
}

/** Kills `kills` times. Throws if anything acknowledged is lost, duplicated or counted wrong. */
export async function killLoop(kills: number, seed: number, loadMsMax = 700): Promise<KillCounts> {
  const random = new SeededRandom(seed)
  const directory = mkdtempSync(join(tmpdir(), 'kill-loop-'))
  const counts: KillCounts = {
    kills: 0,
    killedWhileStarting: 0,
    posted: 0,
    acknowledgedEvents: 0,
    acknowledgedVotes: 0,
    acknowledgedTrainings: 0,
    acknowledgedReprocessings: 0,
    acknowledgedOverrides: 0,
    audited: 0,
    auditedLater: 0,
    storedUnacknowledged: 0,
    storedEvents: 0,
    models: 0,
    slowestStartMs: 0,
  }
  const ledger = new Ledger()
  let jobId: number | null = null
  try {
    while (counts.kills < kills) {
      const child = new EngineChild(directory)
      // One kill in six comes during the start.
      const early = jobId !== null && random.below(6) === 0
      if (early) await sleep(random.below(250))
      else jobId = await started(child, counts)
      const load = early ? null : new Load(child, random, ledger, counts)
      // Every other time the kill comes after the first answer, else at any moment after the start.
      if (load !== null && counts.kills % 2 === 0) await load.answering
      // Every fourth life is long enough for a training to end in it.
      if (load !== null) await sleep(30 + random.below(counts.kills % 4 === 3 ? LONG_LIFE * loadMsMax : loadMsMax))
      await child.kill()
      counts.kills++
      if (early) counts.killedWhileStarting++
      await load?.ended
      await check(directory, jobId as number, ledger, counts)
    }
    await checkLife(directory, counts)
    return counts
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function started(child: EngineChild, counts: KillCounts): Promise<number> {
  const from = performance.now()
  const ready = await child.ready
  assert.ok(ready?.ready === true, `the engine starts: ${JSON.stringify(ready)}`)
  counts.slowestStartMs = Math.max(counts.slowestStartMs, Math.round(performance.now() - from))
  return ready.jobId
}

/** Keeps a number of requests in flight until the process dies. */
class Load {
  readonly ended: Promise<unknown>
  /** Resolves with the first answer, or when there will be none. */
  readonly answering: Promise<void>
  #answered: () => void = () => {}
  readonly #child: EngineChild
  readonly #random: SeededRandom
  readonly #ledger: Ledger
  readonly #counts: KillCounts

  constructor(child: EngineChild, random: SeededRandom, ledger: Ledger, counts: KillCounts) {
    this.#child = child
    this.#random = random
    this.#ledger = ledger
    this.#counts = counts
    this.answering = new Promise((resolve) => (this.#answered = resolve))
    const all = [
      ...Array.from({ length: IN_FLIGHT }, () => this.#goOn()),
      ...Array.from({ length: STREAMS }, () => this.#stream()),
    ]
    this.ended = Promise.all(all).finally(this.#answered)
  }

  async #stream(): Promise<void> {
    for (;;) {
      const first = this.#ledger.tokens
      this.#ledger.tokens += STREAM_EVENTS
      this.#counts.posted += STREAM_EVENTS
      const bodies = Array.from({ length: STREAM_EVENTS }, (_, i) => ({
        host: `s${(first + i) % HOSTS}`,
        token: first + i,
        version: 0,
      }))
      const outcome = await this.#child.ask({ ask: 'ingest many', bodies })
      if (outcome === null) return
      assert.ok('result' in outcome, JSON.stringify(outcome))
      for (const [i, id] of (outcome.result as string[]).entries()) this.#ledger.own.set(id, first + i)
      this.#ledger.acknowledged += STREAM_EVENTS
      this.#counts.acknowledgedEvents += STREAM_EVENTS
      await sleep(this.#random.below(2 * STREAM_MS))
    }
  }

  async #goOn(): Promise<void> {
    while (await this.#askNext());
  }

  /** False if the process has ended. */
  #askNext(): Promise<boolean> {
    const chance = this.#random.below(1_000)
    const { ids } = this.#ledger
    if (chance < 2) return this.#train()
    if (chance < 4) return this.#reprocess({ ask: 'reprocess' })
    if (chance >= 250 || ids.length === 0) return this.#post()
    if (chance < 20) return this.#reprocess({ ask: 'reprocess event', eventId: this.#random.pick(ids.slice(-500)) })
    return chance < 46 ? this.#override() : this.#vote()
  }

  async #post(): Promise<boolean> {
    const ledger = this.#ledger
    const token = ledger.tokens++
    this.#counts.posted++
    const named = this.#random.below(3) === 0 ? `id ${this.#random.below(200)}` : null
    const version = named === null ? 0 : (ledger.versions.get(named)?.posted ?? 0) + 1
    if (named !== null) ledger.versions.set(named, { acknowledged: 0, ...ledger.versions.get(named), posted: version })
    // Only events whose id the service made get votes: they stay in their bucket. Their hosts change now and then, for
    // new buckets: a bucket with more votes than limits.votesPerBallotMax drops the oldest.
    const host = (token % HOSTS) + HOSTS * Math.floor(token / NEW_HOSTS_EVERY)
    const body = {
      host: named === null ? `h${host}` : `n${this.#random.below(9)}`,
      token,
      version,
      text: 'x'.repeat(this.#random.below(300)),
    }
    const outcome = await this.#child.ask({ ask: 'ingest', eventId: named, body })
    if (outcome === null) return false
    assert.ok('result' in outcome, JSON.stringify(outcome))
    ledger.acknowledged++
    this.#counts.acknowledgedEvents++
    this.#answered()
    if (named === null) {
      ledger.own.set(outcome.result as string, token)
      ledger.ids.push(outcome.result as string)
    } else {
      const known = ledger.versions.get(named) as { posted: number; acknowledged: number }
      known.acknowledged = Math.max(known.acknowledged, version)
    }
    return true
  }

  async #vote(): Promise<boolean> {
    const { votes, ids } = this.#ledger
    const analyst = `analyst ${votes.size}`
    const label = this.#random.pick(labels)
    votes.set(analyst, { label, acknowledged: false })
    const outcome = await this.#child.ask({
      ask: 'feedback',
      eventId: this.#random.pick(ids.slice(-500)),
      analyst,
      label,
    })
    if (outcome === null) return false
    assert.ok('result' in outcome, JSON.stringify(outcome))
    votes.set(analyst, { label, acknowledged: true })
    this.#counts.acknowledgedVotes++
    return true
  }

  /** Refused while too many tasks wait. */
  async #reprocess(query: Parameters<EngineChild['ask']>[0]): Promise<boolean> {
    const outcome = await this.#child.ask(query)
    if (outcome !== null && 'refused' in outcome) assert.equal(outcome.refused, 'limit_exceeded')
    if (outcome !== null && 'result' in outcome) this.#counts.acknowledgedReprocessings++
    return outcome !== null
  }

  async #override(): Promise<boolean> {
    const { overrides, ids } = this.#ledger
    const by = `administrator ${overrides.size}`
    const label = this.#random.below(2) === 0 ? null : this.#random.pick(labels)
    overrides.set(by, { label, acknowledged: false })
    const outcome = await this.#child.ask({ ask: 'override', eventId: this.#random.pick(ids.slice(-500)), label, by })
    if (outcome === null) return false
    // There was nothing to withdraw, so there is no feedback.
    if ('refused' in outcome) {
      assert.equal(outcome.refused, 'override_not_found')
      overrides.delete(by)
      overrides.set(`${by} refused`, { label, acknowledged: false })
      return true
    }
    overrides.set(by, { label, acknowledged: true })
    this.#counts.acknowledgedOverrides++
    return true
  }

  async #train(): Promise<boolean> {
    const outcome = await this.#child.ask({ ask: 'train' })
    if (outcome !== null && 'result' in outcome) this.#counts.acknowledgedTrainings++
    return outcome !== null
  }
}

/** Reads the store of the dead process. */
async function check(directory: string, jobId: number, ledger: Ledger, counts: KillCounts): Promise<void> {
  const votesStored = await checkStored(directory, jobId, ledger, counts)
  const catalog = openCatalog(directory, auditTables)
  try {
    checkAudit(await toldIn(directory, catalog, counts), ledger, votesStored)
    const proof = proveChain(catalog)
    assert.equal(proof.broken, null)
    counts.audited = proof.entries
  } finally {
    await catalog.close()
  }
}

/** The entries of the audit log, and those on their way to it. */
async function toldIn(
  directory: string,
  catalog: ReturnType<typeof openCatalog>,
  counts: KillCounts,
): Promise<AuditEntry[]> {
  const told: AuditEntry[] = auditEntries(catalog)
  for (let shard = 0; shard < SHARDS; shard++) {
    const environment = openShard(directory, shard)
    const waiting = [...untold(environment, decodeTaken(catalog.get('audit_meta', takenKey(shard))), Infinity)]
    counts.auditedLater += waiting.length
    told.push(...waiting)
    await environment.close()
  }
  return told
}

/** The audit log tells every stored vote and every acknowledged override once, and no other. */
function checkAudit(told: readonly AuditEntry[], ledger: Ledger, votesStored: ReadonlySet<string>): void {
  const votes = told.filter(({ action }) => action === 'voted').map(({ analyst }) => analyst as string)
  assert.equal(new Set(votes).size, votes.length, 'a vote is told once')
  assert.deepEqual(new Set(votes), votesStored, 'the votes that are told are those that are stored')
  const overrides = told.filter(({ action }) => action === 'consensus overridden' || action === 'override withdrawn')
  const authors = overrides.map(({ by }) => by.name)
  assert.equal(new Set(authors).size, authors.length, 'an override is told once')
  for (const [by, { acknowledged }] of ledger.overrides)
    if (acknowledged) assert.ok(authors.includes(by), `the override of ${by} is told`)
  for (const { by, action } of overrides) {
    assert.equal(
      action === 'override withdrawn',
      ledger.overrides.get(by.name)?.label === null,
      `the override of ${by.name}`,
    )
  }
}

/** The analysts whose votes are stored. */
async function checkStored(
  directory: string,
  jobId: number,
  ledger: Ledger,
  counts: KillCounts,
): Promise<ReadonlySet<string>> {
  const votesStored = new Set<string>()
  for (let shard = 0; shard < SHARDS; shard++) {
    const environment = openShard(directory, shard)
    try {
      if ([...environment.range('stats', {})].length === 0) continue
      const recounted = recount(environment, jobId)
      checkEvents(recounted, ledger, counts)
      checkVotes(recounted, ledger)
      for (const { analyst } of recounted.votes) votesStored.add(analyst)
      counts.models = recounted.stats.modelVersions.length
    } finally {
      await environment.close()
    }
  }
  return votesStored
}

function checkEvents({ events }: Recounted, ledger: Ledger, counts: KillCounts): void {
  for (const [id, token] of ledger.own) assert.equal(events.get(id)?.token, token, `event ${id}`)
  for (const [id, { posted, acknowledged }] of ledger.versions) {
    const version = (events.get(id)?.version ?? 0) as number
    assert.ok(
      version >= acknowledged && version <= posted,
      `version ${version} of ${id}: ${acknowledged} acknowledged, ${posted} posted`,
    )
  }
  const tokens = [...events.values()].map(({ token }) => token)
  assert.equal(new Set(tokens).size, tokens.length, 'every event is stored once')
  counts.storedEvents = events.size
  counts.storedUnacknowledged = [...events.keys()].filter(
    (id) => !ledger.own.has(id) && !ledger.versions.has(id),
  ).length
}

function checkVotes({ votes }: Recounted, ledger: Ledger): void {
  const stored = new Map<string, number>()
  for (const { analyst, label } of votes) {
    assert.ok(!stored.has(analyst), `the vote of ${analyst} counts once`)
    stored.set(analyst, label)
  }
  for (const [analyst, { label, acknowledged }] of ledger.votes) {
    const place = stored.get(analyst)
    if (acknowledged || place !== undefined)
      assert.equal(place, labels.indexOf(label as (typeof labels)[number]), `the vote of ${analyst}`)
  }
}

/** After all of this the service works: trainings end, and an event is decided. */
async function checkLife(directory: string, counts: KillCounts): Promise<void> {
  const child = new EngineChild(directory)
  try {
    const ready: Ready | null = await child.ready
    assert.ok(ready?.ready === true)
    for (;;) {
      const outcome = await child.ask({ ask: 'job' })
      assert.ok(outcome !== null && 'result' in outcome)
      const { retrainState } = outcome.result as { retrainState: string }
      assert.notEqual(retrainState, 'RETRAIN_FAILED')
      if (retrainState !== 'queued' && retrainState !== 'training') break
      await sleep(20)
    }
    const posted = await child.ask({ ask: 'ingest', eventId: 'alive', body: { host: 'h1' } })
    assert.ok(posted !== null && 'result' in posted)
    const seen = await child.ask({ ask: 'event', eventId: 'alive' })
    assert.ok(seen !== null && 'result' in seen)
    if (counts.acknowledgedTrainings > 0) assert.notEqual((seen.result as { resultLabel: string }).resultLabel, '')
    assert.deepEqual(child.failures, [])
  } finally {
    await child.close()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { kills: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
  })
  const counts = await killLoop(Number(values.kills), Number(values.seed))
  for (const [name, count] of Object.entries(counts)) {
    process.stdout.write(
      `${name.replace(/[A-Z]/g, (deadLetter) => ` ${deadLetter.toLowerCase()}`).padEnd(26)} ${count}\n`,
    )
  }
}
