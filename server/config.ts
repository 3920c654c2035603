/**
 * Settings (S22): environment variables with the prefix SERVICE_, and those of OpenTelemetry that are in the table, or the same names
 * in the file of `--config`.
 *
 * Owns: the one table of settings; help and manual print it. Leaves out: what a setting does.
 *
 * 1. The environment wins over the file.
 * 2. A wrong or unknown setting is one sentence that names it and does not repeat its value, which may be a secret. Variables of
 *    OpenTelemetry that are not in the table are its library's, or nobody's.
 */
import type { z } from 'zod'
import { readConfigFile, SettingsError } from './config-file.js'
import { flag, hosts, identifier, integer, key, password, seconds, text, type Setting } from './setting.js'
import { tracingSettings } from './tracing-settings.js'

export { SettingsError }

export const settingsTable = {
  port: { name: 'SERVICE_PORT', schema: integer(0, 65_535), fallback: '8080', meaning: 'TCP port; 0 takes a free one' },
  host: { name: 'SERVICE_HOST', schema: text, fallback: '127.0.0.1', meaning: 'Address to listen on' },
  tlsCert: {
    name: 'SERVICE_TLS_CERT_FILE',
    schema: text,
    meaning: 'Certificate for TLS with its chain, PEM; SIGHUP reads it again; without one there is no TLS',
  },
  tlsKey: { name: 'SERVICE_TLS_KEY_FILE', schema: text, meaning: 'Key of the certificate, PEM' },
  tlsPassphrase: {
    name: 'SERVICE_TLS_KEY_PASSPHRASE',
    schema: text,
    meaning: 'Passphrase of the key',
    secret: true,
  },
  opsPort: {
    name: 'SERVICE_OPS_PORT',
    schema: integer(0, 65_535),
    meaning:
      'A second port for /livez, /readyz and /metrics only, without keys and TLS, open until a drain ends; none if not set',
  },
  opsHost: { name: 'SERVICE_OPS_HOST', schema: text, fallback: '127.0.0.1', meaning: 'Address of the second port' },
  drainSeconds: {
    name: 'SERVICE_DRAIN_SECONDS',
    schema: seconds,
    fallback: '20',
    meaning: 'Seconds that running requests have to finish after SIGTERM',
  },
  logLevel: {
    name: 'SERVICE_LOG_LEVEL',
    schema: text,
    fallback: 'info',
    meaning: 'Log level, and others for single components, such as info,api=debug; SIGHUP reads it again from --config',
  },
  dataDir: { name: 'SERVICE_DATA_DIR', schema: text, fallback: './data', meaning: 'Directory that holds everything' },
  backupDir: {
    name: 'SERVICE_BACKUP_DIR',
    schema: text,
    meaning: 'Directory for backups that are requested over the API; without it such requests are refused',
  },
  name: {
    name: 'SERVICE_NAME',
    schema: identifier,
    fallback: 'service',
    meaning: 'Name in identifiers: header x-<name>-api-key, field <name>_event',
  },
  threads: {
    name: 'SERVICE_THREADS',
    schema: integer(1, 64),
    meaning: 'Threads that decide; one less than the cores if not set, at least one',
  },
  trainers: { name: 'SERVICE_TRAINERS', schema: integer(1, 16), meaning: 'Threads that train; one if not set' },
  shards: {
    name: 'SERVICE_SHARDS',
    schema: integer(1, 256),
    meaning: 'Shards of a new data directory, fixed afterwards; 8 if not set',
  },
  adminPassword: {
    name: 'SERVICE_ADMIN_PASSWORD',
    schema: password,
    meaning: 'Password of the administrator on the first start; generated and printed once if not set',
    secret: true,
  },
  bootstrapKey: {
    name: 'SERVICE_BOOTSTRAP_KEY',
    schema: key,
    meaning: 'Management key on the first start; generated and printed once if not set',
    secret: true,
  },
  passwordCost: {
    name: 'SERVICE_PASSWORD_COST',
    schema: integer(10, 18),
    fallback: '14',
    meaning: 'Cost of scrypt for new passwords, as a power of two; less than 14 is for tests only',
  },
  minutesPerAlert: {
    name: 'SERVICE_MINUTES_PER_ALERT',
    schema: integer(0, 1_440),
    fallback: '10',
    meaning: 'Minutes that an analyst spends on one alert, for the time saved in metrics',
  },
  privateHosts: {
    name: 'SERVICE_PRIVATE_HOSTS',
    schema: hosts,
    fallback: '',
    meaning:
      'Private hosts that integrations may reach: names, addresses and networks (10.0.0.0/8), separated by commas',
  },
  emptyErrorMessage: {
    name: 'SERVICE_EMPTY_ERROR_MESSAGE',
    schema: flag,
    fallback: 'false',
    meaning: 'Answer new events with error_message "" instead of null',
  },
  rateLimit: {
    name: 'SERVICE_RATE_LIMIT',
    schema: integer(0, 1_000_000),
    fallback: '0',
    meaning: 'Requests a second for each key and each user, including lines of a stream; 0 is no limit',
  },
  rateBurst: {
    name: 'SERVICE_RATE_BURST',
    schema: integer(1, 10_000_000),
    meaning: 'Requests that may come at once under SERVICE_RATE_LIMIT; those of two seconds if not set',
  },
  ...tracingSettings,
} as const satisfies Record<string, Setting>

