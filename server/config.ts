/**
 * Settings (S22): environment variables, or the same names in the file of `--config`. Their prefix is SERVICE_; some
 * are variables of OpenTelemetry.
 *
 * Owns: the table of settings, which the help and the manual print. Leaves out: what a setting does, the forms of
 * values (setting.ts), the file (config-file.ts).
 *
 * 1. The environment takes precedence over the file.
 * 2. The error for a wrong or unknown setting is one sentence. It names the setting, not the value, which may be a
 *    secret. OpenTelemetry variables that are not in the table are ignored here; its library may read them.
 */
import type { z } from 'zod'
import { readConfigFile, SettingsError } from './config-file.js'
import {
  anyText,
  flag,
  hosts,
  httpLibrary,
  identifier,
  integer,
  key,
  password,
  seconds,
  text,
  type Setting,
} from './setting.js'
import { clusterFault, clusterSettings } from './cluster-settings.js'
import { ssoFault, ssoSettings } from './sso-settings.js'
import { threadSettings } from './thread-settings.js'
import { tracingSettings } from './tracing-settings.js'

export { SettingsError }

export const settingsTable = {
  port: {
    name: 'SERVICE_PORT',
    schema: integer(0, 65_535),
    fallback: '8080',
    meaning: 'TCP port; 0 picks a free port',
  },
  host: { name: 'SERVICE_HOST', schema: text, fallback: '127.0.0.1', meaning: 'Address to listen on' },
  tlsCert: {
    name: 'SERVICE_TLS_CERT_FILE',
    schema: text,
    meaning: 'TLS certificate with its chain, PEM; SIGHUP reloads it; without it there is no TLS',
  },
  tlsKey: { name: 'SERVICE_TLS_KEY_FILE', schema: text, meaning: 'Private key of the certificate, PEM' },
  tlsPassphrase: {
    name: 'SERVICE_TLS_KEY_PASSPHRASE',
    schema: text,
    meaning: 'Passphrase of the private key',
    secret: true,
  },
  opsPort: {
    name: 'SERVICE_OPS_PORT',
    schema: integer(0, 65_535),
    meaning:
      'Second port, for /livez, /readyz and /metrics only: no key, no TLS, open until a drain ends; without it there ' +
      'is none',
  },
  opsHost: {
    name: 'SERVICE_OPS_HOST',
    schema: text,
    fallback: '127.0.0.1',
    meaning: 'Address to listen on for the second port',
  },
  httpLibrary: {
    name: 'SERVICE_HTTP_LIBRARY',
    schema: httpLibrary,
    fallback: 'auto',
    meaning: 'auto: uWebSockets.js, or node:http where that does not load; node: always node:http, which is slower',
  },
  drainSeconds: {
    name: 'SERVICE_DRAIN_SECONDS',
    schema: seconds,
    fallback: '20',
    meaning: 'Seconds for requests under way to finish after SIGTERM',
  },
  logLevel: {
    name: 'SERVICE_LOG_LEVEL',
    schema: text,
    fallback: 'info',
    meaning:
      'Log level, and other levels for single components, such as info,api=debug; SIGHUP reloads it from the ' +
      '--config file',
  },
  dataDir: { name: 'SERVICE_DATA_DIR', schema: text, fallback: './data', meaning: 'Directory for all stored data' },
  backupDir: {
    name: 'SERVICE_BACKUP_DIR',
    schema: text,
    meaning: 'Directory for backups made over the API; without it they are refused',
  },
  name: {
    name: 'SERVICE_NAME',
    schema: identifier,
    fallback: 'service',
    meaning: 'Name of the service in the header x-<name>-api-key and the field <name>_event',
  },
  ...threadSettings,
  shards: {
    name: 'SERVICE_SHARDS',
    schema: integer(1, 256),
    meaning: 'Storage units of a new data directory, fixed when it is created; default: 8',
  },
  adminPassword: {
    name: 'SERVICE_ADMIN_PASSWORD',
    schema: password,
    meaning: 'Password of the administrator, used at the first start; default: generated, in first-start-secrets',
    secret: true,
  },
  bootstrapKey: {
    name: 'SERVICE_BOOTSTRAP_KEY',
    schema: key,
    meaning: 'Management key, used at the first start; default: generated, in first-start-secrets',
    secret: true,
  },
  passwordCost: {
    name: 'SERVICE_PASSWORD_COST',
    schema: integer(10, 18),
    fallback: '14',
    meaning: 'Cost of scrypt for new passwords, as a power of 2; less than 14 is for tests only',
  },
  timeZone: {
    name: 'SERVICE_TIME_ZONE',
    schema: text,
    fallback: 'UTC',
    meaning:
      'Zone of schedules, working hours and times in messages, such as Europe/Berlin; a job may have its own; the ' +
      'API stays in UTC',
  },
  workingHours: {
    name: 'SERVICE_WORKING_HOURS',
    schema: anyText,
    fallback: '',
    meaning:
      'When people are there, for deadlines and watchdogs that count working hours, such as mon-fri 08:00-18:00; a ' +
      'job may have its own; default: at any time',
  },
  minutesPerAlert: {
    name: 'SERVICE_MINUTES_PER_ALERT',
    schema: integer(0, 1_440),
    fallback: '10',
    meaning: 'Minutes an analyst spends on one alert; metrics compute the time saved from it',
  },
  privateHosts: {
    name: 'SERVICE_PRIVATE_HOSTS',
    schema: hosts,
    fallback: '',
    meaning:
      'Private hosts that integrations may reach: names, addresses and networks (10.0.0.0/8), separated by commas',
  },
  mcpHosts: {
    name: 'SERVICE_MCP_HOSTS',
    schema: hosts,
    fallback: '',
    meaning:
      'Names by which MCP clients reach the service, and hosts of web pages that may use it, separated by commas; ' +
      'addresses and localhost need no entry',
  },
  emptyErrorMessage: {
    name: 'SERVICE_EMPTY_ERROR_MESSAGE',
    schema: flag,
    meaning: 'Answer new events with error_message "" instead of null; default: true if SERVICE_NAME is not service',
  },
  rateLimit: {
    name: 'SERVICE_RATE_LIMIT',
    schema: integer(0, 1_000_000),
    fallback: '0',
    meaning: 'Requests per second for each key and each user, including lines of streams; 0 is no limit',
  },
  rateBurst: {
    name: 'SERVICE_RATE_BURST',
    schema: integer(1, 10_000_000),
    meaning: 'Requests in one burst under SERVICE_RATE_LIMIT; default: those of two seconds',
  },
  console: {
    name: 'SERVICE_CONSOLE',
    schema: flag,
    fallback: 'true',
    meaning: 'false: no pages for people, and no sessions; the API and the manual stay',
  },
  sessionMinutes: {
    name: 'SERVICE_SESSION_MINUTES',
    schema: integer(1, 720),
    fallback: '60',
    meaning: 'Minutes without a request after which a session of the console ends',
  },
  ...clusterSettings,
  ...ssoSettings,
  ...tracingSettings,
} as const satisfies Record<string, Setting>

