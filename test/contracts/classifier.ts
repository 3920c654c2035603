/** The contract of engine/domain/learn/classifier.ts, as tests for every implementation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  TrainingCancelled,
  type Classifier,
  type Example,
  type Model,
  type PointValue,
  type PointValues,
  type TrainingSet,
} from '../../engine/domain/learn/classifier.js'
import { SeededRandom } from '../../engine/rng.js'

const points = ['rule.name', 'severity', 'source.ip', 'destination.port', 'tags', 'internal', 'user']
const rules = ['brute force on login', 'port scan', 'malware found on disk', 'policy violation', 'unusual process']

interface Stream {
  readonly examples: Example[]
  readonly random: SeededRandom
}

/** An event whose label follows from its rule and severity, except for a random share. */
function eventOf(random: SeededRandom, noise: number): Example {
  const rule = random.below(rules.length)
  const severity = random.below(5)
  const values: PointValue[] = [
    rules[rule] as string,
    severity,
    `10.${random.below(3)}.${random.below(20)}.${random.below(250)}`,
    random.pick([22, 80, 443, 3389]),
    [`tag-${rule % 2}`, `tag-${random.below(4) + 2}`],
    random.nextFloat() < 0.5,
    random.nextFloat() < 0.2 ? null : `user-${random.below(50)}`,
  ]
  const truth = rule < 2 ? 0 : severity >= 3 ? 1 : 2
  return { values, label: random.nextFloat() < noise ? random.below(3) : truth, weight: 1 }
}

function streamOf(count: number, seed: number, noise = 0): Stream {
  const random = new SeededRandom(seed)
  return { examples: Array.from({ length: count }, () => eventOf(random, noise)), random }
}

function setOf(examples: readonly Example[], more: Partial<TrainingSet> = {}): TrainingSet {
  return { points, labelCount: 3, examples, background: [], seed: 1, ...more }
}

const goOn = (): boolean => true

function trained(classifier: Classifier, set: TrainingSet): Model {
  return classifier.load(classifier.train(set, goOn))
}

function ask(model: Model, values: PointValues, labelCount = 3): Float64Array {
  const probabilities = new Float64Array(labelCount).fill(NaN)
  model.predict(values, probabilities)
  return probabilities
}

function best(probabilities: Float64Array): number {
  return probabilities.indexOf(Math.max(...probabilities))
}

function assertSound(model: Model, values: PointValues, labelCount = 3): void {
  const probabilities = ask(model, values, labelCount)
  for (const p of probabilities) assert.ok(p >= 0 && p <= 1, `${p} is a probability`)
  const sum = probabilities.reduce((a, b) => a + b, 0)
  assert.ok(Math.abs(sum - 1) < 1e-9, `probabilities sum to 1, not ${sum}`)
  const score = model.outlierScore(values)
  assert.ok(Number.isFinite(score) && score >= 0, `${score} is an outlier score`)
}

const oddValues: readonly PointValue[] = [
  null,
  '',
  ' ',
  'never seen before',
  'x'.repeat(100_000),
  'two words '.repeat(5_000),
  '\u0000\ud800 lone surrogate',
  '日本語のテキスト です',
  '__proto__',
  '999.999.999.999',
  '1.2.3',
  0,
  -0,
  1e308,
  -1e308,
  5e-324,
  NaN,
  Infinity,
  -Infinity,
  true,
  false,
  [],
  [null as unknown as string],
  ['a', 1, true],
  Array.from({ length: 10_000 }, (_, i) => i),
  { nested: 'object' } as unknown as string,
  undefined as unknown as null,
]

/**
 * Models that several tests use. Each is trained by the first test that needs it: trainings are nearly the whole cost
 * of this contract.
 */
class Trained {
  /** The progress of the training of `usual`. */
  readonly progress: number[] = []
  readonly #classifier: Classifier
  #usual: Model | null = null
  #noisy: Model | null = null

  constructor(classifier: Classifier) {
    this.#classifier = classifier
  }

  /** Trained on 500 events with right labels. */
  get usual(): Model {
    return (this.#usual ??= this.#classifier.load(
      this.#classifier.train(setOf(streamOf(500, 23).examples), (done, what) => {
        assert.ok(what.length > 0)
        return this.progress.push(done) > 0
      }),
    ))
  }

  /** Trained on more events than are held out at random (held-out.ts); two in five have a random label. */
  get noisy(): Model {
    return (this.#noisy ??= trained(this.#classifier, setOf(streamOf(1_200, 10, 0.4).examples)))
  }
}

