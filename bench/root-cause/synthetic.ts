/** Causes, symptoms and clusters on synthetic alerts of microservices, beside the two simple methods. */
import { meanOf } from '../quality/figures.js'
import { fixed, textTable } from '../quality/text-table.js'
import { blindAlarms } from './blind.js'
import { reportOf, type RcaReport } from './figures.js'
import type { RcaOptions } from './options.js'
import { play } from './play.js'
import { mined, onContext } from './simple-methods.js'
import { topologyAlarms, topologyNames } from './topologies.js'

const ALARMS = 12_000
/** The requested numbers of labels for which the sets are large enough. */
const LABELS_MAX = 1_000

export interface SyntheticLine {
  readonly set: string
  readonly labels: number
  readonly ours: RcaFigures
  readonly mined: RcaFigures
  /** Null without labels. */
  readonly context: RcaFigures | null
}

type RcaFigures = Pick<RcaReport, 'macroF1' | 'rootF1' | 'topPrecision' | 'ari'>

function mean(reports: readonly RcaReport[]): RcaFigures {
  return meanOf(reports.map(({ macroF1, rootF1, topPrecision, ari }) => ({ macroF1, rootF1, topPrecision, ari })))
}

export function runSynthetic({ sets, labels, seeds, parameters, points, blind }: RcaOptions): SyntheticLine[] {
  return (sets ?? topologyNames).flatMap((set) => {
    const worlds = Array.from({ length: seeds }, (_, seed) => topologyAlarms(set, ALARMS, seed + 1))
    const shown = blind ? worlds.map(blindAlarms) : worlds
    const simple = mean(worlds.map((alarms) => reportOf(alarms, mined(alarms), 0)))
    return labels
      .filter((count) => count <= LABELS_MAX)
      .map((count) => {
        const ours = mean(
          shown.map((alarms, seed) => reportOf(alarms, play(alarms, { labels: count, seed, parameters, points }), 0)),
        )
        const context =
          count === 0 ? null : mean(worlds.map((alarms, seed) => reportOf(alarms, onContext(alarms, count, seed), 0)))
        console.error(`${set} ${count}: ${fixed(ours.macroF1)}`)
        return { set, labels: count, ours, mined: simple, context }
      })
  })
}

export function syntheticReport(lines: readonly SyntheticLine[]): string {
  const head = [
    'set',
    'labels',
    'macro F1',
    'mined',
    'context',
    'root F1',
    'mined',
    'context',
    'top cause',
    'mined',
    'ARI',
    'mined',
  ]
  return textTable(
    head,
    lines.map(({ set, labels, ours, mined: simple, context }) => [
      set,
      String(labels),
      fixed(ours.macroF1),
      fixed(simple.macroF1),
      fixed(context?.macroF1 ?? null),
      fixed(ours.rootF1),
      fixed(simple.rootF1),
      fixed(context?.rootF1 ?? null),
      fixed(ours.topPrecision),
      fixed(simple.topPrecision),
      fixed(ours.ari),
      fixed(simple.ari),
    ]),
  )
}
