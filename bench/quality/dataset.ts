/**
 * Labelled sets: events in time order, their truth, and the protocol that fixes which events are labelled and which are
 * scored.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DecisionPoints } from '../../engine/domain/event/decision-points.js'
import type { PointValues } from '../../engine/domain/event/point-value.js'
import { limits } from '../../engine/limits.js'
import {
  checkLines,
  PROTOCOL,
  readEventLines,
  readProtocolFile,
  type EventLine,
  type ProtocolFile,
} from './set-files.js'

/** How the analyst picks what to label. */
export type Strategy = 'random' | 'largest'

export const strategies: readonly Strategy[] = ['random', 'largest']

/** Line numbers of one outlier test: the labelled ones, then known and unknown events of the later stream. */
export interface OutlierLines {
  readonly train: readonly number[]
  readonly inliers: readonly number[]
  readonly outliers: readonly number[]
}

/** Which lines of a set are labelled and which are scored. */
export interface Protocol {
  readonly test: readonly number[]
  /** True if the scored lines are the last of a stream in time order; false if they were drawn at random. */
  readonly inOrder: boolean
  /** Dot paths that are not decision points. */
  readonly ignored: readonly string[]
  /** The labelled lines in the order of labelling; empty if the protocol has no such seed. */
  pick(strategy: Strategy, seed: number): readonly number[]
  readonly outlierClasses: readonly string[]
  outlierLines(heldOut: string, seed: number): OutlierLines | undefined
}

export interface Dataset {
  readonly name: string
  /** Dot paths of every field that is not ignored: the job's decision points. */
  readonly points: readonly string[]
  /** One event a line, in time order. */
  readonly values: readonly PointValues[]
  readonly labels: Int32Array
  readonly labelNames: readonly string[]
  readonly protocol: Protocol
  /** Lines of the first part: what a service has seen when the test begins, labelled or not. */
  readonly seen: readonly number[]
  /** True if the event of the line is of this class: a label, or `field:value` of its meta. */
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

/**
 * The fields of the first part, in order of appearance. If there are more than a job may have, the most frequent ones.
 */
function pointsOf(lines: readonly EventLine[], seen: readonly number[], ignored: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of seen) countPaths((lines[line] as EventLine).event, '', counts)
  for (const path of ignored) counts.delete(path)
  const least = [...counts.values()].sort((a, b) => b - a)[limits.decisionPointsMax - 1] ?? 0
  const sure = [...counts].filter(([, count]) => count > least).map(([path]) => path)
  const rest = [...counts].filter(([, count]) => count === least).map(([path]) => path)
  const chosen = new Set([...sure, ...rest.slice(0, limits.decisionPointsMax - sure.length)])
  return [...counts.keys()].filter((path) => chosen.has(path))
}

/** The sets of a folder that have a protocol, by name. */
export function setsOf(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, PROTOCOL)))
    .sort()
}

function protocolOf({ test, picks, outliers, ignored_fields: ignored }: ProtocolFile): Protocol {
  return {
    test,
    inOrder: test.every((line, i) => i === 0 || line > (test[i - 1] as number)),
    ignored,
    pick: (strategy, seed) => picks[strategy === 'random' ? 'random' : 'bucket'][String(seed)] ?? [],
    outlierClasses: Object.keys(outliers),
    outlierLines: (heldOut, seed) => outliers[heldOut]?.[String(seed)],
  }
}

/** @throws BadFile. */
export function readProtocol(folder: string, name: string): Protocol {
  return protocolOf(readProtocolFile(folder, name))
}

/** Checks whether a set can be used. @throws BadFile. */
export function checkSet(folder: string, name: string): void {
  checkLines(folder, name, readProtocolFile(folder, name), readEventLines(folder, name).length)
}

/** @throws BadFile. */
export function loadDataset(folder: string, name: string): Dataset {
  const protocol = readProtocol(folder, name)
  const lines = readEventLines(folder, name)
  // A set without time order is split at random: the unscored lines come first.
  const first = protocol.test[0] as number
  const scored = new Set(protocol.test)
  const seen = [...lines.keys()].filter((line) => (protocol.inOrder ? line < first : !scored.has(line)))
  const points = pointsOf(lines, seen, protocol.ignored)
  const reader = new DecisionPoints(points)
  const labelNames = [...new Set(lines.map(({ label }) => label))].sort()
  return {
    name,
    points,
    values: lines.map(({ event }) => reader.valuesOf(event)),
    labels: Int32Array.from(lines, ({ label }) => labelNames.indexOf(label)),
    labelNames,
    protocol,
    seen,
    isOf: (line, outlierClass) => {
      const { label, meta } = lines[line] as EventLine
      const colon = outlierClass.indexOf(':')
      return colon < 0 ? label === outlierClass : meta[outlierClass.slice(0, colon)] === outlierClass.slice(colon + 1)
    },
  }
}
