/** Small tables of labelled rows for the trees. */
import type { TreeTable } from '../../engine/domain/learn/features/tree-table.js'

/** A row: codes of the numbers, the features that it has (0 and up), and its class. */
export interface TreeRow {
  readonly numbers: readonly number[]
  readonly features: readonly number[]
  readonly label: number
}

/** The table of these rows. */
export function tableOf(rows: readonly TreeRow[], classCount: number, featureCount: number): TreeTable {
  const numberCount = rows[0]?.numbers.length ?? 0
  const bitStride = Math.ceil(rows.length / 32)
  const codes = new Uint8Array(numberCount * rows.length)
  const bits = new Int32Array(featureCount * bitStride)
  const starts = new Int32Array(rows.length + 1)
  const columns: number[] = []
  const entryCodes: number[] = []
  rows.forEach(({ numbers, features }, row) => {
    numbers.forEach((code, column) => {
      codes[column * rows.length + row] = code
      if (code === 0) return
      columns.push(column)
      entryCodes.push(code)
    })
    for (const feature of features) {
      const at = feature * bitStride + (row >> 5)
      bits[at] = (bits[at] as number) | (1 << (row & 31))
      columns.push(numberCount + feature)
      entryCodes.push(1)
    }
    starts[row + 1] = columns.length
  })
  return {
    rowCount: rows.length,
    classCount,
    classes: Int32Array.from(rows, ({ label }) => label),
    numberCount,
    columnCount: numberCount + featureCount,
    codes,
    bits,
    bitStride,
    starts,
    columns: Int32Array.from(columns),
    entryCodes: Uint8Array.from(entryCodes),
    rowKeys: Int32Array.from(rows.keys()),
    columnKeys: Int32Array.from({ length: numberCount + featureCount }, (_, column) => column),
  }
}

/** All rows, each of weight 1. */
export function allRows(table: TreeTable): { rows: Int32Array; weights: Float64Array } {
  return {
    rows: Int32Array.from({ length: table.rowCount }, (_, row) => row),
    weights: new Float64Array(table.rowCount).fill(1),
  }
}
