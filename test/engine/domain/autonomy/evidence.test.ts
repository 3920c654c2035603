import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { auditsNeeded, logAlarm, logCapital, rateBound } from '../../../../engine/domain/autonomy/evidence.js'
import { SeededRandom } from '../../../../engine/rng.js'

const certified = (epsilon: number, delta: number, clean: number, failures = 0): boolean =>
  logCapital(epsilon, { clean, failures }) >= -Math.log(delta)

describe('the evidence of audits', () => {
  it('certifies 1, 0.5 and 0.1 % after 339, 680 and 3,404 clean audits at 5 %', () => {
    for (const [epsilon, audits] of [
      [0.01, 339],
      [0.005, 680],
      [0.001, 3_404],
    ] as const) {
      assert.equal(certified(epsilon, 0.05, audits), true)
      assert.equal(certified(epsilon, 0.05, audits - 1), false)
      assert.equal(auditsNeeded(epsilon, 0.05, 0), audits)
    }
  })

  it('is 1 before the first audit, on both sides', () => {
    assert.ok(Math.abs(logCapital(0.01, { clean: 0, failures: 0 })) < 1e-12)
    assert.ok(Math.abs(logAlarm(0.01, { clean: 0, failures: 0 })) < 1e-12)
  })

  it('keeps its mean under the hypothesis, for both capitals', () => {
    // The exact mean over all outcomes of n audits at the rate ε is 1.
    const n = 60
    for (const epsilon of [0.01, 0.1]) {
      for (const capital of [logCapital, logAlarm]) {
        let mean = 0
        let ways = 1
        for (let failures = 0; failures <= n; failures++) {
          const chance = ways * epsilon ** failures * (1 - epsilon) ** (n - failures)
          mean += chance * Math.exp(capital(epsilon, { clean: n - failures, failures }))
          ways = (ways * (n - failures)) / (failures + 1)
        }
        assert.ok(Math.abs(mean - 1) < 1e-9, `${epsilon}: ${mean}`)
      }
    }
  })

  it('opens wrongly in at most one stream of twenty where the rate is ε', () => {
    const random = new SeededRandom(5)
    const streams = 1_000
    let wrong = 0
    for (let stream = 0; stream < streams; stream++) {
      let clean = 0
      let failures = 0
      for (let audit = 0; audit < 1_500; audit++) {
        if (random.nextFloat() < 0.02) failures++
        else clean++
        if (!certified(0.02, 0.05, clean, failures)) continue
        wrong++
        break
      }
    }
    // 5 % and three standard errors.
    assert.ok(wrong / streams <= 0.05 + 3 * Math.sqrt((0.05 * 0.95) / streams), `${wrong} of ${streams}`)
    assert.ok(wrong > 0, 'a test that never opens shows nothing')
  })

  it('bounds the rate by the least one that it refutes', () => {
    const counts = { clean: 400, failures: 1 }
    const bound = rateBound(0.05, counts)
    assert.equal(certified(bound, 0.05, 400, 1), true)
    assert.equal(certified(bound / 10 ** (1 / 48), 0.05, 400, 1), false)
    assert.equal(rateBound(0.05, { clean: 0, failures: 0 }), 1)
    assert.equal(rateBound(0.05, { clean: 0, failures: 40 }), 1)
  })

  it('counts 10,000,000 audits without overflow', () => {
    assert.ok(Number.isFinite(logCapital(0.01, { clean: 1e7, failures: 3 })))
    assert.ok(Number.isFinite(logAlarm(0.01, { clean: 10, failures: 1e7 })))
    assert.ok(rateBound(0.05, { clean: 1e7, failures: 0 }) <= 1e-6 * 10 ** (1 / 48) + 1e-12)
  })

  it('never needs an end of audits where the rate is ε or more', () => {
    assert.equal(auditsNeeded(0.01, 0.05, 0.01), Infinity)
    assert.ok(auditsNeeded(0.01, 0.05, 0.001) < auditsNeeded(0.01, 0.05, 0.002))
  })

  it('alarms after few audits at five times the rate, and hardly ever at the rate', () => {
    assert.ok(logAlarm(0.01, { clean: 95, failures: 5 }) > 0)
    assert.ok(logAlarm(0.01, { clean: 99, failures: 1 }) < Math.log(100))
    assert.equal(logAlarm(0.5, { clean: 1, failures: 1 }), 0)
  })
})