type Table = typeof settingsTable
type ValueOf<S extends Setting> = z.output<S['schema']>

/** The settings of one start. */
export type Settings = {
  readonly [K in keyof Table]: Table[K] extends { fallback: string } ? ValueOf<Table[K]> : ValueOf<Table[K]> | undefined
}

/** The table as text, for `--help`. */
export function settingsHelp(): string {
  const rows: Setting[] = Object.values(settingsTable)
  const width = Math.max(...rows.map((row) => row.name.length))
  const lines = rows.map((row) => {
    const fallback = row.fallback === undefined ? '' : ` (${row.fallback})`
    return `  ${row.name.padEnd(width)}  ${row.meaning}${fallback}`
  })
  const acceptLoss = `${ACCEPT_LOSS}: goes on without a file that the data directory has lost, or with one that is older than the rest.`
  return ['Settings, from the environment or from the file of --config FILE:', ...lines, '', acceptLoss, ''].join('\n')
}

/** For one start: to go on without what the data directory has lost. No setting, since nobody may forget it there. */
export const ACCEPT_LOSS = '--accept-loss'

/** The file named by `--config`, or null. */
function configFile(args: readonly string[]): string | null {
  let file: string | null = null
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--config') file = args[++i] ?? ''
    else if (arg.startsWith('--config=')) file = arg.slice('--config='.length)
    else if (arg !== ACCEPT_LOSS)
      throw new SettingsError(`the argument ${arg} is not known; there is --config FILE, ${ACCEPT_LOSS} and --help`)
  }
  if (file === '') throw new SettingsError('--config needs a file')
  return file
}

/**
 * The settings of this start.
 * @throws SettingsError
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Settings {
  const known = new Set<string>(Object.values(settingsTable).map(({ name }) => name))
  const file = configFile(args)
  const values = new Map<string, string>(file === null ? [] : Object.entries(readConfigFile(file)))
  for (const [name, value] of Object.entries(env)) {
    if ((name.startsWith('SERVICE_') || known.has(name)) && value !== undefined) values.set(name, value)
  }
  const settings: Record<string, unknown> = {}
  for (const [field, setting] of Object.entries(settingsTable) as [string, Setting][]) {
    const value = values.get(setting.name) ?? setting.fallback
    values.delete(setting.name)
    if (value === undefined) continue
    const result = setting.schema.safeParse(value)
    if (!result.success) throw new SettingsError(`${setting.name} ${result.error.issues[0]!.message}`)
    settings[field] = result.data
  }
  for (const name of values.keys()) throw new SettingsError(`${name} is no setting; --help lists them`)
  if ('tlsCert' in settings !== 'tlsKey' in settings) {
    throw new SettingsError('SERVICE_TLS_CERT_FILE and SERVICE_TLS_KEY_FILE belong together')
  }
  return settings as Settings
}
