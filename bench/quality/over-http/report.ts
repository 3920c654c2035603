/**
 * `npm run bench:quality -- --over-http`: the same labels, training and events through the HTTP interface of the real
 * service, beside the engine called directly. Their figures have to be the same.
 *
 * Each set is played with all its fields as decision points, and with the few of `--coarse`. A job has three labels, so
 * sets with other numbers are left out.
 */
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from '../../harness/service.js'
import { coarsePoints } from '../coarse-points.js'
import { loadDataset } from '../dataset.js'
import type { QualityOptions } from '../options.js'
import { readEventLines } from '../set-files.js'
import { fixed, textTable } from '../text-table.js'
import { castVotes, VotedJob } from '../voted-job.js'
import { differenceOf, figuresOf, type Answered, type AnsweredFigures } from './answered.js'
import { answersInProcess } from './in-process.js'
import { playOverHttp, type PlayedSet, type Reported } from './play.js'

const labelsOfJob = 3

/** What a table shows of one job. */
export interface Compared {
  readonly title: string
  readonly events: number
  readonly http: AnsweredFigures
  readonly inProcess: AnsweredFigures
  readonly difference: { readonly labels: number; readonly points: number }
  readonly reported: Reported
}

function percent(share: number | null): string {
  return share === null ? '–' : fixed(100 * share, 1)
}

export function overHttpTable(all: readonly Compared[]): string {
  const row = (name: string, figures: AnsweredFigures, events: number, differ: string): string[] => [
    name,
    String(events),
    fixed(figures.accuracy),
    fixed(figures.macroF1),
    fixed(figures.logLoss),
    fixed(figures.ece),
    String(figures.confident),
    percent(figures.confident === 0 ? null : figures.confidentRight / figures.confident),
    differ,
  ]
  const rows = all.flatMap(({ title, events, http, inProcess, difference }) => [
    row(`${title}: over HTTP`, http, events, `${difference.labels}, ${fixed(difference.points, 2)}`),
    row('  in process', inProcess, events, ''),
  ])
  const says = all.map(({ title, reported: { heldOut, disagreements, minutesSaved } }) => [
    title,
    percent(heldOut.value),
    `${percent(heldOut.low)} to ${percent(heldOut.high)}`,
    String(disagreements),
    String(minutesSaved),
  ])
  const head = ['answers', 'events', 'accuracy', 'macro F1', 'log-loss', 'ECE', '≥ 95', 'right, %', 'differ, points']
  const saysHead = ['the job says of itself', 'held out, %', 'from, to', 'disagreements', 'minutes saved']
  const intro = 'differ: answers with another label; points: the largest difference of a confidence'
  return `The same jobs over HTTP; ${intro}\n\n${textTable(head, rows)}\n\n${textTable(saysHead, says)}`
}

async function compare(service: Service, title: string, set: PlayedSet, job: VotedJob): Promise<Compared> {
  const { dataset } = set
  const { answers, seed, reported } = await playOverHttp(service, title, set, job)
  const own: readonly Answered[] = answersInProcess(dataset, job, seed)
  return {
    title,
    events: answers.length,
    http: figuresOf(dataset, answers),
    inProcess: figuresOf(dataset, own),
    difference: differenceOf(answers, own),
    reported,
  }
}

interface PlannedJob {
  readonly title: string
  readonly set: PlayedSet
  readonly job: VotedJob
}

/** The jobs that can be trained: three labels, and votes for more than one of them. */
function* jobsOf({ data, sets, seeds, labels }: QualityOptions): Generator<PlannedJob> {
  for (const name of sets) {
    const dataset = loadDataset(data, name)
    if (dataset.labelNames.length !== labelsOfJob) continue
    const lines = readEventLines(data, name)
    const set = { dataset, bodyOf: (line: number): unknown => lines[line]?.event }
    const kinds = [
      ['all points', [...dataset.points.keys()]],
      ['coarse', coarsePoints(dataset)],
    ] as const
    const runs = [...new Array(seeds).keys()].flatMap((seed) => labels.map((count) => ({ seed, labels: count })))
    for (const run of runs.filter((one) => dataset.protocol.pick('random', one.seed).length >= one.labels)) {
      const votes = castVotes(dataset, { ...run, analysts: 1 })
      for (const [what, places] of kinds) {
        const title = `${name} ${run.labels}, ${what}, seed ${run.seed}`
        const job = new VotedJob(dataset, places, votes)
        if (job.labelCounts().filter((events) => events > 0).length > 1) yield { title, set, job }
        else console.error(`${title}: all votes are for one label, so nothing can be trained`)
      }
    }
  }
}

/** Plays each set, seed and number of labels; null where no set can be played. */
export async function runOverHttp(options: QualityOptions): Promise<Compared[] | null> {
  const played: Compared[] = []
  const directory = temporaryDirectory()
  const service = await startService(directory, newKey())
  try {
    for (const { title, set, job } of jobsOf(options)) {
      console.error(title)
      played.push(await compare(service, title, set, job))
    }
  } finally {
    await service.stop()
    removeDirectory(directory)
  }
  return played.length === 0 ? null : played
}
