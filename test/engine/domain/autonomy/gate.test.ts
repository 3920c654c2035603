import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  epochs,
  judge,
  noEvidence,
  weekMicros,
  weekOf,
  withAudits,
  type GateEvidence,
} from '../../../../engine/domain/autonomy/gate.js'

const terms = { epsilon: 0.01, delta: 0.05, revokeOnMiss: true }

function collected(weeks: readonly (readonly [week: number, clean: number, failures: number])[]): GateEvidence {
  let evidence = noEvidence
  for (const [week, clean, failures] of weeks) evidence = withAudits(evidence, { week, clean, failures }, week)
  return evidence
}

describe('a gate', () => {
  it('knows nothing before its first audit', () => {
    assert.deepEqual(judge(noEvidence, 0, terms), {
      certified: false,
      alarmed: false,
      bound: 1,
      counts: { clean: 0, failures: 0 },
    })
  })

  it('is certified by clean audits, and not while failures are too many', () => {
    assert.equal(judge(collected([[0, 600, 0]]), 0, terms).certified, true)
    assert.equal(judge(collected([[0, 600, 6]]), 0, terms).certified, false)
  })

  it('loses its certificate with the failures that follow', () => {
    const open = collected([[0, 500, 0]])
    assert.equal(judge(open, 0, terms).certified, true)
    const after = withAudits(open, { week: 0, clean: 0, failures: 4 }, 0)
    assert.equal(judge(after, 0, terms).certified, false)
  })

  it('forgets a week when the last epoch with it ends', () => {
    const evidence = collected([[0, 600, 0]])
    assert.equal(judge(evidence, 3, terms).certified, true)
    assert.equal(judge(evidence, 4, terms).certified, false)
    assert.deepEqual(withAudits(evidence, { week: 4, clean: 1, failures: 0 }, 4).weeks, [
      { week: 4, clean: 1, failures: 0 },
    ])
  })

  it('runs four epochs at most, each with the weeks since it began', () => {
    const evidence = collected([
      [2, 1, 0],
      [3, 10, 0],
      [5, 100, 1],
    ])
    assert.deepEqual(epochs(evidence, 5), [
      { clean: 111, failures: 1 },
      { clean: 110, failures: 1 },
      { clean: 100, failures: 1 },
      { clean: 100, failures: 1 },
    ])
    assert.equal(epochs(noEvidence, 1).length, 2)
  })

  it('has the same state whatever the order of its audits, and after one is taken back', () => {
    const one = collected([
      [0, 3, 1],
      [1, 2, 0],
    ])
    let other = withAudits(noEvidence, { week: 1, clean: 3, failures: 0 }, 1)
    other = withAudits(other, { week: 0, clean: 3, failures: 1 }, 1)
    assert.deepEqual(withAudits(other, { week: 1, clean: -1, failures: 0 }, 1), one)
  })

  it('tells no bound above the rate that it refutes', () => {
    const fine = { ...terms, epsilon: 0.0223 }
    let evidence = noEvidence
    while (!judge(evidence, 0, fine).certified) evidence = withAudits(evidence, { week: 0, clean: 1, failures: 0 }, 0)
    assert.ok(judge(evidence, 0, fine).bound <= 0.0223)
  })

  it('alarms where the rate is far above its terms', () => {
    assert.equal(judge(collected([[0, 80, 20]]), 0, terms).alarmed, true)
    assert.equal(judge(collected([[0, 500, 5]]), 0, terms).alarmed, false)
  })

  it('counts weeks from its beginning', () => {
    assert.equal(weekOf(1_000, 500), 0)
    assert.equal(weekOf(1_000, 1_000 + weekMicros - 1), 0)
    assert.equal(weekOf(1_000, 1_000 + weekMicros), 1)
  })
})
