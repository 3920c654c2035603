/** What a node tells operators while it has no engine whose log it could be in: lines on standard error. */
import type { Log } from '../../engine/index.js'

type Level = 'info' | 'warn' | 'error'

export function tell(level: Level, msg: string, details: Readonly<Record<string, unknown>> = {}): void {
  const entry = { level, time: new Date().toISOString(), component: 'cluster', msg, ...details }
  process.stderr.write(`${JSON.stringify(entry)}\n`)
}

function plain(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { err, ...others } = fields
  return err === undefined ? others : { ...others, error: String(err) }
}

/** The log of requests that are answered from copies. */
export const standbyLog: Log = {
  enabled: (level) => level === 'warn' || level === 'error',
  debug() {},
  info() {},
  warn: (message, fields) => tell('warn', message, plain(fields)),
  error: (message, fields) => tell('error', message, plain(fields)),
}
