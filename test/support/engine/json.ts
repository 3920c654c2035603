/** Random values of the kinds that JSON.parse makes, from a seed. */
import type { SeededRandom } from '../../../engine/rng.js'

const oddNames = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  '__defineGetter__',
  'prototype',
  '',
  '1',
  '0',
  '42',
  '-1',
  'a.b',
  'ä',
  '日本',
  '\u0000',
  '\ud83d\ude00',
  'name',
  'type',
  'x'.repeat(200),
  'null',
  'true',
] as const

const oddTexts = [
  '',
  ' ',
  '0',
  'null',
  'ä',
  '\u0000',
  '\ud83d\ude00',
  'x'.repeat(5_000),
  '日本語',
  'a"b\\c',
  '\n',
] as const

const oddNumbers = [
  0,
  1,
  -1,
  0.1,
  -0.5,
  255,
  256,
  65_536,
  2 ** 31,
  2 ** 32,
  -(2 ** 31) - 1,
  2 ** 53,
  1e21,
  1e-7,
  1.5e300,
] as const

export function randomScalar(random: SeededRandom): string | number | boolean | null {
  switch (random.below(8)) {
    case 0:
      return null
    case 1:
      return random.below(2) === 0
    case 2:
      return random.pick(oddNumbers)
    case 3:
      return random.below(1_000)
    case 4:
      return random.pick(oddTexts)
    default:
      return `v${random.below(50)}`
  }
}

export function randomObject(random: SeededRandom, depth = 4): Record<string, unknown> {
  const fields = random.below(20) === 0 ? 60 + random.below(20) : random.below(6)
  const object: Record<string, unknown> = {}
  for (let i = 0; i < fields; i++) {
    const name = random.below(3) === 0 ? random.pick(oddNames) : `f${random.below(80)}`
    object[name] = randomJson(random, depth - 1)
  }
  return object
}

/** Any JSON value, at most `depth` levels deep. */
export function randomJson(random: SeededRandom, depth = 4): unknown {
  if (depth <= 0) return randomScalar(random)
  switch (random.below(6)) {
    case 0:
      return Array.from({ length: random.below(6) }, () => randomJson(random, depth - 1))
    case 1:
    case 2:
      return randomObject(random, depth)
    default:
      return randomScalar(random)
  }
}

/** The value with the fields of every object in another order. */
export function shuffled(value: unknown, random: SeededRandom): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  for (let i = entries.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[entries[i], entries[j]] = [entries[j]!, entries[i]!]
  }
  return Object.fromEntries(entries.map(([name, inner]) => [name, shuffled(inner, random)]))
}