/** Registers the contract's tests for one classifier. */
export function classifierContract(name: string, classifier: Classifier): void {
  const models = new Trained(classifier)
  answers(name, classifier, models)
  survives(name, classifier, models)
  trains(name, classifier, models)
  judgesOutliers(name, classifier, models)
}

function answers(name: string, classifier: Classifier, models: Trained): void {
  test(`${name}: the same examples and seed give the same bytes, and the same bytes the same answers`, () => {
    const { examples, random } = streamOf(150, 3, 0.1)
    const set = setOf(examples, { background: streamOf(100, 4).examples.map(({ values }) => values) })
    const bytes = classifier.train(set, goOn)
    assert.deepEqual(classifier.train(structuredClone(set), goOn), bytes)
    const first = classifier.load(bytes)
    const second = classifier.load(bytes.slice())
    for (let i = 0; i < 50; i++) {
      const { values } = eventOf(random, 0)
      assert.deepEqual(ask(first, values), ask(second, values))
      assert.equal(first.outlierScore(values), second.outlierScore(values))
    }
  })

  test(`${name}: an event's neighbours are examples that it remembers, the nearest first`, () => {
    const { examples } = streamOf(500, 23)
    const model = models.usual
    const likeness = model.likeness()
    for (const { values } of streamOf(20, 29).examples) {
      const neighbours = model.neighbours(values, 10)
      assert.equal(neighbours.length, 10)
      likeness.hold(values)
      let before = -Infinity
      for (const { place, label, distance } of neighbours) {
        const example = examples[model.references[place] as number] as Example
        assert.equal(label, example.label)
        assert.ok(distance >= before)
        before = distance
        assert.ok(Math.abs(likeness.distance(example.values) - distance) < 1e-5)
      }
    }
    const { values, label } = examples[7] as Example
    const [first] = model.neighbours(values, 1)
    assert.ok((first?.distance ?? 1) < 1e-5)
    assert.equal(first?.label, label)
  })

  test(`${name}: an answer does not depend on earlier answers`, () => {
    const random = new SeededRandom(5)
    const model = models.usual
    const events = Array.from({ length: 20 }, () => eventOf(random, 0).values)
    const before = events.map((values) => [...ask(model, values), model.outlierScore(values)])
    for (const value of oddValues)
      assertSound(
        model,
        points.map(() => value),
      )
    assert.deepEqual(
      events.map((values) => [...ask(model, values), model.outlierScore(values)]),
      before,
    )
  })

  test(`${name}: probabilities are 0 to 1 and sum to 1`, () => {
    const random = new SeededRandom(6)
    for (const model of [models.usual, models.noisy])
      for (let i = 0; i < 200; i++) assertSound(model, eventOf(random, 0).values)
  })

  test(`${name}: a label without an example is never the answer and hardly probable`, () => {
    const { examples, random } = streamOf(60, 7)
    for (const absent of [0, 1, 2]) {
      for (const objective of [
        'accuracy',
        'macro_f1',
        {
          costs: [
            [0, 1, 9],
            [9, 0, 9],
            [9, 9, 0],
          ],
        },
      ] as const) {
        const model = trained(
          classifier,
          setOf(
            examples.filter(({ label }) => label !== absent),
            { objective },
          ),
        )
        const query = [
          ...oddValues.map((value) => points.map(() => value)),
          ...Array.from({ length: 50 }, () => eventOf(random, 0).values),
        ]
        for (const values of query) {
          const probabilities = ask(model, values)
          assert.notEqual(model.choose(probabilities), absent)
          const plain = model.mostProbable(probabilities)
          assert.notEqual(plain, absent)
          probabilities.forEach((one, label) => assert.ok(label === absent || one <= (probabilities[plain] as number)))
          assert.ok((probabilities[absent] as number) < 0.05)
        }
      }
    }
  })

  test(`${name}: a separable problem is learned`, () => {
    const query = streamOf(500, 9).examples
    const right = query.filter(({ values, label }) => best(ask(models.usual, values)) === label).length
    assert.ok(right / query.length > 0.97, `${right} of ${query.length} are right`)
  })

  test(`${name}: on noisy labels the confidence is about the share of right answers`, () => {
    const query = streamOf(2_000, 11, 0.4).examples
    let confidence = 0
    let right = 0
    for (const { values, label } of query) {
      const probabilities = ask(models.noisy, values)
      confidence += Math.max(...probabilities)
      if (best(probabilities) === label) right++
    }
    const gap = Math.abs(confidence - right) / query.length
    assert.ok(gap < 0.05, `confidence and accuracy are ${gap} apart`)
    assert.ok(right / query.length > 0.65, `${right} of ${query.length} are right`)
  })
}

