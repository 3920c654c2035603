/** Waits for what becomes true soon. Rejects after half a minute, which is no measure of speed. */
export async function until(isTrue: () => boolean, limitMs = 30_000): Promise<void> {
  for (const end = performance.now() + limitMs; !isTrue(); ) {
    if (performance.now() > end) throw new Error(`it did not become true: ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
