/**
 * The manual's page about settings, made from the table of settings. `npm run docs` writes it, and a test compares the
 * two.
 */
import { settingsTable } from '../config.js'
import type { Setting } from '../setting.js'

export const SETTINGS_PAGE = 'server/docs/settings.md'

const topics = {
  network: 'Network',
  running: 'Running',
  storage: 'Storage and threads',
  access: 'Access',
  behaviour: 'Behaviour',
  cluster: 'Cluster',
  traces: 'Traces',
} as const

/** Every setting has a topic: the compiler finds one that does not. */
const topicOf: Readonly<Record<keyof typeof settingsTable, keyof typeof topics>> = {
  port: 'network',
  host: 'network',
  tlsCert: 'network',
  tlsKey: 'network',
  tlsPassphrase: 'network',
  opsPort: 'network',
  opsHost: 'network',
  httpLibrary: 'network',
  httpThreads: 'network',
  connectionsMax: 'network',
  drainSeconds: 'running',
  logLevel: 'running',
  dataDir: 'storage',
  backupDir: 'storage',
  threads: 'storage',
  trainers: 'storage',
  modelMemoryMb: 'storage',
  shards: 'storage',
  adminPassword: 'access',
  bootstrapKey: 'access',
  passwordCost: 'access',
  mcpHosts: 'access',
  privateHosts: 'access',
  rateLimit: 'access',
  rateBurst: 'access',
  publicUrl: 'access',
  oidcIssuer: 'access',
  oidcClientId: 'access',
  oidcClientSecret: 'access',
  oidcScopes: 'access',
  oidcGroupsClaim: 'access',
  oidcNameClaim: 'access',
  oidcRoles: 'access',
  passwords: 'access',
  console: 'access',
  sessionMinutes: 'access',
  name: 'behaviour',
  minutesPerAlert: 'behaviour',
  timeZone: 'behaviour',
  workingHours: 'behaviour',
  emptyErrorMessage: 'behaviour',
  cluster: 'cluster',
  clusterMonitors: 'cluster',
  clusterUrl: 'cluster',
  clusterSealingKey: 'cluster',
  clusterCredentials: 'cluster',
  clusterNkey: 'cluster',
  clusterCa: 'cluster',
  clusterCert: 'cluster',
  clusterKey: 'cluster',
  clusterSnapshotRecords: 'cluster',
  clusterSnapshotMb: 'cluster',
  clusterRestore: 'cluster',
  clusterTrial: 'cluster',
  otlpEndpoint: 'traces',
  otlpTracesEndpoint: 'traces',
  otlpHeaders: 'traces',
  otlpTimeoutMs: 'traces',
  otlpDelayMs: 'traces',
  tracesRatio: 'traces',
  otelServiceName: 'traces',
  otelDisabled: 'traces',
}

const opening = `# Settings

Which settings there are, where they are read from, and what their defaults are.

Settings are environment variables. The same names can be in a file that \`--config FILE\` names; the environment overrides the file. The file has lines \`NAME=VALUE\`, or it is one JSON object. Lines that begin with \`#\` are skipped.

A wrong or unknown setting stops the start with one sentence that names it. Variables that begin with \`OTEL_\` and are not listed here are left to the library for traces. \`npm start -- --help\` prints this list.

\`\`\`sh
SERVICE_PORT=9000 SERVICE_DATA_DIR=/var/lib/decision-service npm start
npm start -- --config /etc/decision-service.conf
\`\`\`

This page is written by \`npm run docs\`. Change \`server/config.ts\` instead.
`

function rowOf({ name, meaning, fallback, secret }: Setting): string[] {
  const shown = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``
  return [`\`${name}\``, `${meaning}${secret === true ? ' (secret)' : ''}`, shown]
}

/** Columns have one width each, as the formatter leaves them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`)
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** The page as Markdown. */
export function settingsPage(): string {
  const fields = Object.keys(settingsTable) as (keyof typeof settingsTable)[]
  const sections = Object.entries(topics).map(([topic, title]) => {
    const rows = fields.filter((field) => topicOf[field] === topic).map((field) => rowOf(settingsTable[field]))
    return `\n## ${title}\n\n${table([['name', 'meaning', 'default'], ...rows])}\n`
  })
  return opening + sections.join('')
}