function survives(name: string, classifier: Classifier, models: Trained): void {
  test(`${name}: odd values harm neither decisions nor trainings`, () => {
    const { examples, random } = streamOf(100, 12)
    const odd = oddValues.map((value, i) => ({ values: points.map(() => value), label: i % 3, weight: 1 + i }))
    const background = odd.map(({ values }) => values)
    for (const set of [setOf(examples), setOf([...examples, ...odd]), setOf(odd, { background })]) {
      const model = trained(classifier, set)
      for (const value of oddValues) {
        assertSound(
          model,
          points.map(() => value),
        )
        const one = [...eventOf(random, 0).values]
        one[random.below(points.length)] = value
        assertSound(model, one)
      }
    }
  })

  test(`${name}: too few and too many values do no harm`, () => {
    assertSound(models.usual, [])
    assertSound(models.usual, ['port scan'])
    assertSound(models.usual, [...eventOf(new SeededRandom(13), 0).values, 'one', 2, true])
  })

  test(`${name}: values of different types at one point stay distinct`, () => {
    const kinds: readonly (readonly [PointValue, number])[] = [
      ['1', 0],
      [1, 1],
      [true, 2],
      [['1'], 0],
      [null, 1],
    ]
    const examples = Array.from({ length: 200 }, (_, i): Example => {
      const [value, label] = kinds[i % kinds.length] as (typeof kinds)[number]
      return { values: [value, i % 7], label, weight: 1 }
    })
    const model = trained(classifier, setOf(examples, { points: ['mixed', 'other'] }))
    for (const [value, label] of kinds) assert.equal(best(ask(model, [value, 3])), label)
  })

  test(`${name}: two examples are enough`, () => {
    const examples: Example[] = [
      { values: ['drop this', 1], label: 0, weight: 1 },
      { values: ['look here', 9], label: 2, weight: 1 },
    ]
    const model = trained(classifier, setOf(examples, { points: ['a', 'b'] }))
    assert.equal(best(ask(model, ['drop this', 1])), 0)
    assert.equal(best(ask(model, ['look here', 9])), 2)
    assertSound(model, ['neither', null])
    assert.ok(Math.max(...ask(model, ['neither', null])) < 0.9, 'two examples make nothing sure')
  })

  test(`${name}: a rare label is learned beside a frequent one`, () => {
    const random = new SeededRandom(14)
    const examples = Array.from({ length: 2_000 }, (_, i): Example => {
      const rare = i % 200 === 0
      const values = [rare ? 'credential dump' : random.pick(rules), random.below(5), `host-${random.below(30)}`]
      return { values, label: rare ? 2 : 0, weight: 1 }
    })
    const model = trained(classifier, setOf(examples, { points: ['rule', 'severity', 'host'] }))
    assert.equal(best(ask(model, ['credential dump', 2, 'host-3'])), 2)
    assert.ok((ask(model, ['port scan', 2, 'host-3'])[0] as number) > 0.98)
  })

  test(`${name}: a weight counts as that many examples`, () => {
    const heavy = (label: number, weight: number): Example => ({ values: ['same', 1], label, weight })
    const others = streamOf(100, 15).examples.map((e) => ({ ...e, values: [`other-${e.label}`, e.label + 5] }))
    const set = (toZero: number, toOne: number): TrainingSet =>
      setOf([...others, heavy(0, toZero), heavy(1, toOne)], { points: ['a', 'b'] })
    assert.equal(best(ask(trained(classifier, set(30, 3)), ['same', 1])), 0)
    assert.equal(best(ask(trained(classifier, set(3, 30)), ['same', 1])), 1)
  })

  test(`${name}: points that no example has do no harm`, () => {
    const { examples } = streamOf(60, 16)
    const wide = Array.from({ length: 256 }, (_, i) => points[i] ?? `absent.${i}`)
    const model = trained(classifier, setOf(examples, { points: wide }))
    assertSound(model, (examples[0] as Example).values)
    assertSound(
      model,
      wide.map((_, i) => `new-${i}`),
    )
  })
}

