import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { causeSettingsOf } from '../../../../engine/domain/cause/settings.js'
import { FieldFinder, finderBounds, storedFields } from '../../../../engine/domain/cause/field-finder.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { processor, START_MS, TestCauseStore } from '../../../support/cause.js'

type Body = Record<string, unknown>

/** Pumps of a plant: a blocked filter overheats the pump, and then the pump behind it has no flow. */
function plant(count: number, { apartMs = 400_000, next = 1 } = {}): Body[] {
  const random = new SeededRandom(1)
  const bodies: Body[] = []
  let at = START_MS
  while (bodies.length < count) {
    at += random.below(apartMs)
    const pump = random.below(12)
    const tell = (after: number, where: number, what: string): void => {
      bodies.push({
        zq: new Date(at + after).toISOString(),
        unit: { xx: `P${where}`, yy: [`P${(where + 1) % 12}`], hall: `H${where % 3}` },
        ww: what,
        level: random.pick(['red', 'amber']),
        reading: random.nextFloat() * 100,
        no: `N${bodies.length}`,
        text: `${what} at ${random.below(10_000)}`,
        plant: 'north',
      })
    }
    if (random.below(4) === 0) tell(0, pump, random.pick(['door open', 'lamp out']))
    else {
      tell(0, pump, 'filter blocked')
      tell(5_000, pump, 'overheated')
      tell(12_000, (pump + next) % 12, 'no flow')
    }
  }
  return bodies.slice(0, count)
}

function finderOf(parameters: Body = {}): { finder: FieldFinder; store: TestCauseStore } {
  const store = new TestCauseStore()
  return { finder: new FieldFinder(store, causeSettingsOf({ pipeline: [processor(parameters)] })), store }
}

const noPoints: readonly string[] = []

function found(bodies: readonly Body[], points: readonly string[] = noPoints, parameters: Body = {}) {
  const { finder, store } = finderOf(parameters)
  for (const body of bodies) finder.look(body, points)
  finder.flush()
  return storedFields(store)
}

describe('fields whose names say nothing', () => {
  it('are found by what their values do', () => {
    for (const count of [256, 1_024]) {
      const row = found(plant(count))
      assert.deepEqual(row?.found, { time: 'zq', id: 'unit.xx', related: 'unit.yy', kind: ['ww'] }, `${count} alerts`)
      assert.deepEqual([row.lacks, row.isFinal], [[], count === 1_024])
    }
  })

  it('are found without related ones: the order of kinds tells the entity', () => {
    const ofOne = plant(1_024, { apartMs: 20_000, next: 0 })
    const bodies = ofOne.map(({ unit, ...rest }) => ({ ...rest, unit: { xx: (unit as Body).xx } }))
    assert.deepEqual(found(bodies)?.found, { time: 'zq', id: 'unit.xx', related: '', kind: ['ww'] })
  })

  it('are of the decision points where there are any, and never a number that is measured', () => {
    assert.deepEqual(found(plant(512), ['ww', 'reading'])?.found?.kind, ['ww'])
    assert.deepEqual(found(plant(512), ['level', 'reading'])?.lacks, ['kind'])
  })

  it('are not looked for where the job names them, or their names are known', () => {
    const named = { time_field: 'zq', id_field: 'unit.xx', related_field: 'unit.yy', kind_fields: ['level'] }
    assert.deepEqual(found(plant(64), noPoints, named)?.found, { time: '', id: '', related: '', kind: [] })
    const known = plant(256).map(({ zq, unit, ww }) => ({
      '@timestamp': zq,
      host: { name: (unit as Body).xx },
      rule: { name: ww },
    }))
    assert.deepEqual(found(known)?.found, { time: '', id: '', related: '', kind: [] })
    // Always the same, so it is no kind, whatever its name.
    const constant = plant(256).map((body) => ({ ...body, type: 'alert' }))
    assert.deepEqual(found(constant)?.found?.kind, ['ww'])
  })

  it('are lacking where all are the same or new each time, and the job can say so', () => {
    const dull = Array.from({ length: 1_024 }, (_, i) => ({ no: `N${i}`, plant: 'north' }))
    assert.deepEqual(found(dull)?.lacks, ['time', 'id', 'kind'])
  })

  it('are the same after a restart at any alert, and are looked for again with other decision points', () => {
    const bodies = plant(300)
    const { finder: whole, store: one } = finderOf()
    const store = new TestCauseStore()
    for (const [at, body] of bodies.entries()) {
      whole.look(body, noPoints)
      const settings = causeSettingsOf({ pipeline: [processor({})] })
      const again = new FieldFinder(store, settings)
      const readers = again.look(body, [...noPoints])
      again.flush()
      if (at === 299) assert.equal(readers.kind.count, 1)
    }
    whole.flush()
    assert.deepEqual(store.bytes(), one.bytes())
    const other = found([...bodies, ...bodies.slice(0, 10)])
    assert.equal(other?.alerts, 310)
    const { finder } = finderOf()
    for (const body of bodies) finder.look(body, noPoints)
    assert.equal(finder.look(bodies[0] as Body, ['level']).kind.count, 0)
  })

  it('keep no sample once the choice is final, and never a value', () => {
    const { finder, store } = finderOf()
    for (const body of plant(finderBounds.alertsMax)) finder.look(body, noPoints)
    finder.flush()
    const text = store.bytes().join('\n')
    assert.ok(!text.includes('filter blocked') && text.length < 5_000, String(text.length))
  })

  it('are found in bodies of any form', () => {
    const { finder } = finderOf()
    const odd = [{}, { a: null }, { a: [] }, { a: [{ b: 1 }] }, { a: { b: { c: { d: { e: { f: 1 } } } } } }, { a: '' }]
    for (let i = 0; i < finderBounds.alertsMax; i++) finder.look({ ...odd[i % odd.length], [`k${i}`]: i }, noPoints)
  })
})
