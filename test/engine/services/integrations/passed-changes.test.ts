import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PassedChanges } from '../../../../engine/services/integrations/passed-changes.js'
import { Ledger, ledgerTables, type StepId } from '../../../../engine/integration/delivery/ledger.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'

const webhook: StepId = { jobId: 1, integrationId: 1, role: 'post_decision' }
const search: StepId = { jobId: 1, integrationId: 2, role: 'output' }

function setUp(): { ledger: Ledger; environment: MemoryEnvironment; passed: PassedChanges } {
  const environment = new MemoryEnvironment(ledgerTables)
  const ledger = new Ledger(environment, () => {})
  return { ledger, environment, passed: new PassedChanges(ledger) }
}

describe('changes of decisions that all have told', () => {
  it('are those before the place of the slowest step, said once', async () => {
    const { ledger, passed } = setUp()
    ledger.putPlace(webhook, { events: 9, change: 70, changeEvent: 4 })
    ledger.putPlace(search, { events: 9, change: 50, changeEvent: 6 })
    assert.deepEqual(passed.next([webhook, search]), [{ jobId: 1, changeMicros: 50, eventMicros: 6 }])
    assert.deepEqual(passed.next([webhook, search]), [])
    await ledger.close()
  })

  it('are not those that only memory says were told: the process may end, and the letters of what failed with it', async () => {
    const { ledger, environment, passed } = setUp()
    ledger.putPlace(webhook, { events: 9, change: 70, changeEvent: 4 })
    environment.failNextCommit = new Error('full')
    assert.deepEqual(passed.next([webhook]), [])
    assert.deepEqual(passed.next([webhook]), [{ jobId: 1, changeMicros: 70, eventMicros: 4 }])
    await ledger.close()
  })

  it('are not those that a step has yet to tell which is closed to be opened anew, or could not be opened at all', async () => {
    const { ledger, passed } = setUp()
    ledger.putPlace(webhook, { events: 9, change: 70, changeEvent: 4 })
    ledger.putPlace(search, { events: 9, change: 50, changeEvent: 6 })
    assert.deepEqual(passed.next([webhook]), [{ jobId: 1, changeMicros: 50, eventMicros: 6 }])
    assert.deepEqual(passed.next([webhook, { jobId: 1, integrationId: 3, role: 'output' }]), [
      { jobId: 1, changeMicros: 0, eventMicros: 0 },
    ])
    await ledger.close()
  })
})
