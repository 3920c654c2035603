import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  answered,
  countsOf,
  isConfirmedMiss,
  isCounted,
  majorityOf,
  type Audit,
} from '../../../../engine/domain/autonomy/audit.js'
import { figuresOf, percent, ratesInWords } from '../../../../engine/domain/autonomy/certificate.js'
import type { LabelTerms, SafetyContract } from '../../../../engine/domain/autonomy/contract.js'
import { weekMicros, type Gate } from '../../../../engine/domain/autonomy/gate.js'
import { judged, newGate, reachOf, recount, revoked, withAudit } from '../../../../engine/domain/autonomy/ladder.js'
import { SeededRandom } from '../../../../engine/rng.js'

const terms: LabelTerms = { label: 1, epsilon: 0.1, delta: 0.1, thresholds: [9_900, 9_000], exclusions: [] }
const contract: SafetyContract = {
  mode: 'open',
  holdOutRate: 0.1,
  revokeOnMiss: false,
  deadlineMicros: 1_000,
  protectedLabels: [0],
  labels: [terms],
}
const [strict, lax] = terms.thresholds.map((threshold, place) =>
  newGate(terms, { number: place + 1, threshold, modelVersion: 3, atMicros: 0 }),
) as [Gate, Gate]
const audit: Audit = {
  drawnMicros: 10,
  dueMicros: 1_010,
  label: 1,
  confidence: 9_950,
  from: 9_900,
  modelVersion: 3,
  rate: 0.1,
  bucketId: 'ab',
  subject: 'ab',
  second: false,
  outcome: 'clean',
  analysts: 1,
  differ: false,
}

function withMany(gate: Gate, of: Audit, count: number): Gate {
  let next = gate
  for (let i = 0; i < count; i++) next = withAudit(next, null, of, 100)
  return next
}

describe('an audit', () => {
  it('is evidence for gates whose events it was drawn from, and for no others', () => {
    assert.equal(isCounted(audit, strict), true)
    assert.equal(isCounted(audit, lax), false, 'it was drawn from the strict events alone')
    assert.equal(isCounted({ ...audit, from: 9_000 }, lax), true)
    assert.equal(isCounted({ ...audit, from: 9_000, confidence: 9_500 }, strict), false)
    for (const other of [{ label: 2 }, { modelVersion: 4 }, { drawnMicros: -1 }])
      assert.equal(isCounted({ ...audit, ...other }, strict), false)
  })

  it('is answered by the majority; a tie and no votes are no answer, and late past the deadline', () => {
    const of = (labels: number[], now: number) =>
      answered(
        audit,
        labels.map((label) => ({ label })),
        [0],
        now,
      ).outcome
    assert.deepEqual([of([1], 0), of([0], 0), of([0, 1], 0), of([], 0)], ['clean', 'failure', 'pending', 'pending'])
    assert.deepEqual([of([0, 1], 1_010), of([2, 2, 0], 1_010)], ['late', 'clean'])
    assert.equal(majorityOf([]), null)
  })

  it('stays counted as a failure in a bucket that is excluded; clean ones there do not count', () => {
    assert.deepEqual(countsOf(audit, ['ab']), { clean: 0, failures: 0 })
    assert.deepEqual(countsOf({ ...audit, outcome: 'failure' }, ['ab']), { clean: 0, failures: 1 })
    assert.deepEqual(countsOf({ ...audit, outcome: 'late' }, []), { clean: 0, failures: 1 })
  })

  it('is a confirmed miss where all that are asked have answered', () => {
    assert.equal(isConfirmedMiss({ ...audit, outcome: 'failure' }), true)
    assert.equal(isConfirmedMiss({ ...audit, outcome: 'failure', second: true }), false)
    assert.equal(isConfirmedMiss({ ...audit, outcome: 'failure', second: true, analysts: 2 }), true)
    assert.equal(isConfirmedMiss(audit), false)
  })
})

