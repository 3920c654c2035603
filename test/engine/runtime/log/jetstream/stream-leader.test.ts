import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mustLead } from '../../../../../engine/runtime/log/jetstream/stream-leader.js'
import { LogUnavailable } from '../../../../../engine/runtime/log/turn-log.js'

/** A stream whose leader heard of the other copies so many milliseconds ago. */
const told = (...heardMs: readonly number[]) => ({
  config: { name: 'turns', num_replicas: heardMs.length + 1 },
  cluster: {
    leader: 's1',
    replicas: heardMs.map((ms, at) => {
      return { name: `s${at + 2}`, current: true, offline: false, lag: 0, observer: false, active: ms * 1e6 }
    }),
  },
})

describe('the leader of a stream', () => {
  it('is believed where most copies are there', () => {
    assert.equal(mustLead(told(900, 40)).cluster?.leader, 's1')
    assert.equal(mustLead(told(900, 60_000)).cluster?.leader, 's1')
    // A trial with one server.
    assert.equal(mustLead(told()).cluster?.leader, 's1')
  })

  it('is not believed after it was cut off from the other copies', () => {
    assert.throws(() => mustLead(told(9_000, 9_000)), LogUnavailable)
    const [first, second] = told(100, 100).cluster.replicas
    const away = {
      ...told(100, 100),
      cluster: {
        replicas: [
          { ...first!, offline: true },
          { ...second!, offline: true },
        ],
      },
    }
    assert.throws(() => mustLead(away), LogUnavailable)
  })
})
