/** A labelled set of alarms: events in time order, their labels, and the tree that each is part of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface Alarm {
  readonly event: Readonly<Record<string, unknown>>
  /** 0 root cause, 1 symptom, 2 irrelevant. */
  readonly label: number
  /** Number of its true cluster. */
  readonly cluster: number
}

const labelNames: readonly (readonly string[])[] = [
  ['root_cause', 'root cause', 'root'],
  ['symptom'],
  ['isolated', 'irrelevant', 'noise'],
]

interface Line {
  readonly id: string
  readonly event: Record<string, unknown>
  readonly label: string
  readonly meta: { readonly cluster?: string | null }
}

export function setsOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.startsWith('rca_'))
    .sort()
}

/** @throws Error if the folder has no such set, or if a label is none of the three. */
export function loadAlarms(folder: string, name: string): Alarm[] {
  const text = gunzipSync(readFileSync(join(folder, name, 'events.jsonl.gz'))).toString('utf8')
  const clusters = new Map<string, number>()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { id, event, label, meta } = JSON.parse(line) as Line
      const place = labelNames.findIndex((names) => names.includes(label))
      if (place < 0)
        throw new Error(`${name}: the label ${JSON.stringify(label)} is none of root_cause, symptom, isolated`)
      const tree = meta.cluster ?? id
      const cluster = clusters.get(tree) ?? clusters.size
      clusters.set(tree, cluster)
      return { event, label: place, cluster }
    })
}
