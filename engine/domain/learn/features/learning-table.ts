/**
 * What a training learns from, coded once: rows for the linear member, columns for the trees.
 *
 * Owns: which features become columns.
 *
 * 1. A column is a value or a part of one, in some rows but not in all.
 * 2. With many rows, a feature of a single row is for the linear member only. An exception is one that the stream has
 *    often: a single labelled bucket may have a port that half of the later events have.
 * 3. Pairs are for the linear member only. Trees find what two points tell together. Pairs misled them, since they were
 *    chosen with the labels of held-out examples.
 */
import type { Example, PointValue, PointValues } from '../classifier.js'
import { hashPair } from '../hash.js'
import { part, type Stage } from '../progress.js'
import { evenly } from '../trees/row-draw.js'
import { EventCoder } from './event-coder.js'
import { rowsPerReport, valuesOfRows, type ExampleMatrix } from './example-matrix.js'
import { factorColumns, withCoordinates } from './factor-rows.js'
import { FeatureTable } from './feature-table.js'
import { MEASURED, PLAIN, SCALED, type FeatureEncoder } from './features.js'
import { chooseNumberColumns, resolves, type NumberColumn } from './number-columns.js'
import { Growing } from './growing.js'
import type { PointProfile } from './point-profile.js'
import { noFactors, type TextFactors } from './text-factors.js'
import type { TreeTable } from './tree-table.js'
import type { Vocabulary } from './vocabulary.js'
import { numberIn } from './written-values.js'

/** Bits of all columns together. */
const bitsMax = 2 ** 29
/** From this many rows on, a column needs two rows, or many events of the stream. */
const repeatRowsMin = 100
/** Many events of the stream: a share that would be this many rows. */
const oftenRows = 5
/** Events that bins of numbers are computed from, of the examples and of the background each. */
const binRowsMax = 10_000

/** The input of a table. */
export interface LearningTableInput {
  readonly examples: readonly Example[]
  readonly background: readonly PointValues[]
  /** Of these examples, by this encoder. */
  readonly vocabulary: Vocabulary
  readonly encoder: FeatureEncoder
  readonly factors: TextFactors
}

export interface LearningTable {
  readonly matrix: ExampleMatrix
  /** The matrix of the linear member: with the coordinates of texts behind the features. */
  readonly linear: ExampleMatrix
  readonly trees: TreeTable
  readonly coder: EventCoder
  readonly columns: readonly NumberColumn[]
  /** The column of each feature of the matrix, or -1. */
  readonly columnOf: Int32Array
  /** Features of the matrix that are numbers themselves. */
  readonly measured: Int32Array
}

function isNumber(value: PointValue, { profiles }: FeatureEncoder, point: number): boolean {
  return !Number.isNaN(numberIn(value, (profiles[point] as PointProfile).reading))
}

/** By feature of the matrix: its kind, and the number of its rows. */
interface FeatureKinds {
  readonly kinds: Uint8Array
  readonly rows: Int32Array
}

function describe(
  { examples, encoder, vocabulary: { matrix } }: LearningTableInput,
  table: FeatureTable,
  columns: readonly NumberColumn[],
): FeatureKinds {
  const kinds = new Uint8Array(matrix.featureCount).fill(PLAIN)
  const rows = new Int32Array(matrix.featureCount)
  for (const feature of matrix.features) rows[feature] = (rows[feature] as number) + 1
  const resolved = columns.filter(resolves).map(({ point }) => point)
  for (const values of valuesOfRows(examples, matrix)) {
    encoder.encode(values)
    // Where each number has its own bin, a tree gains nothing by the number as a category.
    for (const point of resolved)
      if (isNumber(values[point] ?? null, encoder, point)) encoder.kinds[encoder.atomAt[point] as number] = SCALED
    for (let j = 0; j < encoder.count; j++) {
      const feature = table.find(encoder.hashes[j] as number)
      if (feature >= 0 && feature < kinds.length) kinds[feature] = encoder.kinds[j] as number
    }
  }
  return { kinds, rows }
}

/**
 * Numbers from `first` on for the features that become columns: the most frequent ones where there are too many.
 * `shares` are the shares of the events that have each feature.
 */
function chooseFeatureColumns(
  matrix: ExampleMatrix,
  { kinds, rows }: FeatureKinds,
  shares: Float64Array,
  first: number,
): { columnOf: Int32Array; count: number } {
  const rowsMin = matrix.rowCount >= repeatRowsMin ? 2 : 1
  const usable = Array.from(rows.keys()).filter((feature) => {
    const having = rows[feature] as number
    const enough = having >= rowsMin || (having > 0 && (shares[feature] as number) * matrix.rowCount >= oftenRows)
    return kinds[feature] === PLAIN && enough && having < matrix.rowCount
  })
  const most = Math.floor(bitsMax / matrix.rowCount)
  if (usable.length > most) {
    usable.sort((a, b) => (rows[b] as number) - (rows[a] as number) || a - b)
    usable.length = most
    usable.sort((a, b) => a - b)
  }
  const columnOf = new Int32Array(matrix.featureCount).fill(-1)
  usable.forEach((feature, i) => {
    columnOf[feature] = first + i
  })
  return { columnOf, count: usable.length }
}

