/** Waits for what becomes true soon. Rejects after a minute, which is no measure of speed. */
export async function until(isTrue: () => boolean, limitMs = 60_000): Promise<void> {
  for (const end = performance.now() + limitMs; !isTrue(); ) {
    if (performance.now() > end) throw new Error(`it did not become true: ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
