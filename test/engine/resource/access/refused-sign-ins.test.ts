import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../../engine/clock.js'
import { limits } from '../../../../engine/limits.js'
import { AuditLog, auditTables } from '../../../../engine/services/audit/audit-log.js'
import { proveChain } from '../../../../engine/services/audit/audit-proof.js'
import { RefusedSignIns } from '../../../../engine/resource/access/refused-sign-ins.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { auditEntries } from '../../../support/audit.js'

const { refusedSignInsEach: each, refusedSignInsPerHour: perHour } = limits
const HOUR_MS = 3_600_000

function start() {
  const [environment, clock] = [new MemoryEnvironment(auditTables), new ManualClock(1_800_000_000_000_000)]
  return { environment, clock, refused: new RefusedSignIns(environment, new AuditLog(environment), clock) }
}

test('a few have an entry each, and one entry tells of the others when the hour is over', () => {
  const { environment, clock, refused } = start()
  for (let i = 0; i < 1_000; i++) refused.add('ann', '10.0.0.1')
  refused.add('', '10.0.0.1')
  assert.equal(auditEntries(environment).length, each + 1)
  clock.advanceMs(HOUR_MS)
  refused.add('ann', '10.0.0.1')
  const [summary, next] = auditEntries(environment).slice(each + 1)
  assert.deepEqual(
    [summary!.action, summary!.object.id, summary!.details],
    ['sign-in refused', 'ann', { times: 1_000 - each, since: '2027-01-15T08:00:00.000000Z', addresses: ['10.0.0.1'] }],
  )
  assert.deepEqual(next!.details, { address: '10.0.0.1' }, 'the next hour begins anew')
  assert.equal(proveChain(environment).intact, true)
})

test('many addresses write no more than so many entries an hour', () => {
  const { environment, refused } = start()
  for (let i = 0; i < perHour + 100; i++) refused.add(i % 2 === 0 ? 'ann' : '', `10.0.${i >> 8}.${i & 255}`)
  assert.equal(auditEntries(environment).length, perHour)
  refused.summarize()
  refused.summarize()
  const told = auditEntries(environment).slice(perHour)
  assert.deepEqual(
    told.map(({ object, details }) => [object.title, details!.times]),
    [
      ['ann', 50],
      ['unknown user', 50],
    ],
  )
  assert.equal((told[0]!.details!.addresses as string[]).length, limits.refusedSignInAddresses)
})

test('what cannot be written is told later', () => {
  const { environment, refused } = start()
  for (let i = 0; i <= each; i++) refused.add('ann', '10.0.0.1')
  const commit = environment.commit.bind(environment)
  environment.commit = () => {
    throw new Error('full')
  }
  refused.summarize()
  environment.commit = commit
  refused.summarize()
  assert.equal(auditEntries(environment).at(-1)!.details!.times, 1)
})
