/** Made sentences, each about one of three things, by words that come together in none of the others. */
import type { SeededRandom } from '../../engine/rng.js'

const things = [
  ['disk', 'volume', 'partition', 'storage', 'mount', 'inode', 'filesystem', 'raid', 'backup', 'block'],
  ['login', 'password', 'account', 'token', 'credentials', 'session', 'unlock', 'identity', 'username', 'pin'],
  ['router', 'cable', 'switch', 'gateway', 'ethernet', 'wireless', 'packet', 'latency', 'tunnel', 'dns'],
]
const others = [
  'the',
  'of',
  'is',
  'since',
  'today',
  'please',
  'again',
  'slow',
  'broken',
  'office',
  'for',
  'user',
  'and',
  'not',
  'help',
  'my',
  'new',
]

/** Forms of a word, which are other words to the learner. */
const ends = ['', 's', 'ed', 'ing', 'ish', 'less', 'like', 'ware']

/** Seven words, four of them about the thing: of so many that few sentences have a word in common. */
export function sentenceAbout(random: SeededRandom, thing: number): string {
  const words = Array.from({ length: 7 }, (_, i) =>
    i % 2 === 0 ? random.pick(things[thing]!) + random.pick(ends) : random.pick(others),
  )
  return words.join(' ')
}
