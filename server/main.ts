#!/usr/bin/env node
/**
 * The program: starts the engine and the server, prints their addresses, and stops them on a signal.
 *
 * A start that fails prints the reason in one sentence. The native libraries are loaded late, so that this also holds
 * on a machine that they do not support.
 */
import { setFlagsFromString } from 'node:v8'
import { endOnUncaught, traceIn } from './start/last-words.js'
import { isNativeMisfit } from './start/native-misfit.js'
import type { EngineOptions, LogLevels } from '../engine/index.js'
import { asksForHelp } from './command.js'
import { firstStartText } from './start/first-start.js'
import type { TlsFiles } from './http/tls.js'
import { beginWithMemorySettings, youngGeneration } from './memory-settings.js'
import { connectionsMaxOf, openFilesFault } from './start/open-files.js'
import { ACCEPT_LOSS, readSettings, settingsHelp, SettingsError, type Settings } from './config.js'

/**
 * By default V8 lets the heap grow to several times its live data before a full collection. Here little data lives
 * long, so most of the process would be garbage: 50 percent growth is enough. Threads use this setting too.
 */
setFlagsFromString('--heap-growing-percent=50')
/** For threads that start from now on. This one has it from its command line (memory-settings.ts). */
setFlagsFromString(youngGeneration)

/** Milliseconds for the engine to finish and flush after the drain. Then the process ends even if the engine hangs. */
const CLOSE_LIMIT_MS = 40_000

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
    failStart(`a native library does not support this machine (${machine}): ${sentenceOf(error).split('\n')[0]!}`)
  }
}

type Parts = Awaited<ReturnType<typeof loadParts>>

function levelsOf(parts: Parts, { logLevel }: Settings): LogLevels {
  const levels = parts.parseLogLevels(logLevel)
  const words =
    'must be trace, debug, info, warn, error or silent, followed by component=level for components that differ'
  if (levels === null) throw new SettingsError(`SERVICE_LOG_LEVEL ${words}`)
  return levels
}

/** What is wrong with settings that only the engine can judge, or null. */
function peopleFault(parts: Parts, { timeZone, workingHours }: Settings): string | null {
  if (!parts.isTimeZone(timeZone))
    return 'SERVICE_TIME_ZONE must be the name of a time zone, such as Europe/Berlin or UTC'
  const fault = workingHours.trim() === '' ? null : parts.workingHoursFault(workingHours)
  return fault === null ? null : `SERVICE_WORKING_HOURS ${fault}`
}

function engineOptions(parts: Parts, settings: Settings, acceptLoss: boolean): EngineOptions {
  return { ...settings, acceptLoss, logLevels: levelsOf(parts, settings), logEcho: true }
}

async function openEngine(parts: Parts, settings: Settings, acceptLoss: boolean) {
  try {
    return await parts.openEngine(engineOptions(parts, settings, acceptLoss))
  } catch (error) {
    if (parts.isRefusal(error)) failStart(sentenceOf(error))
    throw error
  }
}

type RunningEngine = Awaited<ReturnType<typeof openEngine>>
type RunningServer = Awaited<ReturnType<Parts['Server']['start']>>
type RunningTracing = import('./tracing.js').Tracing

interface Running {
  readonly server: RunningServer
  readonly engine: RunningEngine
  readonly tracing: RunningTracing | undefined
}

/** Milliseconds to send the last traces to the collector. */
const LAST_TRACES_MS = 3_000