describe('the gates of a label', () => {
  it('open from strict to lax, each when those before are certified', () => {
    assert.deepEqual(reachOf([strict, lax], 100), { auditedFrom: 9_900, settledFrom: Infinity, settles: null })
    const certified = withMany(strict, audit, 80)
    const first = judged([certified, lax], contract, 100)
    assert.deepEqual(
      first.map(({ state }) => state),
      ['open', 'shadow'],
    )
    const reach = reachOf(first, 100)
    assert.deepEqual([reach.auditedFrom, reach.settledFrom, reach.settles?.number], [9_000, 9_900, 1])
    const both = judged([certified, withMany(lax, { ...audit, from: 9_000 }, 80)], contract, 100)
    assert.deepEqual(
      both.map(({ state }) => state),
      ['open', 'open'],
    )
    assert.equal(reachOf(both, 100).settledFrom, 9_000)
    const lost = judged([strict, both[1] as Gate], contract, 100)
    assert.deepEqual(
      lost.map(({ state }) => state),
      ['shadow', 'shadow'],
    )
    assert.equal((lost[1] as Gate).reason, 'not_certified')
  })

  it('never open in shadow, and are revoked with the stricter ones', () => {
    const certified = withMany(strict, audit, 80)
    assert.equal(judged([certified], { ...contract, mode: 'shadow' }, 100)[0]?.state, 'shadow')
    const gone = judged([revoked(certified, 'drift', 50), lax], contract, 100)
    assert.deepEqual(
      gone.map(({ state, reason }) => [state, reason]),
      [
        ['revoked', 'drift'],
        ['revoked', 'stricter_revoked'],
      ],
    )
    assert.equal(reachOf(gone, 100).auditedFrom, Infinity)
    const failing = withMany(strict, { ...audit, outcome: 'failure' }, 20)
    assert.deepEqual(
      [judged([failing], contract, 100)[0]?.state, judged([failing], contract, 100)[0]?.reason],
      ['revoked', 'evidence'],
    )
  })

  it('count clean answers in the order of their audits, and failures at once', () => {
    const hour = 3_600_000_000
    const now = 100
    const due = (hours: number, outcome: Audit['outcome']): Audit => ({
      ...audit,
      outcome,
      dueMicros: hours * hour + 1,
    })
    // Nobody has answered the first, which people may want to escalate.
    const open = due(5, 'pending')
    let gate = withAudit(strict, null, open, now)
    gate = withAudit(withMany(gate, due(4, 'clean'), 10), null, due(9, 'clean'), now)
    gate = withMany(gate, due(6, 'clean'), 100)
    const figures = figuresOf(gate, now)
    assert.deepEqual([figures.audits, figures.waiting, gate.pending], [10, 101, 1])
    assert.equal(judged([gate], contract, now)[0]?.state, 'shadow', '101 of 112 clean audits prove nothing yet')
    assert.match(
      ratesInWords(gate, figures, contract, () => 'Escalate')[2] as string,
      /^101 clean answers do not count/,
    )
    const failed = withAudit(gate, null, due(9, 'failure'), now)
    assert.deepEqual([figuresOf(failed, now).failures, figuresOf(failed, now).waiting], [1, 101])
    // It is answered; or it is late, which is a failure.
    const answeredNow = withAudit(gate, open, { ...open, outcome: 'clean' }, now)
    assert.deepEqual([figuresOf(answeredNow, now).audits, figuresOf(answeredNow, now).waiting], [112, 0])
    assert.equal(judged([answeredNow], contract, now)[0]?.state, 'open')
    const late = withAudit(gate, open, { ...open, outcome: 'late' }, 6 * hour)
    assert.deepEqual([figuresOf(late, 6 * hour).audits, figuresOf(late, 6 * hour).failures], [112, 1])
    // Hours in which nothing can be due any more are not kept.
    assert.deepEqual(judged([answeredNow], contract, 30 * hour)[0]?.evidence.hours, [])
  })

  it('close when their evidence is older than four weeks', () => {
    const open = judged([withMany(strict, audit, 80)], contract, 100)
    assert.equal(judged(open, contract, 3 * weekMicros)[0]?.state, 'open')
    const old = judged(open, contract, 4 * weekMicros + 1)[0] as Gate
    assert.deepEqual([old.state, old.evidence.weeks], ['shadow', []])
  })

  it('have the same evidence whatever the order of changes, and as a count over the audits', () => {
    const random = new SeededRandom(5)
    const audits: Audit[] = []
    let gate = strict
    for (let step = 0; step < 500; step++) {
      const at = random.below(audits.length + 1)
      const before = audits[at] ?? null
      const after: Audit = {
        ...audit,
        drawnMicros: before?.drawnMicros ?? random.below(2 * weekMicros),
        dueMicros: before?.dueMicros ?? 2 * weekMicros + random.below(weekMicros / 14),
        outcome: random.pick(['pending', 'clean', 'failure', 'late'] as const),
        second: before?.second ?? random.below(2) === 0,
        analysts: random.below(3),
        differ: random.below(2) === 0,
      }
      gate = withAudit(gate, before, after, 2 * weekMicros)
      audits[at] = after
    }
    assert.deepEqual(recount(gate, audits, 2 * weekMicros), gate)
  })
})

describe('the figures of a gate', () => {
  it('have two rates, the second from what was settled and what people got', () => {
    const gate = withMany({ ...strict, flow: [{ week: 0, settled: 1_000, protectedEvents: 10 }] }, audit, 500)
    const figures = figuresOf(gate, 100)
    assert.ok(figures.bound > 0 && figures.bound < 0.02)
    const missed = figures.bound * 1_000
    assert.equal(figures.protectedBound, missed / (missed + 10))
    const words = ratesInWords(gate, figures, contract, (label) => ['Escalate', 'Drop', 'Ask'][label] as string)
    assert.match(words[0] as string, /Of 500 audits 0 failed: at most/)
    assert.match(words[1] as string, /1000 events were settled, and people answered 10 others with Escalate: at most/)
    assert.equal(figuresOf(strict, 100).protectedBound, null)
  })

  it('are percentages that people read', () => {
    assert.deepEqual([0.0061, 0.1234, 0.5, 0.012345, 0].map(percent), ['0.61 %', '12.3 %', '50.0 %', '1.23 %', '0 %'])
  })
})
