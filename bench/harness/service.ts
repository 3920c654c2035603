/** The service under test: the real one, as a child process, on a free port and a directory of its own. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMain, type Child } from './child.js'
import { Client } from './client.js'
import { built } from './paths.js'
import { freePort } from './free-port.js'

const readyTimeoutMs = 60_000

export interface Service {
  /** A client with the management key. */
  readonly client: Client
  readonly port: number
  readonly pid: number
  readonly directory: string
  /** From the start of the process to its first good answer. */
  readonly readyMs: number
  stop(signal?: NodeJS.Signals): Promise<void>
}

const directories = new Set<string>()

process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

/**
 * A new directory for data, removed with this process at the latest. BENCH_DIR chooses the disk: use the kind that
 * production has.
 */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'decision-service-'))
  directories.add(directory)
  return directory
}

export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  directories.delete(directory)
}

/** A management key for an empty data directory. */
export function newKey(): string {
  return randomBytes(32).toString('base64url')
}

async function untilReady(client: Client, child: Child): Promise<void> {
  const until = performance.now() + readyTimeoutMs
  while (performance.now() < until) {
    if (child.exitCode() !== null) throw new Error(`the service ended with ${child.exitCode()}: ${child.tail()}`)
    const answer = await client.send('GET', '/api/v1/health').catch(() => null)
    const body = answer?.body as { status?: unknown } | undefined
    if (answer?.status === 200 && body?.status === true) return
    await sleep(5)
  }
  throw new Error(`the service was not ready after ${readyTimeoutMs / 1000} s: ${child.tail()}`)
}

/** Starts the service on a directory and waits until it answers. */
export async function startService(directory: string, key: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const port = await freePort()
  const client = new Client(port, key)
  const startedAt = performance.now()
  const child = startMain(built('bundle/service/main.js'), {
    SERVICE_PORT: String(port),
    SERVICE_HOST: '127.0.0.1',
    SERVICE_DATA_DIR: directory,
    SERVICE_BOOTSTRAP_KEY: key,
    ...env,
  })
  try {
    await untilReady(client, child)
  } catch (error) {
    await child.stop('SIGKILL')
    throw error
  }
  const readyMs = performance.now() - startedAt
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    client.close()
    await child.stop(signal)
  }
  return { client, port, pid: child.pid, directory, readyMs, stop }
}