/** Opens tracing. Its libraries are loaded only if a collector is set. */
async function openTracing(settings: Settings, engine: RunningEngine): Promise<RunningTracing | undefined> {
  const {
    otlpTracesEndpoint,
    otlpEndpoint,
    otlpHeaders: headers = {},
    otlpTimeoutMs: timeoutMs,
    otlpDelayMs: delayMs,
    tracesRatio: ratio,
  } = settings
  const url =
    otlpTracesEndpoint ?? (otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`)
  if (url === undefined || settings.otelDisabled) return undefined
  const { Tracing } = await import('./tracing.js')
  engine.monitor.log('monitor').info('requests are traced', { ratio })
  return new Tracing({ url, headers, timeoutMs, delayMs, ratio, serviceName: settings.otelServiceName }, engine)
}

function baseOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Prints to standard output what people need: the addresses, and at the first start where its secrets are. The log goes
 * to standard error, is for machines, and holds no secrets.
 */
function announce(
  settings: Settings,
  { port, opsPort }: Pick<RunningServer, 'port' | 'opsPort'>,
  notice: string | null,
  secrets: string,
): void {
  const base = baseOf(settings.tlsCert === undefined ? 'http' : 'https', settings.host, port)
  const lines = [
    `Listening on ${base}`,
    `Pages: ${base}/jobs`,
    `Manual: ${base}/docs`,
    `Documentation: ${base}/docs/exposer`,
  ]
  if (opsPort !== null) lines.push(`Operators: ${baseOf('http', settings.opsHost, opsPort)}/readyz`)
  if (notice !== null) lines.push(notice)
  process.stdout.write(`${lines.join('\n')}\n${secrets}`)
}

/** What people are told of generated secrets, also by a start that fails after it has made them. */
function secretsOf(parts: Parts, { dataDir }: Settings, { firstStart }: RunningEngine): string {
  return firstStartText(firstStart, parts.firstStartPath(dataDir), process.stdout.isTTY === true)
}

/** Finishes work under way, then ends the process. A second signal has no effect. */
async function stop({ server, engine, tracing }: Running, signal: string, { drainSeconds }: Settings): Promise<void> {
  const log = engine.monitor.log('api')
  const drainMs = drainSeconds * 1000
  log.info('stopping', { signal })
  setTimeout(
    () => {
      process.stderr.write('The service did not stop in time.\n')
      process.exit(1)
    },
    drainMs + CLOSE_LIMIT_MS + LAST_TRACES_MS,
  ).unref()
  if (!(await server.drain(drainMs)))
    log.warn('requests did not finish in time and were cut off', { seconds: drainSeconds })
  await engine.close()
  await server.close()
  await tracing?.close(LAST_TRACES_MS)
  process.exit(0)
}

/** Reloads the certificate and the log levels. If they are invalid, it logs that and changes nothing. */
async function reload(
  parts: Parts,
  server: RunningServer,
  engine: RunningEngine,
  args: readonly string[],
): Promise<void> {
  const log = engine.monitor.log('api')
  try {
    engine.monitor.setLogLevels(levelsOf(parts, readSettings(process.env, args)))
    await server.reloadTls()
    log.info('the log levels and the certificate were reloaded')
  } catch (error) {
    log.error('the settings could not be reloaded', { err: error })
  }
}

/** The same program as a node of a cluster (cluster/node.ts). */
async function runAsNode(parts: Parts, settings: Settings, tls: TlsFiles | undefined): Promise<void> {
  const { runNode } = await import('./cluster/program.js')
  await runNode({
    engine: engineOptions(parts, settings, false),
    server: { ...settings, tls },
    cluster: { ...settings, cluster: settings.cluster ?? [] },
    drainMs: settings.drainSeconds * 1_000,
    traced: (engine) => openTracing(settings, engine),
    owns: (engine) => void process.stdout.write(secretsOf(parts, settings, engine)),
    announce: (ports) => announce(settings, ports, parts.httpNotice, ''),
    failStart,
  })
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  if (asksForHelp(args)) {
    process.stdout.write(settingsHelp())
    return
  }
  beginWithMemorySettings()
  endOnUncaught()
  let settings: Settings
  try {
    settings = readSettings(process.env, args)
  } catch (error) {
    if (error instanceof SettingsError) failStart(error.message)
    throw error
  }
  const fault = openFilesFault(settings)
  if (fault !== null) failStart(fault)
  // The library is chosen as it is loaded (http/native.ts).
  process.env.SERVICE_HTTP_LIBRARY = settings.httpLibrary
  const parts = await loadParts()
  const wrong = peopleFault(parts, settings)
  if (wrong !== null) failStart(wrong)
  const { tlsCert: certFile, tlsKey: keyFile, tlsPassphrase: passphrase } = settings
  const tls = certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile, passphrase }
  // Before the engine makes a data directory and its secrets: a start that fails here leaves nothing behind.
  await parts.Server.check({ ...settings, tls }).catch((error: unknown) => failStart(sentenceOf(error)))
  if (settings.cluster !== undefined) return await runAsNode(parts, settings, tls)
  let engine: RunningEngine
  try {
    engine = await openEngine(parts, settings, args.includes(ACCEPT_LOSS))
  } catch (error) {
    if (error instanceof SettingsError) failStart(error.message)
    throw error
  }
  const log = engine.monitor.log('api')
  traceIn({
    error: (message, fields) => {
      log.error(message, fields)
      engine.monitor.flushLog()
    },
  })
  let tracing: RunningTracing | undefined
  let server: RunningServer
  const connectionsMax = settings.connectionsMax ?? connectionsMaxOf(settings)
  try {
    tracing = await openTracing(settings, engine)
    server = await parts.Server.start(engine, { ...settings, connectionsMax, tls, tracer: tracing })
  } catch (error) {
    await engine.close()
    process.stdout.write(secretsOf(parts, settings, engine))
    failStart(sentenceOf(error))
  }
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      void stop({ server, engine, tracing }, signal, settings)
    })
  }
  process.on('SIGHUP', () => void reload(parts, server, engine, args))
  log.info('listening', {
    host: settings.host,
    port: server.port,
    ops_port: server.opsPort,
    tls: tls !== undefined,
    connections_max: connectionsMax,
  })
  // The log's file is open from now on: an error that nobody catches is written to it even without files left.
  engine.monitor.flushLog()
  // Only now: whoever reads that the service listens may send a signal at once.
  announce(settings, server, parts.httpNotice, secretsOf(parts, settings, engine))
}

await main()
