import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { capital, pairedTest, verdictOn } from '../../../../engine/domain/autonomy/paired-test.js'
import { SeededRandom } from '../../../../engine/rng.js'

const stream = { events: 500, differ: 400 }

describe('the paired test', () => {
  it('says nothing without answers, better after clean wins, worse after clean losses', () => {
    assert.equal(verdictOn({ wins: 0, losses: 0 }, stream), 'undecided')
    assert.equal(verdictOn({ wins: 9, losses: 0 }, stream), 'better')
    assert.equal(verdictOn({ wins: 0, losses: 9 }, stream), 'worse')
    assert.equal(verdictOn({ wins: 2, losses: 1 }, stream), 'undecided')
    assert.equal(verdictOn({ wins: 300, losses: 300 }, stream), 'not_worse')
  })

  it('says not worse where both hardly ever differ, and not before there are enough events', () => {
    assert.equal(verdictOn({ wins: 0, losses: 0 }, { events: 1_000, differ: 5 }), 'not_worse')
    assert.equal(verdictOn({ wins: 0, losses: 0 }, { events: 999, differ: 0 }), 'undecided')
    assert.equal(verdictOn({ wins: 0, losses: 0 }, { events: 1_000, differ: 6 }), 'undecided')
  })

  it('has a capital that is a martingale under its hypothesis, and a mirror image', () => {
    for (const [wins, losses] of [
      [0, 0],
      [5, 2],
      [1, 12],
    ] as const)
      for (const p0 of [0.5, 0.4]) {
        const next = p0 * capital(p0, { wins: wins + 1, losses }) + (1 - p0) * capital(p0, { wins, losses: losses + 1 })
        assert.ok(Math.abs(next / capital(p0, { wins, losses }) - 1) < 1e-9)
      }
    assert.equal(capital(0.5, { wins: 0, losses: 0 }), 1)
  })

  it('calls equal models better or worse in at most delta of the streams, however often one looks', () => {
    const random = new SeededRandom(11)
    const wrong = { better: 0, worse: 0 }
    const streams = 400
    for (let run = 0; run < streams; run++) {
      const counts = { wins: 0, losses: 0 }
      for (let i = 0; i < 300; i++) {
        if (random.nextFloat() < 0.5) counts.wins++
        else counts.losses++
        if (capital(0.5, counts) >= 1 / pairedTest.delta) {
          wrong.better++
          break
        }
      }
    }
    // Three standard errors above delta.
    const most = streams * (pairedTest.delta + 3 * Math.sqrt((pairedTest.delta * (1 - pairedTest.delta)) / streams))
    assert.ok(wrong.better <= most, String(wrong.better))
  })

  it('finds a challenger that is right in three of four disagreements', () => {
    const random = new SeededRandom(3)
    let answers = 0
    for (let run = 0; run < 50; run++) {
      const counts = { wins: 0, losses: 0 }
      while (verdictOn(counts, stream) !== 'better' && counts.wins + counts.losses < 1_000) {
        if (random.nextFloat() < 0.75) counts.wins++
        else counts.losses++
      }
      answers += counts.wins + counts.losses
    }
    assert.ok(answers / 50 < 60, String(answers / 50))
  })
})
