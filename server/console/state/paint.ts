/** What can wait until the person sees what was asked for. */

/** A tab that nobody sees is not painted. */
const AT_MOST_MS = 200

/** Resolves when the next frame has been painted: what is drawn comes before what is counted. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, AT_MOST_MS)
  })
}
