/** A node from its start to a signal that ends it, as main.ts is for one process. */
import { RunningNode, type NodeOptions } from './node.js'

/** Milliseconds beyond the drain until the process ends even if something hangs. */
const CLOSE_LIMIT_MS = 40_000

/** What the program says and does beside the node. */
export interface NodeProgram extends Omit<NodeOptions, 'fatal'> {
  /** Prints where the node listens. */
  announce(ports: { readonly port: number; readonly opsPort: number | null }): void
  /** Prints why the node did not start, and ends the process. */
  failStart(why: string): never
}

export async function runNode(program: NodeProgram): Promise<void> {
  const node = await RunningNode.start({ ...program, fatal: endAtOnce }).catch((error: unknown) =>
    program.failStart(error instanceof Error ? error.message.replace(/\.$/, '') : String(error)),
  )
  let isStopping = false
  const stop = async (): Promise<void> => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => endAtOnce('it did not stop in time'), program.drainMs + CLOSE_LIMIT_MS).unref()
    await node.stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
  process.on('SIGHUP', () => void node.doors.main.reloadTls())
  const { main, ops } = node.doors
  program.announce({ port: main.port, opsPort: ops?.port ?? null })
}

function endAtOnce(why: string): void {
  process.stderr.write(`The node ends: ${why}.\n`)
  process.exit(1)
}
