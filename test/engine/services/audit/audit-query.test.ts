import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { AuditLog } from '../../../../engine/services/audit/audit-log.js'
import { queryAudit } from '../../../../engine/services/audit/audit-query.js'
import type { AuditPage, AuditQuery, AuditEntry } from '../../../../engine/api/audit-service.js'
import { auditTables } from '../../../../engine/services/audit/audit-tables.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { WriteBatch } from '../../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { anEntry } from '../../../support/audit.js'

const whole: AuditQuery = { page: 0, size: limits.auditPageMax, order: 'asc' }
const never = (): number => 0

function filled(entries: readonly AuditEntry[]): MemoryEnvironment {
  const environment = new MemoryEnvironment(auditTables)
  const log = new AuditLog(environment)
  const batch = new WriteBatch()
  for (const entry of entries) log.record(batch, entry)
  environment.commit(batch)
  return environment
}

function sequences({ records }: AuditPage): number[] {
  return records.map(({ sequence }) => sequence)
}

function randomEntry(random: SeededRandom): AuditEntry {
  const name = random.pick(['ann', 'bob', 'Ärger "quoted"', ''])
  const job = random.pick([undefined, { id: 1, title: 'one' }, { id: 2, title: 'two' }])
  return anEntry({
    atMicros: 1_000 + random.below(50),
    by: { kind: 'input', name },
    action: random.pick(['voted', 'created', 'deleted'] as const),
    object: {
      type: random.pick(['job', 'event'] as const),
      id: String(random.below(3)),
      title: random.pick(['', 'Phishing']),
    },
    ...(job === undefined ? {} : { job }),
    ...(random.below(2) === 0 ? { analyst: random.pick(['ann', 'eve']) } : {}),
    ...(random.below(3) === 0 ? { changes: { vote: { before: null, after: random.pick(['Drop', 'ESCALATE']) } } } : {}),
  })
}

test('any question is answered as a look at every entry would', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = new SeededRandom(seed)
    const entries = Array.from({ length: 60 }, () => randomEntry(random))
    const environment = filled(entries)
    const maybe = <T>(value: T): T | undefined => (random.below(3) === 0 ? value : undefined)
    const given = {
      user: maybe(random.pick(['ann', 'eve', 'Ärger "quoted"'])),
      analyst: random.below(8) === 0 ? random.pick(['ann', 'eve']) : undefined,
      actions: maybe(['voted', 'deleted']),
      objectTypes: maybe(['event']),
      objectId: maybe('1'),
      jobId: maybe(2),
      fromMicros: maybe(1_010),
      toMicros: maybe(1_040),
      text: maybe(random.pick(['escalate', '"QUOT', 'phish', 'x'])),
    }
    const query = {
      ...whole,
      order: random.pick(['asc', 'desc'] as const),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    }
    const holds = (entry: AuditEntry): boolean => {
      const { by, analyst, action, object, job, atMicros } = entry
      const texts = JSON.stringify([by, analyst, action, object, job, entry.changes?.vote?.after]).toLowerCase()
      return (
        (given.user === undefined || by.name === given.user || analyst === given.user) &&
        (given.analyst === undefined || analyst === given.analyst) &&
        (given.actions?.includes(action) ?? true) &&
        (given.objectTypes?.includes(object.type) ?? true) &&
        (given.objectId ?? object.id) === object.id &&
        (given.jobId === undefined || job?.id === 2) &&
        atMicros >= (given.fromMicros ?? 0) &&
        atMicros < (given.toMicros ?? Infinity) &&
        (given.text === undefined || texts.includes(JSON.stringify(given.text.toLowerCase()).slice(1, -1)))
      )
    }
    const wanted = entries
      .map((entry, at) => ({ entry, sequence: at + 1 }))
      .filter(({ entry }) => holds(entry))
      .sort((a, b) => a.entry.atMicros - b.entry.atMicros || a.sequence - b.sequence)
      .map(({ sequence }) => sequence)
    if (query.order === 'desc') wanted.reverse()
    const page = queryAudit(environment, query, never)
    assert.deepEqual([sequences(page), page.total, page.exact], [wanted, wanted.length, true], `seed ${seed}`)
    const parts = [0, 1, 2, 3, 4, 5].flatMap((number) =>
      sequences(queryAudit(environment, { ...query, page: number, size: 7 }, never)),
    )
    assert.deepEqual(parts, wanted.slice(0, 42), `seed ${seed}: pages`)
    const followed: number[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const part = queryAudit(environment, { ...query, size: 7, ...(after === undefined ? {} : { after }) }, never)
      followed.push(...sequences(part))
      after = part.next
    }
    assert.deepEqual(followed, wanted, `seed ${seed}: by a cursor`)
  }
})

test('a question that takes too long ends with what it has, and says so', () => {
  const environment = filled(Array.from({ length: 3_000 }, () => anEntry()))
  let ms = 0
  const page = queryAudit(environment, { ...whole, user: 'ann', size: 2 }, () => (ms += limits.readerMsMax))
  assert.deepEqual([sequences(page).length, page.exact, page.total > 0 && page.total < 3_000], [2, false, true])
})
