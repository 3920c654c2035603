/**
 * The labelled sets: events in time order, their truth, and the protocol that fixes which are labelled and which
 * scored.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DecisionPoints } from '../../engine/event/decision-points.js'
import type { PointValues } from '../../engine/event/point-value.js'
import { limits } from '../../engine/limits.js'

/** How the analyst picks what to label. */
export type Strategy = 'random' | 'largest'

export const strategies: readonly Strategy[] = ['random', 'largest']

export const classificationSets: readonly string[] = [
  'adult_census', 'ait_alerts_a', 'bgl_2k', 'firewall_actions', 'kdd99_stream', 'microwave_faults', 'telstra_faults',
]

/** Line numbers of one outlier test: what is labelled, then known and unknown events of the later stream. */
export interface OutlierLines {
  readonly train: readonly number[]
  readonly inliers: readonly number[]
  readonly outliers: readonly number[]
}

/** protocol.json.gz; line numbers count from 0. */
interface Protocol {
  readonly test: readonly number[]
  readonly picks: Readonly<Record<'random' | 'bucket', Readonly<Record<string, readonly number[]>>>>
  readonly ignored_fields: readonly string[]
  readonly outliers: Readonly<Record<string, Readonly<Record<string, OutlierLines>>>>
}

interface Line {
  readonly event: Readonly<Record<string, unknown>>
  readonly label: string
  readonly meta: Readonly<Record<string, unknown>>
}

export interface Dataset {
  readonly name: string
  /** Dot paths of every field that is not ignored, as a job's decision points. */
  readonly points: readonly string[]
  /** One a line, in time order. */
  readonly values: readonly PointValues[]
  readonly labels: Int32Array
  readonly labelNames: readonly string[]
  readonly test: readonly number[]
  /** Lines of the first part: what a service has seen when the test begins, labelled or not. */
  readonly seen: readonly number[]
  picks(strategy: Strategy, seed: number): readonly number[]
  readonly outlierClasses: readonly string[]
  outlierLines(heldOut: string, seed: number): OutlierLines | undefined
  /** The line's event is of this class: a label, or `field:value` of its meta. */
  isOf(line: number, outlierClass: string): boolean
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function countPaths(object: Readonly<Record<string, unknown>>, prefix: string, counts: Map<string, number>): void {
  for (const [name, value] of Object.entries(object)) {
    const path = prefix + name
    if (isObject(value)) countPaths(value, `${path}.`, counts)
    else counts.set(path, (counts.get(path) ?? 0) + 1)
  }
}

/** The fields of the first part; the most frequent where there are more than a job may have, in the order they came. */
function pointsOf(lines: readonly Line[], seen: readonly number[], ignored: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of seen) countPaths((lines[line] as Line).event, '', counts)
  for (const path of ignored) counts.delete(path)
  const least = [...counts.values()].sort((a, b) => b - a)[limits.decisionPointsMax - 1] ?? 0
  const sure = [...counts].filter(([, count]) => count > least).map(([path]) => path)
  const rest = [...counts].filter(([, count]) => count === least).map(([path]) => path)
  const chosen = new Set([...sure, ...rest.slice(0, limits.decisionPointsMax - sure.length)])
  return [...counts.keys()].filter((path) => chosen.has(path))
}

function readGzip(path: string): string {
  return gunzipSync(readFileSync(path)).toString('utf8')
}

/** @throws Error where the folder has no such set. */
export function loadDataset(folder: string, name: string): Dataset {
  const protocol = JSON.parse(readGzip(join(folder, name, 'protocol.json.gz'))) as Protocol
  const text = readGzip(join(folder, name, 'events.jsonl.gz'))
  const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line)
  const { test, picks, outliers } = protocol
  // A set without time order is split by chance: what is not scored comes first.
  const ordered = test.every((line, i) => i === 0 || line > (test[i - 1] as number))
  const first = test[0] as number
  const scored = new Set(test)
  const seen = [...lines.keys()].filter((line) => (ordered ? line < first : !scored.has(line)))
  const points = pointsOf(lines, seen, protocol.ignored_fields)
  const reader = new DecisionPoints(points)
  const labelNames = [...new Set(lines.map(({ label }) => label))].sort()
  return {
    name,
    points,
    values: lines.map(({ event }) => reader.valuesOf(event)),
    labels: Int32Array.from(lines, ({ label }) => labelNames.indexOf(label)),
    labelNames,
    test,
    seen,
    picks: (strategy, seed) => picks[strategy === 'random' ? 'random' : 'bucket'][String(seed)] ?? [],
    outlierClasses: Object.keys(outliers),
    outlierLines: (heldOut, seed) => outliers[heldOut]?.[String(seed)],
    isOf: (line, outlierClass) => {
      const { label, meta } = lines[line] as Line
      const colon = outlierClass.indexOf(':')
      return colon < 0 ? label === outlierClass : meta[outlierClass.slice(0, colon)] === outlierClass.slice(colon + 1)
    },
  }
}
