/**
 * Labelled events as trees see them: columns of codes 0 to 255.
 *
 * The first columns are numbers in bins (number-columns.ts): one byte for each event. The others are features that an
 * event has or has not: one bit for each event. Both are stored column by column. Each event also has the list of its
 * entries.
 *
 * 1. The table never changes once it is made.
 */
export interface TreeTable {
  readonly rowCount: number
  readonly classCount: number
  readonly classes: Int32Array
  /** Columns of numbers; they come first. */
  readonly numberCount: number
  readonly columnCount: number
  /** Codes of the numbers, column by column; 0 for missing. */
  readonly codes: Uint8Array
  /** Bits of the other columns, `bitStride` words a column. */
  readonly bits: Int32Array
  readonly bitStride: number
  /** The entries of row r, starts[r] to starts[r + 1] - 1, are its columns with a code above 0. */
  readonly starts: Int32Array
  readonly columns: Int32Array
  readonly entryCodes: Uint8Array
  /** What a row and a column hold, as hashes. They stay the same in another training, where places do not. */
  readonly rowKeys: Int32Array
  readonly columnKeys: Int32Array
}

/** Rows of a table to learn from, with their weights. */
export interface TreeRows {
  readonly rows: Int32Array
  /** By row number of the table. */
  readonly weights: Float64Array
}

/** The code of one row in one column. */
export function codeAt(table: TreeTable, column: number, row: number): number {
  if (column < table.numberCount) return table.codes[column * table.rowCount + row] as number
  const word = table.bits[(column - table.numberCount) * table.bitStride + (row >> 5)] as number
  return (word >>> (row & 31)) & 1
}

/** Fills `into` with the codes of one row, one for each column. */
export function copyCodes(table: TreeTable, row: number, into: Uint8Array): void {
  into.fill(0)
  const end = table.starts[row + 1] as number
  for (let j = table.starts[row] as number; j < end; j++)
    into[table.columns[j] as number] = table.entryCodes[j] as number
}

/** Rows start to end - 1 of a list. */
export interface RowRange {
  readonly start: number
  readonly end: number
}

/** Events with codes above `code` go right. */
export interface ColumnSplit {
  readonly column: number
  readonly code: number
}

/** Moves the rows of the left side to the front, in place; returns where the right side starts. */
export function partition(
  table: TreeTable,
  rows: Int32Array,
  { start, end }: RowRange,
  { column, code }: ColumnSplit,
): number {
  let low = start
  let high = end - 1
  const bits = column >= table.numberCount
  const base = bits ? (column - table.numberCount) * table.bitStride : column * table.rowCount
  while (low <= high) {
    const row = rows[low] as number
    const value = bits
      ? ((table.bits[base + (row >> 5)] as number) >>> (row & 31)) & 1
      : (table.codes[base + row] as number)
    // Without a branch, which no processor could predict: `right` is 1 where the row goes right, by an exchange.
    const right = (code - value) >>> 31
    const other = rows[high] as number
    const exchange = (row ^ other) & -right
    rows[low] = row ^ exchange
    rows[high] = other ^ exchange
    low += 1 - right
    high -= right
  }
  return low
}

/** The leaf of a row of the table: where its numbers start. */
export function leafOfRow(table: TreeTable, row: number, nodes: Int32Array, root: number): number {
  let node = root
  for (;;) {
    const split = nodes[node * 2] as number
    if (split < 0) return nodes[node * 2 + 1] as number
    node = codeAt(table, split >> 8, row) > (split & 0xff) ? (nodes[node * 2 + 1] as number) : node + 1
  }
}