function trains(name: string, classifier: Classifier, models: Trained): void {
  test(`${name}: progress only grows, from 0 to 1, in twenty steps or more`, () => {
    assert.ok(models.usual !== null)
    const seen = models.progress
    assert.ok(seen.every((done, i) => done >= 0 && done <= 1 && done >= (seen[i - 1] ?? 0)))
    assert.equal(seen.at(-1), 1)
    assert.ok(new Set(seen).size >= 20, `${new Set(seen).size} steps`)
  })

  test(`${name}: a training stops at the first no of its progress callback`, () => {
    const set = setOf(streamOf(200, 18, 0.1).examples)
    for (const stopAt of [0, 0.05, 0.3, 0.7, 0.97]) {
      let after = 0
      const progress = (done: number): boolean => {
        if (done >= stopAt) after++
        return done < stopAt
      }
      assert.throws(() => classifier.train(set, progress), TrainingCancelled)
      assert.equal(after, 1)
    }
  })

  test(`${name}: truncated, changed and foreign bytes are refused`, () => {
    const bytes = classifier.train(setOf(streamOf(80, 19).examples), goOn)
    const random = new SeededRandom(20)
    for (const length of [0, 1, 5, 20, bytes.length >> 1, bytes.length - 1]) {
      assert.throws(() => classifier.load(bytes.subarray(0, length)), Error)
    }
    for (let i = 0; i < 100; i++) {
      const changed = bytes.slice()
      const at = random.below(bytes.length)
      changed[at] = (changed[at] as number) ^ (1 << random.below(8))
      assert.throws(() => classifier.load(changed), Error)
    }
    assert.throws(() => classifier.load(new Uint8Array([...bytes, 0])), Error)
    assert.throws(() => classifier.load(random.bytes(1_000)), Error)
  })

  test(`${name}: bytes are read in place from a larger buffer`, () => {
    const { examples } = streamOf(80, 21)
    const bytes = classifier.train(setOf(examples), goOn)
    const larger = new Uint8Array(bytes.length + 20).fill(7)
    larger.set(bytes, 3)
    const { values } = examples[0] as Example
    const model = classifier.load(larger.subarray(3, 3 + bytes.length))
    assert.deepEqual(ask(model, values), ask(classifier.load(bytes), values))
  })

  test(`${name}: the summary says what the model is`, () => {
    const few = trained(classifier, setOf(streamOf(6, 22).examples)).summary
    assert.equal(few.kind, classifier.kind)
    assert.equal(few.examples, 6)
    const { summary } = models.usual
    assert.equal(summary.examples, 500)
    assert.ok(summary.features > 0)
    assert.ok(summary.logLoss !== null && summary.logLoss > 0 && summary.logLoss < 0.5)
    assert.ok(summary.accuracy !== null && summary.accuracy > 0.9 && summary.accuracy <= 1)
  })
}

function judgesOutliers(name: string, classifier: Classifier, models: Trained): void {
  test(`${name}: few known events are outliers, an event of unknown values is one`, () => {
    const { examples } = streamOf(500, 24)
    const model = trained(classifier, setOf(examples, { background: streamOf(500, 25).examples.map((e) => e.values) }))
    const isOutlier = (values: PointValues): boolean => model.outlierScore(values) >= model.summary.outlierThreshold
    const flagged = streamOf(1_000, 26).examples.filter(({ values }) => isOutlier(values)).length
    assert.ok(flagged < 80, `${flagged} of 1000 usual events are outliers`)
    assert.ok(isOutlier(['kernel module loaded', 99, 'fe80::1', 31_337, ['rootkit'], 'maybe', ['root', 'admin']]))
  })

  test(`${name}: an event scores higher the less of it is known`, () => {
    const random = new SeededRandom(27)
    const model = models.usual
    let grown = 0
    for (let i = 0; i < 100; i++) {
      const { values } = eventOf(random, 0)
      const strange = values.map((value, point) => (point < 4 ? `strange-${i}-${point}` : value))
      if (model.outlierScore(strange) > model.outlierScore(values)) grown++
    }
    assert.ok(grown >= 95, `${grown} of 100 score higher`)
  })
}
