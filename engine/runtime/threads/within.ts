/** The result, where it comes in time. Rejects where it does not; the work itself goes on. */
export async function within<T>(limitMs: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${limitMs} milliseconds`)), limitMs)
  })
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}
