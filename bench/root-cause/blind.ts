/** Alarms whose field names say nothing: each name is replaced by a word that is made of its hash. */
import { hashText } from '../../engine/domain/learn/hash.js'
import type { Alarm } from './alarms.js'

/** The word for a name: the same name has the same word. */
function wordFor(name: string): string {
  return `f${(hashText(9, name) >>> 0).toString(36)}`
}

/** The word for each name in a dot path. */
export function blindPath(path: string): string {
  return path.split('.').map(wordFor).join('.')
}

function blindObject(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      blindPath(name),
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? blindObject(value as Record<string, unknown>)
        : value,
    ]),
  )
}

export function blindAlarms(alarms: readonly Alarm[]): Alarm[] {
  return alarms.map((alarm) => ({ ...alarm, event: blindObject(alarm.event) }))
}
