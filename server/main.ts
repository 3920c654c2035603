/**
 * The program: starts the engine and the server, says where they are, stops them when told.
 *
 * A start that fails says why in one sentence. The native parts are loaded late, so that a machine they do not fit gets
 * a sentence too.
 */
import { setFlagsFromString } from 'node:v8'
import { isNativeMisfit } from './native-misfit.js'
import { readSettings, settingsHelp, SettingsError, type Settings } from './config.js'

/**
 * V8 lets a heap grow to several times what lives in it before it collects all of it. Ours holds little that lives and
 * much that passes, so the process would mostly be garbage: half as much again is enough. Read whenever a limit is set
 * anew, by threads too.
 */
setFlagsFromString('--heap-growing-percent=50')

/** After this long the process ends even if something hangs. */
const STOP_LIMIT_MS = 60_000

function failStart(sentence: string): never {
  process.stderr.write(`The service did not start: ${sentence}.\n`)
  process.exit(1)
}

function sentenceOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}

async function loadParts() {
  try {
    return { ...(await import('../engine/index.js')), ...(await import('./server.js')) }
  } catch (error) {
    if (!isNativeMisfit(error)) throw error
    const machine = `${process.platform} ${process.arch}, Node ${process.versions.node}`
    failStart(`a native part does not fit this machine (${machine}): ${sentenceOf(error).split('\n')[0]!}`)
  }
}

type Parts = Awaited<ReturnType<typeof loadParts>>

async function openEngine(parts: Parts, settings: Settings) {
  const { dataDir, name, threads, trainers, shards, adminPassword, bootstrapKey, passwordCost, minutesPerAlert, privateHosts } = settings
  const onFailure = (what: string, error: unknown): void => console.error(`${what}:`, error)
  try {
    return await parts.openEngine({
      dataDir, name, threads, trainers, shards, adminPassword, bootstrapKey, passwordCost, minutesPerAlert, privateHosts,
      onFailure,
    })
  } catch (error) {
    if (parts.isRefusal(error)) failStart(sentenceOf(error))
    throw error
  }
}

type RunningEngine = Awaited<ReturnType<typeof openEngine>>
type RunningServer = Awaited<ReturnType<Parts['Server']['start']>>

/** Prints what is told once: the address, and on the first start the secrets that were made. */
function announce(settings: Settings, port: number, engine: RunningEngine): void {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host
  const base = `http://${host}:${port}`
  const lines = [`Listening on ${base}`, `Documentation: ${base}/docs/exposer`]
  const { adminPassword = null, managementKey = null } = engine.firstStart ?? {}
  if (adminPassword !== null || managementKey !== null) {
    lines.push('First start. What follows is shown once and kept only as a hash:')
  }
  if (adminPassword !== null) lines.push(`  administrator: admin, password: ${adminPassword}`)
  if (managementKey !== null) lines.push(`  management key: ${managementKey}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Finishes what is under way, then ends the process. A second signal changes nothing. */
async function stop(server: RunningServer, engine: RunningEngine): Promise<void> {
  setTimeout(() => {
    process.stderr.write('The service did not stop in time.\n')
    process.exit(1)
  }, STOP_LIMIT_MS).unref()
  await server.drain()
  await engine.close()
  server.close()
  process.exit(0)
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    process.stdout.write(settingsHelp())
    return
  }
  let settings: Settings
  try {
    settings = readSettings(process.env, args)
  } catch (error) {
    if (error instanceof SettingsError) failStart(error.message)
    throw error
  }
  const parts = await loadParts()
  const engine = await openEngine(parts, settings)
  let server: RunningServer
  try {
    server = await parts.Server.start(engine, settings)
  } catch (error) {
    await engine.close()
    failStart(sentenceOf(error))
  }
  announce(settings, server.port, engine)
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      void stop(server, engine)
    })
  }
}

await main()
