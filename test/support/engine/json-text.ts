/** Random JSON texts of what is odd in them: numbers in every spelling, repeated keys, keys with dots, pairs. */
import type { SeededRandom } from '../../../engine/rng.js'
import { randomScalar } from './json.js'

const numerals = [
  '0',
  '-0',
  '0.0',
  '-0.0',
  '1',
  '-1',
  '1.0',
  '1.10',
  '1.1',
  '1e3',
  '1E3',
  '1e+3',
  '1000',
  '1e-7',
  '0.0000001',
  '0.000001',
  '123456789012345',
  '1234567890123456',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '18446744073709551615',
  '18446744073709552000',
  '1e21',
  '1e22',
  '10000000000000000000000',
  '0.1',
  '0.30000000000000004',
  '0.3000000000000000444',
  '1e308',
  '4e-324',
  '1e-400',
  `1${'0'.repeat(200)}`,
  `0.${'3'.repeat(40)}`,
  '1.7976931348623157e308',
] as const

/** A number as JSON spells it: sometimes as JavaScript does, mostly in another way. */
export function randomNumeral(random: SeededRandom): string {
  switch (random.below(4)) {
    case 0:
      return String(random.below(100_000) / 100)
    case 1: {
      const digits = Array.from({ length: 1 + random.below(24) }, () => random.below(10)).join('')
      const whole = (random.below(4) === 0 ? '-' : '') + digits.replace(/^0+(?=\d)/, '')
      return random.below(2) === 0 ? whole : `${whole}.${random.below(1_000)}`
    }
    default:
      return random.pick(numerals)
  }
}

const names = ['a', 'b', 'c', 'a.b', 'b.c', 'a.b.c', 'c.a', '', '.', 'a.', '.a', 'name', 'value', 'key', 'x y', 'é']

/** The text of a value, with white space, repeated keys and numerals as they come. */
export function randomJsonText(random: SeededRandom, depth = 4): string {
  const space = random.below(6) === 0 ? ' ' : ''
  if (depth > 0 && random.below(2) === 0) {
    const parts = Array.from({ length: random.below(5) }, () => randomJsonText(random, depth - 1))
    if (random.below(3) === 0) return `[${space}${parts.join(`${space},`)}${space}]`
    const fields = parts.map((part) => `${JSON.stringify(random.pick(names))}${space}:${space}${part}`)
    return `{${space}${fields.join(',')}${space}}`
  }
  return random.below(2) === 0 ? randomNumeral(random) : JSON.stringify(randomScalar(random))
}

const pairKeys = [
  ['@Name', '#text'],
  ['name', 'value'],
  ['key', 'stringValue'],
  ['label', 'value'],
] as const

/** The text of an event whose keys are parts of few paths: nested, with dots, in lists and in pairs. */
export function randomPathText(random: SeededRandom, depth = 4): string {
  const fields = Array.from({ length: 1 + random.below(3) }, () => {
    const name = random.pick(['a', 'b', 'c', 'a', 'b', 'b.c', 'a.b', 'a.b.c'])
    return `${JSON.stringify(name)}:${randomPathValue(random, depth - 1)}`
  })
  return `{${fields.join(',')}}`
}

function randomPathValue(random: SeededRandom, depth: number): string {
  const kind = random.below(depth > 0 ? 12 : 6)
  if (kind === 0) return random.pick(['null', '{}', '[]', '[null]', '""', '{"x":null}'])
  if (kind === 1) return randomNumeral(random)
  if (kind < 6) return random.pick(['1', '"1"', '1.0', '"x"', '"y"', 'true', '["x","y"]', '[1,"1"]'])
  if (kind < 9) return randomPathText(random, depth)
  if (kind === 9)
    return `[${Array.from({ length: random.below(4) }, () => randomPathValue(random, depth - 1)).join(',')}]`
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const [name, value] = random.pick(pairKeys)
    return `{"${name}":"${random.pick(['b', 'c', 'b.c'])}","${value}":${randomPathValue(random, depth - 1)}}`
  })
  return kind === 10 ? `[${pairs.join(',')}]` : (pairs[0] as string)
}
