/** The peers: installed when first needed, started as child processes. */
import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, startNode, startProgram, type Child } from './child.js'
import { source } from './paths.js'
import { freePort } from './free-port.js'

/** Installs bench/peers/node_modules if it is missing. Returns null, or why it could not. */
export async function installPeers(log: (what: string) => void): Promise<string | null> {
  const addon = source('bench/peers/node_modules/better-sqlite3/build/Release/better_sqlite3.node')
  if (existsSync(addon)) return null
  log('installing the peers (better-sqlite3 may have to be compiled: a minute or two)')
  const { code, err } = await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: source('bench/peers') }).catch(
    (error: unknown) => ({ code: -1, err: String(error) }),
  )
  if (code === 0 && existsSync(addon)) return null
  return `the peer could not be installed: ${err.trim().split('\n').at(-1) ?? `npm ended with ${code}`}`
}

export interface Listening {
  readonly port: number
  readonly child: Child
}

/** Starts `node file port ...args` and waits until the port answers. */
export async function startListening(file: string, args: readonly string[]): Promise<Listening> {
  const port = await freePort()
  return listening(startNode(file, [String(port), ...args]), port, file)
}

/** Waits until the port of a child answers. @throws Error if the child ends first. */
async function listening(child: Child, port: number, what: string): Promise<Listening> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    if (child.exitCode() !== null) break
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection({ host: '127.0.0.1', port })
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (open) return { port, child }
    await sleep(10)
  }
  await child.stop('SIGKILL')
  throw new Error(`${what} did not listen: ${child.tail()}`)
}

/** Starts the peer of bench/peers/fastapi, with a worker for each core. `python` is of its environment. */
export async function startFastApi(
  python: string,
  { directory, points, workers }: { directory: string; points: readonly string[]; workers: number },
): Promise<Listening> {
  const port = await freePort()
  const app = ['server:app', '--app-dir', source('bench/peers/fastapi'), '--port', String(port)]
  const how = ['--workers', String(workers), '--no-access-log', '--log-level', 'warning']
  const env = { PEER_DIRECTORY: directory, PEER_POINTS: JSON.stringify(points) }
  return listening(startProgram(python, ['-B', '-m', 'uvicorn', ...app, ...how], env), port, 'uvicorn')
}

/** Starts the peer in a mode of bench/peers/server.js. */
export function startPeer(mode: 'single' | 'group', directory: string): Promise<Listening> {
  return startListening(source('bench/peers/server.js'), [directory, mode])
}
