/** Generated sentences, each about one of three subjects. The words of one subject occur together in no other. */
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

/** Inflected forms, which are different words to the learner. */
const ends = ['', 's', 'ed', 'ing', 'ish', 'less', 'like', 'ware']

/** Seven words, four of them about the subject, from so large a vocabulary that few sentences share a word. */
export function sentenceAbout(random: SeededRandom, thing: number): string {
  const words = Array.from({ length: 7 }, (_, i) =>
    i % 2 === 0 ? random.pick(things[thing]!) + random.pick(ends) : random.pick(others),
  )
  return words.join(' ')
}
