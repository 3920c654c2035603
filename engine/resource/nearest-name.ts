/**
 * Finds the known name that a wrong one was probably meant to be.
 *
 * Names are compared without case, blanks, `_` and `-`. Nearest is the same name at another place, then a name that has
 * all its words or begins as it does, then one that differs in a few letters.
 */

/** What people write for a name that has no word of it. */
const otherWords: Readonly<Record<string, string>> = {
  name: 'title',
  fields: 'decision_points',
  inputs: 'pipeline_integrations',
  steps: 'pipeline_integrations',
  color: 'hex_color',
  colour: 'hex_color',
  schedule: 'auto_retrain',
  limit: 'size',
  count: 'size',
  offset: 'page',
  from: 'page',
  since: 'start_date',
  until: 'end_date',
  order: 'sort_order',
  ids: 'event_ids',
}

/** Edits that a misspelt name of that length may need. */
function editsMax(length: number): number {
  return Math.max(1, Math.floor(length / 3))
}

/** Longer names are not compared letter by letter. */
const COMPARED_CHARS_MAX = 64

/** A shorter beginning says nothing. */
const BEGINNING_CHARS_MIN = 5

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
}

function singular(word: string): string {
  return word.endsWith('s') ? word.slice(0, -1) : word
}

function hasAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length > 0 && wanted.every((word) => words.some((other) => singular(other) === singular(word)))
}

/** One is the beginning of the other, and more than a few letters. */
function isBeginning(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  return shorter >= BEGINNING_CHARS_MIN && one.slice(0, shorter) === other.slice(0, shorter)
}

/** Letters to insert, delete, replace or swap with their neighbour (Damerau 1964, Levenshtein 1966). */
export function editDistance(one: string, other: string): number {
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1
      let least = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = above
    above = row
  }
  return above[other.length] ?? 0
}

/** How far the known name is from the wrong one; infinity where it cannot be meant. */
function distance(wrong: string, known: string): number {
  const [words, others] = [wordsOf(wrong), wordsOf(known)]
  const [plain, other] = [words.join(''), others.join('')]
  if (plain === other) return 0
  if (otherWords[words.join('_')] === known) return 1
  const wordsFar = hasAll(others, words) || isBeginning(plain, other) ? 2 : hasAll(words, others) ? 4 : Infinity
  if (Math.max(plain.length, other.length) > COMPARED_CHARS_MAX) return wordsFar
  const edits = editDistance(plain, other)
  const editsFar = edits <= editsMax(Math.min(plain.length, other.length)) ? edits + 0.5 : Infinity
  return Math.min(wordsFar, editsFar)
}

/** The nearest of the known paths, by their last names; the first of equally near ones; null where none is near. */
export function nearestName(wrong: string, paths: readonly string[]): string | null {
  let nearest: string | null = null
  let least = Infinity
  for (const path of paths) {
    const far = distance(wrong, path.slice(path.lastIndexOf('.') + 1))
    if (far >= least) continue
    nearest = path
    least = far
  }
  return nearest
}
