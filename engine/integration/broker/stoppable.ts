/** Stops waiting for client libraries that have no abort signals. */

/** The result of `promise`; rejects with the error of `stopped` if `signal` aborts first. */
export async function stoppable<T>(promise: Promise<T>, signal: AbortSignal, stopped: () => Error): Promise<T> {
  promise.catch(() => {})
  if (signal.aborted) throw stopped()
  let stop = (): void => {}
  const stopping = new Promise<never>((_, reject) => {
    stop = () => reject(stopped())
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([promise, stopping])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
