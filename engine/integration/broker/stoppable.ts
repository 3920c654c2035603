/** Waiting that can be stopped, for client libraries that know no signals. */

/** What `promise` comes to, unless it is stopped before: then it rejects with what `stopped` makes. */
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
