/**
 * Which rows of a long list are in view.
 *
 * 1. At most eighty rows are in the document.
 * 2. Browsers end at some millions of pixels. Beyond that the scroll bar is scaled: a pixel of it is many rows.
 */

const PIXELS_MAX = 8_000_000
const ROWS_MAX = 80
const OVERSCAN = 6

/** A list. */
export interface Rows {
  readonly length: number
  readonly rowHeight: number
}

export interface Window {
  readonly first: number
  readonly count: number
  /** Where the first row is. */
  readonly top: number
  readonly height: number
}

/** The first row in view of a list whose scroll bar is scaled. */
function scaledFirst({ length, rowHeight }: Rows, top: number, view: number): number {
  const inView = Math.floor(view / rowHeight)
  return Math.floor(Math.min(1, top / (PIXELS_MAX - view)) * (length - inView))
}

/** The rows in view. */
export function windowOf(length: number, rowHeight: number, scrollTop: number, viewHeight: number): Window {
  const whole = length * rowHeight
  const height = Math.min(whole, PIXELS_MAX)
  const inView = Math.ceil(viewHeight / rowHeight) + 1
  const count = Math.min(length, ROWS_MAX, inView + 2 * OVERSCAN)
  const isScaled = whole > PIXELS_MAX
  const at = isScaled ? scaledFirst({ length, rowHeight }, scrollTop, viewHeight) : Math.floor(scrollTop / rowHeight)
  const first = Math.max(0, Math.min(length - count, at - OVERSCAN))
  return { first, count, top: isScaled ? scrollTop - (at - first) * rowHeight : first * rowHeight, height }
}

/** Where to scroll to, so that the row is in view; null: it is. */
export function scrollTo(at: number, rows: Rows, top: number, view: number): number | null {
  const { length, rowHeight } = rows
  if (length * rowHeight <= PIXELS_MAX) {
    if (at * rowHeight < top) return at * rowHeight
    return (at + 1) * rowHeight > top + view ? (at + 1) * rowHeight - view : null
  }
  const inView = Math.floor(view / rowHeight)
  const first = scaledFirst(rows, top, view)
  if (at >= first && at < first + inView) return null
  const wanted = at < first ? at : at - inView + 1
  // The middle of the row's pixels, so that rounding does not lead to its neighbour.
  return Math.min(1, (wanted + 0.5) / (length - inView)) * (PIXELS_MAX - view)
}
