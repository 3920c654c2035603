/** `decide mcp`: tools for agents over standard input and output. */
import { serveStdio } from '../../mcp/stdio.js'
import type { Context, ServiceFlags } from '../context.js'
import { CommandError, UsageError } from '../failure.js'

export async function mcp(context: Context, flags: Omit<ServiceFlags, 'json'>): Promise<void> {
  const { url, key } = context.target(flags)
  if (key === undefined) throw new UsageError('there is no key for this service; run "decide init", or set DECIDE_KEY')
  const onError = (error: Error): void => context.note(error.message)
  const bridge = await serveStdio({ baseUrl: url, key, onError }).catch((error: unknown) => {
    throw new CommandError(error instanceof Error ? error.message : String(error))
  })
  const { signal } = context.world
  const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([bridge.closed, interrupted])
  await bridge.close()
}