function binRows({ examples, background }: LearningTableInput): PointValues[] {
  return [...evenly(examples, binRowsMax).map(({ values }) => values), ...evenly(background, binRowsMax)]
}

function chooseNumbers(input: LearningTableInput, table: FeatureTable): NumberColumn[] {
  const { encoder, vocabulary } = input
  const rows = binRows(input)
  const pointCount = encoder.atoms.length
  const seen = new Int32Array(rows.length * pointCount)
  const counter = new EventCoder({
    encoder,
    table,
    counts: vocabulary.counts,
    columns: [],
    columnOf: new Int32Array(0),
    columnCount: 0,
    factors: noFactors,
  })
  rows.forEach((values, row) => {
    counter.code(values)
    for (let point = 0; point < pointCount; point++) seen[row * pointCount + point] = counter.seenAt(point)
  })
  return chooseNumberColumns(rows, encoder.profiles, seen)
}

/** Codes the examples. */
export function buildLearningTable(input: LearningTableInput, stage: Stage): LearningTable {
  const { examples, background, vocabulary, encoder, factors } = input
  const { matrix, hashes, counts } = vocabulary
  const table = new FeatureTable(hashes.length)
  for (const hash of hashes) table.add(hash)
  const columns = [...chooseNumbers(input, table), ...factorColumns(factors, binRows(input))]
  stage.at(0.3)
  const described = describe(input, table, columns)
  const shares = Float64Array.from(counts, (count) => count / Math.max(examples.length, background.length))
  const { columnOf, count } = chooseFeatureColumns(matrix, described, shares, columns.length)
  const coder = new EventCoder({
    encoder,
    table,
    counts,
    columns,
    columnOf,
    columnCount: columns.length + count,
    factors,
  })
  stage.at(0.5)
  const columnKeys = keysOf({ columns, columnOf, hashes }, coder.codes.length)
  const trees = codeRows({ matrix, examples, coder, columnKeys }, part(stage, 0.5, 1))
  const { kinds } = described
  const measured = Int32Array.from(kinds.keys()).filter((feature) => kinds[feature] === MEASURED)
  return { matrix, linear: withCoordinates(matrix, examples, factors), trees, coder, columns, columnOf, measured }
}

/** A hash of what each column is: a measure of a point, or a feature. */
function keysOf(
  { columns, columnOf, hashes }: Pick<LearningTable, 'columns' | 'columnOf'> & Pick<Vocabulary, 'hashes'>,
  count: number,
): Int32Array {
  const keys = new Int32Array(count)
  columns.forEach(({ point, what }, column) => {
    keys[column] = hashPair(point, what)
  })
  columnOf.forEach((column, feature) => {
    if (column >= 0) keys[column] = hashes[feature] as number
  })
  return keys
}

interface RowsToCode {
  readonly matrix: ExampleMatrix
  readonly examples: readonly Example[]
  readonly coder: EventCoder
  readonly columnKeys: Int32Array
}

function codeRows({ matrix, examples, coder, columnKeys }: RowsToCode, stage: Stage): TreeTable {
  const { rowCount } = matrix
  const { numberCount } = coder
  const featureCount = coder.codes.length - numberCount
  const bitStride = Math.ceil(rowCount / 32)
  const codes = new Uint8Array(numberCount * rowCount)
  const bits = new Int32Array(featureCount * bitStride)
  const starts = new Int32Array(rowCount + 1)
  const columns = new Growing((length) => new Int32Array(length))
  const entryCodes = new Growing((length) => new Uint8Array(length))
  let size = 0
  const rowKeys = new Int32Array(rowCount)
  let row = 0
  for (const values of valuesOfRows(examples, matrix)) {
    if (row % rowsPerReport === 0) stage.at(row / rowCount)
    coder.code(values)
    columns.fit(size + numberCount + coder.present.length)
    entryCodes.fit(size + numberCount + coder.present.length)
    for (const atom of coder.encoder.atoms) rowKeys[row] = hashPair(rowKeys[row] as number, atom)
    for (let column = 0; column < numberCount; column++) {
      const code = coder.codes[column] as number
      if (code === 0) continue
      codes[column * rowCount + row] = code
      columns.array[size] = column
      entryCodes.array[size++] = code
    }
    for (const column of coder.present) {
      columns.array[size] = column
      entryCodes.array[size++] = 1
      const at = (column - numberCount) * bitStride + (row >> 5)
      bits[at] = (bits[at] as number) | (1 << (row & 31))
    }
    starts[++row] = size
  }
  return {
    rowCount,
    classCount: matrix.labels.length,
    classes: matrix.classes,
    numberCount,
    columnCount: numberCount + featureCount,
    codes,
    bits,
    bitStride,
    starts,
    columns: columns.array.slice(0, size),
    entryCodes: entryCodes.array.slice(0, size),
    rowKeys,
    columnKeys,
  }
}
