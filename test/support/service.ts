/** A whole service for a test: a free port, a temporary directory, the real engine; in this process or in its own. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../engine/clock.js'
import { openEngine, type Engine } from '../../engine/index.js'
import { Server } from '../../server/server.js'
import type { SignOnOptions } from '../../server/sso/open.js'
import { Client } from './client.js'
import { shortLived } from './short-lived.js'
import type { Tracer } from '../../server/http/request-trace.js'

/** The password of the administrator `admin` of every test service. */
export const ADMIN_PASSWORD = 'administrator'

/** Passwords of tests are no secrets, so hashing may be cheap. */
export const PASSWORD_COST = 10

/** The management key of every test service. */
export const MANAGEMENT_KEY = 'management-key-for-tests-0123456789'

export interface ServiceOptions {
  /** SERVICE_NAME. */
  readonly name?: string
  readonly emptyErrorMessage?: boolean
  /** Requests a second for each key, and how many of them at once. */
  readonly rateLimit?: number
  readonly rateBurst?: number
  readonly shards?: number
  readonly threads?: number
  /** The port; default: a free one. */
  readonly port?: number
  /** Single sign-on and passwords. */
  readonly signOn?: SignOnOptions & { readonly passwords?: boolean }
  /** SERVICE_PRIVATE_HOSTS. */
  readonly privateHosts?: readonly string[]
  /** The tracer of requests. */
  readonly tracer?: (engine: Engine) => Tracer
  /** A directory that the test keeps: it is not removed. */
  readonly dataDir?: string
  /** False: no pages, no sessions. */
  readonly console?: boolean
  /** SERVICE_HTTP_THREADS. */
  readonly httpThreads?: number
  /** Default: that of the system. */
  readonly clock?: Clock
}

export interface TestService {
  readonly baseUrl: string
  readonly port: number
  readonly dataDir: string
  /** With the management key. */
  readonly client: Client
  /** Takes no new connections, and refuses requests on open ones. */
  drain(): Promise<unknown>
  /** Drains, closes, and removes its temporary directory. */
  close(): Promise<void>
}

async function dataDirFor(options: ServiceOptions) {
  if (options.dataDir !== undefined)
    return { path: options.dataDir, backups: `${options.dataDir}-backups`, remove: async () => {} }
  const directory = await mkdtemp(join(tmpdir(), 'decision-service-'))
  return {
    path: join(directory, 'data'),
    backups: join(directory, 'backups'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A service in this process. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const dataDir = await dataDirFor(options)
  const engine = await openEngine({
    dataDir: dataDir.path,
    backupDir: dataDir.backups,
    name: options.name ?? 'service',
    shards: options.shards ?? 2,
    threads: options.threads ?? 1,
    privateHosts: options.privateHosts,
    clock: options.clock,
    adminPassword: ADMIN_PASSWORD,
    passwordCost: PASSWORD_COST,
    bootstrapKey: MANAGEMENT_KEY,
    onFailure: (what, error) => console.error(what, error),
  })
  const server = await Server.start(engine, {
    host: '127.0.0.1',
    ...options.signOn,
    port: options.port ?? 0,
    emptyErrorMessage: options.emptyErrorMessage ?? false,
    rateLimit: options.rateLimit,
    rateBurst: options.rateBurst,
    tracer: options.tracer?.(engine),
    console: options.console,
    httpThreads: options.httpThreads ?? Number(process.env[HTTP_THREADS] ?? 1),
  })
  const baseUrl = `http://127.0.0.1:${server.port}`
  return {
    baseUrl,
    port: server.port,
    dataDir: dataDir.path,
    client: new Client(baseUrl, MANAGEMENT_KEY),
    drain: () => server.drain(5_000),
    async close() {
      await server.drain(5_000)
      await engine.close()
      await server.close()
      await dataDir.remove()
    },
  }
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const mainFile = join(root, '.build/bundle/service/main.js')

/** The settings that are left: a run of the tests with another library, or more threads, uses them in all processes. */
const HTTP_THREADS = 'SERVICE_HTTP_THREADS'
/** The tests run with several threads of HTTP. */
export const hasHttpThreads = Number(process.env[HTTP_THREADS] ?? 1) > 1
const LEFT: readonly string[] = ['SERVICE_HTTP_LIBRARY', HTTP_THREADS]

/** A started process and its output. */
export interface Started {
  readonly child: ChildProcess
  output(): string
  /** Resolves with the exit code, or null if a signal ended it. */
  readonly exited: Promise<number | null>
}

/** Starts the program with these settings and no others. `through`: a command that runs the one that it is given. */
export function spawnMain(
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  through: readonly string[] = [],
): Started {
  return startedBy([...through, process.execPath, ...shortLived, mainFile, ...args], settings, {})
}

/** `npm start` with these settings and no others; it leads a process group of its own. */
export function spawnNpmStart(settings: Readonly<Record<string, string>>): Started {
  return startedBy(['npm', 'start'], settings, { cwd: root, detached: true })
}

function startedBy(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  how: Pick<SpawnOptions, 'cwd' | 'detached'>,
): Started {
  const others = Object.entries(process.env).filter(([name]) => LEFT.includes(name) || !name.startsWith('SERVICE_'))
  const child = spawn(command[0] as string, command.slice(1), {
    ...how,
    env: { ...Object.fromEntries(others), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, output: () => output, exited }
}

/** The port that a started program reports. Rejects if it ends first. */
export async function portOf(started: Started): Promise<number> {
  let ended = false
  void started.exited.then(() => (ended = true))
  for (;;) {
    const found = /Listening on http:\/\/\S+:(\d+)/.exec(started.output())
    if (found !== null) return Number(found[1])
    if (ended) throw new Error(`the service ended: ${started.output()}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export interface ChildService extends Omit<TestService, 'drain'> {
  readonly started: Started
  /** Ends it at once, as a power cut would. The data stays. */
  kill(): Promise<void>
  /** SIGTERM; resolves with the exit code. The data stays. */
  terminate(): Promise<number | null>
}

/** A service in a process of its own. */
export async function spawnService(options: ServiceOptions = {}): Promise<ChildService> {
  const dataDir = await dataDirFor(options)
  const started = spawnMain({
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: dataDir.path,
    SERVICE_NAME: options.name ?? 'service',
    SERVICE_SHARDS: String(options.shards ?? 2),
    SERVICE_THREADS: String(options.threads ?? 1),
    ...(options.emptyErrorMessage === undefined
      ? {}
      : { SERVICE_EMPTY_ERROR_MESSAGE: String(options.emptyErrorMessage) }),
    SERVICE_PRIVATE_HOSTS: (options.privateHosts ?? []).join(','),
    SERVICE_ADMIN_PASSWORD: ADMIN_PASSWORD,
    SERVICE_PASSWORD_COST: String(PASSWORD_COST),
    SERVICE_BOOTSTRAP_KEY: MANAGEMENT_KEY,
  })
  const port = await portOf(started)
  const baseUrl = `http://127.0.0.1:${port}`
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    started.child.kill(signal)
    return started.exited
  }
  return {
    baseUrl,
    port,
    dataDir: dataDir.path,
    client: new Client(baseUrl, MANAGEMENT_KEY),
    started,
    kill: async () => void (await end('SIGKILL')),
    terminate: () => end('SIGTERM'),
    async close() {
      if (started.child.exitCode === null && started.child.signalCode === null) await end('SIGTERM')
      await dataDir.remove()
    },
  }
}
