import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { kernelOfThread } from '../../../../../engine/domain/learn/kernel/kernel.js'
import { OutlierReferences } from '../../../../../engine/domain/learn/outlier/outlier-references.js'
import { OutlierView } from '../../../../../engine/domain/learn/outlier/outlier-view.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const unusual = [Number.NaN, Infinity, -0, 1e308, null, [], ['a', 'b', 3], true, '2026-01-01T00:00:00Z', '10.1.2.3', '']

/** Texts, then numbers; some missing, some of them of another kind. */
function eventOf(random: SeededRandom, texts: number, numbers: number): PointValues {
  const odd = (): PointValues[number] => unusual[random.below(unusual.length)] as PointValues[number]
  return [
    ...Array.from({ length: texts }, () =>
      random.below(12) === 0 ? odd() : `rule ${random.below(9)} of ${random.below(5)}`,
    ),
    ...Array.from({ length: numbers }, () => (random.below(12) === 0 ? odd() : Math.round(random.nextFloat() * 50))),
  ]
}

/** More uses than it takes until the kernel is worth it. */
const manyUses = 200

for (const { texts, numbers, count } of [
  { texts: 8, numbers: 0, count: 300 },
  { texts: 8, numbers: 3, count: 256 },
  { texts: 2, numbers: 40, count: 61 },
  { texts: 0, numbers: 9, count: 30 },
  { texts: 3, numbers: 3, count: 1 },
  { texts: 3, numbers: 3, count: 6 },
]) {
  test(`${count} references at ${texts} texts and ${numbers} numbers give the same bits in WebAssembly`, () => {
    const random = new SeededRandom(count)
    const names = Array.from({ length: texts + numbers }, (_, i) => `p${i}`)
    const events = Array.from({ length: count }, () => eventOf(random, texts, numbers))
    const profiles = profilePoints(names.length, [
      ...events,
      ...Array.from({ length: 20 }, () => eventOf(random, texts, numbers)),
    ])
    const encoder = new FeatureEncoder(names, profiles, new Int32Array(0))
    const view = new OutlierView(profiles)
    const look = (values: PointValues): OutlierView => {
      encoder.encode(values)
      view.take(values, encoder)
      return view
    }
    const references = OutlierReferences.of(count, view, (i) => look(events[i] as PointValues))
    references.localise(Float64Array.from(events.slice(0, 256), () => random.nextFloat()))
    const asked = [...events.slice(0, 40), ...Array.from({ length: 60 }, () => eventOf(random, texts, numbers))]
    const answers = (): unknown[] =>
      asked.map((values, i) => {
        const distance = references.distance(look(values), i % 3 === 0 ? i : -1)
        return [distance, references.nearestPlace, references.nearestDistance, references.nearestWithin(view, 0.7, i)]
      })
    const inJavaScript = answers()
    for (let i = 0; i < manyUses; i++) references.distance(look(eventOf(random, texts, numbers)))
    const kernel = kernelOfThread()
    assert.ok(kernel !== null)
    kernel.bytes.fill(0xff, kernel.scratch, kernel.scratch + 16_384)
    const inWasm = answers()
    assert.ok(
      kernel.bytes.subarray(kernel.scratch, kernel.scratch + 16_384).some((byte) => byte !== 0xff),
      'it was used',
    )
    assert.deepEqual(inWasm, inJavaScript)
  })
}
