/** Chooses the points with texts, and the factors of these texts, from labelled events and the stream. */
import type { PointValues } from '../classifier.js'
import { ListKey } from '../hash.js'
import { part, type Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'
import { FeatureTable } from './feature-table.js'
import type { PointProfile } from './point-profile.js'
import { noFactors, WordReader, type TextFactors } from './text-factors.js'
import { spacedParts, TextWords } from './text-words.js'
import { rightSingularVectors } from './truncated-svd.js'
import { AS_TEXT } from './written-values.js'

/**
 * A point has texts, as people write them: at least this many words on average, in most events, and mostly distinct
 * apart from numbers. Names are shorter. Messages of machines recur: they are categories and need no factors.
 */
const textWordsMin = 5
const textShare = 0.5
/** Beside texts, shorter and less distinct ones count too, such as subjects. */
const besideWordsMin = 2
const besideShare = 0.25
/** Events that points with texts are chosen by. */
const sampledMax = 1_000
/** Texts that factors are computed from. */
const textsMax = 6_000
const textsMin = 100
/** Words with factors: the most frequent ones, each in two texts or more. */
const wordsMax = 8_192
const wordTextsMin = 2
const factorsMax = 32

/** What the strings at a point are like. */
interface Wording {
  readonly strings: number
  /** Parts between spaces, of all strings. */
  readonly parts: number
  /** Strings that differ in more than words with digits. */
  readonly distinct: number
}

function wordingOf(events: readonly PointValues[], point: number): Wording {
  const words = new TextWords()
  const key = new ListKey()
  const distinct = new Set<number>()
  let strings = 0
  let parts = 0
  for (const values of events) {
    const text = values[point]
    if (typeof text !== 'string') continue
    words.clear()
    words.add(text)
    key.clear()
    for (let j = 0; j < words.count; j++) if (words.numbered[j] === 0) key.add(words.hashes[j] as number)
    strings++
    parts += spacedParts(text)
    distinct.add(key.value)
  }
  return { strings, parts, distinct: distinct.size }
}

/** Points with texts, and those with shorter ones beside them; none where no point has texts. */
function textPoints(events: readonly PointValues[], profiles: readonly PointProfile[]): Int32Array {
  const points: number[] = []
  let hasTexts = false
  profiles.forEach(({ reading, listed }, point) => {
    if (reading !== AS_TEXT || listed) return
    const { strings, parts, distinct } = wordingOf(events, point)
    if (distinct < besideShare * strings || parts < besideWordsMin * strings || strings === 0) return
    points.push(point)
    hasTexts ||=
      distinct >= textShare * strings && parts >= textWordsMin * strings && strings >= textShare * events.length
  })
  return Int32Array.from(hasTexts ? points : [])
}

/** The number of texts that have each word; equal texts count once. */
function countWords(
  events: readonly PointValues[],
  points: Int32Array,
): { readonly table: FeatureTable; readonly counts: number[]; readonly texts: PointValues[] } {
  const table = new FeatureTable()
  const counts: number[] = []
  const lastIn: number[] = []
  const texts: PointValues[] = []
  const known = new Set<number>()
  const words = new TextWords()
  const key = new ListKey()
  for (const values of events) {
    words.clear()
    key.clear()
    for (const point of points) words.add(values[point] ?? null)
    for (let j = 0; j < words.count; j++) key.add(words.hashes[j] as number)
    if (words.count === 0 || known.has(key.value)) continue
    known.add(key.value)
    for (let j = 0; j < words.count; j++) {
      const number = table.add(words.hashes[j] as number)
      if (lastIn[number] === texts.length) continue
      lastIn[number] = texts.length
      counts[number] = (counts[number] ?? 0) + 1
    }
    texts.push(values)
  }
  return { table, counts, texts }
}

/** The factors of the texts of labelled events and of the stream. */
export function chooseFactors(
  labelled: readonly PointValues[],
  stream: readonly PointValues[],
  profiles: readonly PointProfile[],
  stage: Stage,
): TextFactors {
  const events = evenly([...labelled, ...stream], textsMax)
  // The larger of the two alone: labelled events are in the stream too, and would count twice.
  const points = textPoints(evenly(labelled.length > stream.length ? labelled : stream, sampledMax), profiles)
  if (points.length === 0) return noFactors
  const { table, counts, texts } = countWords(events, points)
  const frequent = [...counts.keys()].filter((number) => (counts[number] as number) >= wordTextsMin)
  frequent.sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b)
  frequent.length = Math.min(frequent.length, wordsMax)
  if (texts.length < textsMin || frequent.length < factorsMax) return noFactors
  const hashes = table.hashes()
  const words = Int32Array.from(frequent, (number) => hashes[number] as number)
  const weights = Float32Array.from(frequent, (number) =>
    Math.log((1 + texts.length) / (1 + (counts[number] as number))),
  )
  const reader = new WordReader({ points, words, weights })
  const starts = [0]
  const columns: number[] = []
  const values: number[] = []
  for (const text of texts) {
    reader.read(text)
    for (let j = 0; j < reader.count; j++) {
      columns.push(reader.numbers[j] as number)
      values.push(reader.values[j] as number)
    }
    starts.push(columns.length)
  }
  const matrix = {
    columnCount: words.length,
    starts: Int32Array.from(starts),
    columns: Int32Array.from(columns),
    values: Float32Array.from(values),
  }
  const { vectors, count } = rightSingularVectors(matrix, factorsMax, part(stage, 0.2, 1))
  return count === 0 ? noFactors : { count, points, words, weights, vectors: Float32Array.from(vectors) }
}
