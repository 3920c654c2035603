/** A replay as people see it: its terms, its state, its report, and the report as a table. */
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { ReplayReport, ReplayView, ShownMove } from '../../api/models/replay-service.js'
import { modelIdOf } from '../../actor/model-id.js'
import type { ModelReads } from '../../actor/models/model-reads.js'
import type { ReplayReportRow, ReplayRow } from '../../store/replay-row.js'
import { valueShown } from '../explain/shown.js'

/** `percent`: of a running replay; null for one that does not run. `models`: null leaves the report out. */
export function replayView(
  job: JobSettings,
  row: ReplayRow,
  { percent, models }: { readonly percent: number | null; readonly models: ModelReads | null },
): ReplayView {
  const { terms } = row
  const idOf = (version: number | null): string | null => (version === null ? null : modelIdOf(job.id, version))
  return {
    replayId: eventIdOf(row.id),
    state: percent === null ? row.state : 'running',
    message: row.message,
    percent: row.state === 'finished' ? 100 : (percent ?? 0),
    requestedBy: row.requestedBy,
    requestedMicros: row.id,
    finishedMicros: row.finishedMicros,
    fromMicros: terms.fromMicros,
    toMicros: terms.toMicros,
    modelId: idOf(terms.version),
    against: idOf(terms.against),
    objective: terms.training.objective ?? null,
    decisionPoints: terms.training.decisionPoints ?? null,
    withoutAnalysts: terms.training.withoutAnalysts ?? [],
    threshold: terms.threshold === null ? null : terms.threshold / 100,
    report: row.report === null || models === null ? null : reportOf(job, row.report, models),
  }
}

function reportOf(
  job: JobSettings,
  { figures, outputs, before, after, seconds }: ReplayReportRow,
  models: ModelReads,
): ReplayReport {
  const nameOf = (label: number): string | null => job.labels[label]?.name ?? null
  const move = (one: { before: number; after: number; events: number }): ShownMove => {
    return { before: nameOf(one.before), after: nameOf(one.after), events: one.events }
  }
  const moves = figures.moves.flatMap((row, from) =>
    row.flatMap((events, to) => (events === 0 ? [] : [move({ before: from - 1, after: to - 1, events })])),
  )
  const pair = ([one, other]: readonly [number, number]) => ({ before: one, after: other })
  return {
    before,
    after,
    seconds,
    events: figures.events,
    changed: figures.changed,
    changedShare: figures.events === 0 ? 0 : figures.changed / figures.events,
    moves: moves.sort((a, b) => b.events - a.events),
    outliers: pair(figures.outliers),
    lowConfidence: pair(figures.lowConfidence),
    buckets: figures.buckets,
    bucketsChanged: figures.bucketsChanged,
    topBuckets: figures.topBuckets.map(({ bucket, events, changed, changes }) => {
      const values = models.bucketValues(Buffer.from(bucket, 'hex'))
      const named = values?.map((value, place) => [job.decisionPoints[place] ?? `${place}`, valueShown(value)] as const)
      return {
        bucketId: bucket,
        values: named === undefined ? null : Object.fromEntries(named),
        events,
        changed,
        moves: changes.map(move),
      }
    }),
    examples: figures.examples.flatMap((micros) => models.eventId(micros) ?? []),
    unseenVotes: figures.unseenVotes,
    seenVotes: figures.seenVotes,
    queue: figures.queue,
    outputs: figures.outputs.map((reached, place) => ({ ...reached, integrationId: 0, role: '', ...outputs[place] })),
  }
}

const BUCKETS_IN_TABLE = 20

/** The report as text. */
export function replayTable(view: ReplayView): string {
  const { report } = view
  if (report === null) return `Replay ${view.replayId}: ${view.state}, ${view.percent} %. ${view.message}\n`
  const lines = [
    `Replay ${view.replayId}: ${report.events} events, ${report.changed} decisions change ` +
      `(${(100 * report.changedShare).toFixed(2)} %)` +
      `${report.buckets === 0 ? '' : `, in ${report.bucketsChanged} of ${report.buckets} buckets`}.`,
    `Before: ${report.before}. After: ${report.after}.`,
    ...(view.message === '' ? [] : [view.message]),
    '',
    ...tableOf(
      ['events', 'before', 'after'],
      report.moves.map(({ events, before, after }) => [`${events}`, before ?? '-', after ?? '-']),
    ),
    '',
    ...tableOf(
      ['', 'before', 'after', 'added', 'removed'],
      [
        ['queue of people', ...reached(report.queue)],
        ...report.outputs.map((one) => [`${one.role} (integration ${one.integrationId})`, ...reached(one)]),
        ['outliers', `${report.outliers.before}`, `${report.outliers.after}`, '', ''],
        ['low confidence', `${report.lowConfidence.before}`, `${report.lowConfidence.after}`, '', ''],
      ],
    ),
    '',
    ...tableOf(
      ['consensus', 'events', 'before', 'after'],
      [
        ['not trained on', ...agreed(report.unseenVotes)],
        ['trained on', ...agreed(report.seenVotes)],
      ],
    ),
  ]
  if (report.topBuckets.length > 0)
    lines.push(
      '',
      ...tableOf(
        ['changed', 'events', 'before', 'after', 'bucket'],
        report.topBuckets.slice(0, BUCKETS_IN_TABLE).map(({ changed, events, moves, values, bucketId }) => {
          const [most] = moves
          const shown = values === null ? bucketId : JSON.stringify(values)
          return [`${changed}`, `${events}`, most?.before ?? '-', most?.after ?? '-', shown]
        }),
      ),
    )
  return `${lines.join('\n')}\n`
}

function reached(one: { before: number; after: number; added: number; removed: number }): string[] {
  return [`${one.before}`, `${one.after}`, `${one.added}`, `${one.removed}`]
}

function agreed({ events, before, after }: { events: number; before: number; after: number }): string[] {
  const share = (count: number): string => (events === 0 ? '-' : `${((100 * count) / events).toFixed(1)} %`)
  return [`${events}`, share(before), share(after)]
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  )
}