type Table = typeof settingsTable
type ValueOf<S extends Setting> = z.output<S['schema']>

/** The settings of one start. */
export type Settings = {
  readonly [K in keyof Table]: Table[K] extends { fallback: string } ? ValueOf<Table[K]> : ValueOf<Table[K]> | undefined
} & { readonly emptyErrorMessage: boolean }

/** The table as text, for `--help`. */
export function settingsHelp(): string {
  const rows: Setting[] = Object.values(settingsTable)
  const width = Math.max(...rows.map((row) => row.name.length))
  const lines = rows.map((row) => {
    const fallback = row.fallback === undefined ? '' : ` (${row.fallback})`
    return `  ${row.name.padEnd(width)}  ${row.meaning}${fallback}`
  })
  const acceptLoss = `${ACCEPT_LOSS}: starts although a file of the data directory is missing or older than the others.`
  return ['Settings, from the environment or from the file of --config FILE:', ...lines, '', acceptLoss, ''].join('\n')
}

/**
 * Starts although data is lost, this once. It is an argument and not a setting, so that it cannot be left on by
 * mistake.
 */
export const ACCEPT_LOSS = '--accept-loss'

/** The file named by `--config`, or null. */
function configFile(args: readonly string[]): string | null {
  let file: string | null = null
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--config') file = args[++i] ?? ''
    else if (arg.startsWith('--config=')) file = arg.slice('--config='.length)
    else if (arg !== ACCEPT_LOSS)
      throw new SettingsError(
        `the argument ${arg} is not known; the arguments are --config FILE, ${ACCEPT_LOSS} and --help`,
      )
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
  for (const name of values.keys()) throw new SettingsError(`${name} is not a setting; --help lists all settings`)
  if ('tlsCert' in settings !== 'tlsKey' in settings) {
    throw new SettingsError('SERVICE_TLS_CERT_FILE and SERVICE_TLS_KEY_FILE must be set together')
  }
  const fault = ssoFault(settings) ?? clusterFault(settings)
  if (fault !== null) throw new SettingsError(fault)
  // Whoever gives the service another name replaces one that a client already knows, and one such client needs the
  // text.
  settings.emptyErrorMessage ??= settings.name !== settingsTable.name.fallback
  return settings as Settings
}
