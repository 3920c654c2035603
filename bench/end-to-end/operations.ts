/**
 * The cost of running the service: watchdogs and samples, an idle service, a backup of a million events during ingest,
 * restoring it, and verifying the restored directory.
 *
 * Processor time is the kernel's (utime and stime of the process), so other programs change it little. Watchdogs are
 * enabled and disabled in turn, in one service. Samples are always taken; their cost is in the rows of the idle
 * service.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../harness/child.js'
import { processorSeconds } from '../harness/machine.js'
import { built } from '../harness/paths.js'
import { median, type RunSize, type Row, type Step } from '../harness/result.js'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { linesFile, storedEvents, withSubject, type Subject } from '../harness/trained.js'
import { driveBulk, type BulkDrive } from '../load/drive.js'
import { bulkConnections } from './bulk.js'

const pool = 40_000
const watchdogCount = 200
const watchdogTypes = [
  'no_data',
  'undecided_events',
  'job_in_error',
  'queue_length',
  'disk',
  'memory',
  'confidence_drift',
  'outlier_rate',
  'feedback_lag',
  'disagreement',
]
const ofTheService: readonly string[] = ['queue_length', 'disk', 'memory']
/** Watchdogs are evaluated every ten seconds: a round has one evaluation, or two. */
const watchedSeconds = 12
const pairsARound = 4
const watchdogs = '/api/monitoring/api/v1/watchdogs'
const idleSeconds = 30

function loadOf(subject: Subject, seconds: number): BulkDrive {
  const { file } = linesFile(subject, pool)
  return {
    port: subject.service.port,
    file,
    headers: subject.headers,
    connections: bulkConnections,
    seconds,
    events: 0,
    rate: 0,
  }
}

async function idle(subject: Subject): Promise<number> {
  const before = processorSeconds(subject.service.pid)
  await sleep(idleSeconds * 1000)
  return (processorSeconds(subject.service.pid) - before) / idleSeconds
}

/** Microseconds of processor time an event. */
async function costOf(subject: Subject): Promise<number> {
  const before = processorSeconds(subject.service.pid)
  const { events } = await driveBulk(loadOf(subject, watchedSeconds))
  return ((processorSeconds(subject.service.pid) - before) / events) * 1e6
}

/** Makes the watchdogs; returns their ids. */
async function watch(subject: Subject): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < watchdogCount; i++) {
    const type = watchdogTypes[i % watchdogTypes.length] as string
    const { watchdog_id: id } = (await subject.service.client.ask('POST', watchdogs, {
      title: `watchdog ${i}`,
      type,
      ...(ofTheService.includes(type) ? {} : { job_id: subject.jobId }),
      for_seconds: 0,
    })) as { watchdog_id: string }
    ids.push(id)
  }
  return ids
}

async function watched(subject: Subject, size: RunSize): Promise<Row[]> {
  const ids = await watch(subject)
  const look = async (enabled: boolean): Promise<void> => {
    for (const id of ids) await subject.service.client.ask('POST', `${watchdogs}/enable`, { watchdog_id: id, enabled })
  }
  const ratios: number[] = []
  const costs: { without: number; beside: number }[] = []
  await driveBulk(loadOf(subject, 2))
  size.log(`${watchdogCount} watchdogs, on and off: rounds of ${watchedSeconds} s`)
  for (let pair = 0; pair < size.rounds * pairsARound; pair++) {
    const cost = { without: 0, beside: 0 }
    for (const enabled of pair % 2 === 0 ? [false, true] : [true, false]) {
      await look(enabled)
      cost[enabled ? 'beside' : 'without'] = await costOf(subject)
    }
    costs.push(cost)
    ratios.push(cost.without / cost.beside)
  }
  await look(false)
  const still = await idle(subject)
  await look(true)
  const watching = await idle(subject)
  const [without, beside] = [median(costs.map((cost) => cost.without)), median(costs.map((cost) => cost.beside))]
  const ratio = median(ratios)
  return [
    {
      what: `ingest with ${watchdogCount} watchdogs, by processor time`,
      ours: 1e6 / beside,
      unit: 'events/s of a core',
      against: { name: 'without them', value: 1e6 / without },
      ratio,
      bar: 'at least 0.98 of it',
      met: ratio >= 0.98,
      note: `ratios of ${ratios.length} pairs of rounds: ${ratios.map((each) => each.toFixed(3)).join(' ')}`,
    },
    {
      what: `what ${watchdogCount} watchdogs and samples take by themselves`,
      ours: watching * 100,
      unit: '% of a core',
      bar: 'under 2 %',
      met: watching < 0.02,
      note: 'of a service without any load, which is the most that ingest could lose to them',
    },
    {
      what: 'an idle service',
      ours: still * 100,
      unit: '% of a core',
      bar: 'under 1 %',
      met: still < 0.01,
      note: 'samples included',
    },
  ]
}

/**
 * Makes one backup after the other until told to stop. Returns the last complete one, and how many events were
 * acknowledged before it began.
 */
function backups(subject: Subject, into: string) {
  let over = false
  const made: { directory: string; storedBefore: number; seconds: number }[] = []
  const going = (async () => {
    while (!over) {
      const storedBefore = await storedEvents(subject)
      const directory = join(into, String(made.length))
      const startedAt = performance.now()
      const { code, err } = await run(process.execPath, [
        built('server/backup.js'),
        directory,
        '--data-dir',
        subject.service.directory,
      ])
      if (code !== 0) throw new Error(`the backup ended with ${code}: ${err}`)
      if (made.length > 0) removeDirectory((made.at(-1) as { directory: string }).directory)
      made.push({ directory, storedBefore, seconds: (performance.now() - startedAt) / 1000 })
    }
  })()
  return {
    async stop() {
      over = true
      await going
      return made
    },
  }
}

/** `busy` is processor time, which bash reports of what it ran. */
async function timed(
  program: string,
  args: readonly string[],
): Promise<{ seconds: number; busy: number; out: string }> {
  const startedAt = performance.now()
  const { code, out, err } = await run('bash', [
    '-c',
    'TIMEFORMAT="busy %U %S"; time "$@"',
    'bash',
    process.execPath,
    built(program),
    ...args,
  ])
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${out}${err}`)
  const [, user, system] = /busy ([\d.]+) ([\d.]+)/.exec(err) ?? []
  return { seconds: (performance.now() - startedAt) / 1000, busy: Number(user) + Number(system), out }
}

async function backedUp(subject: Subject, size: RunSize): Promise<Row[]> {
  const stored = `${size.million / 1e6} M events`
  size.log(`storing ${stored}`)
  await driveBulk({ ...loadOf(subject, 0), events: size.million })
  const into = temporaryDirectory()
  const load = loadOf(subject, size.seconds * 2)
  const rates: { alone: number[]; beside: number[] } = { alone: [], beside: [] }
  let last = { directory: '', storedBefore: 0, seconds: 0 }
  for (let round = 0; round < size.rounds; round++) {
    const alone = await driveBulk(load)
    const backup = backups(subject, join(into, `round-${round}`))
    const beside = await driveBulk(load)
    last = (await backup.stop()).at(-1) as typeof last
    rates.alone.push(alone.events / alone.seconds)
    rates.beside.push(beside.events / beside.seconds)
  }
  const ratio = median(rates.beside) / median(rates.alone)
  const restored = join(into, 'restored')
  const restoring = await timed('server/restore.js', [last.directory, restored])
  const verifying = await timed('server/verify.js', [restored])
  const kept = Number(/(\d+) events/.exec(verifying.out)?.[1])
  if (!(kept >= last.storedBefore))
    throw new Error(`${last.storedBefore} events were acknowledged before the backup; it has ${kept}`)
  const bytes =
    readFileSync(join(last.directory, 'backup.json'), 'utf8')
      .match(/"bytes": \d+/g)
      ?.reduce((sum, text) => sum + Number(text.slice(9)), 0) ?? 0
  const seconds = restoring.seconds + verifying.seconds
  removeDirectory(into)
  return [
    {
      what: `ingest while backups of ${stored} are made`,
      ours: median(rates.beside),
      unit: 'events/s',
      against: { name: 'the same load without', value: median(rates.alone) },
      ratio,
      bar: 'at least 0.8 of it',
      met: ratio >= 0.8,
      note: `one after the other; the last took ${last.seconds.toFixed(1)} s, has ${kept} events of at least ${last.storedBefore}, ${(bytes / 2 ** 20).toFixed(0)} MiB`,
    },
    {
      what: `restore and verify of ${kept} events`,
      ours: seconds,
      unit: 's',
      bar: 'under 30 s a million events',
      met: (seconds / kept) * 1e6 < 30,
      note:
        `restore ${restoring.seconds.toFixed(1)} s, verify ${verifying.seconds.toFixed(1)} s; ${((seconds / kept) * 1e6).toFixed(1)} s a million, ` +
        `of processor time ${(((restoring.busy + verifying.busy) / kept) * 1e6).toFixed(1)} s`,
    },
  ]
}

async function runAll(size: RunSize): Promise<Row[]> {
  return [
    ...(await withSubject((subject) => watched(subject, size))),
    ...(await withSubject((subject) => backedUp(subject, size))),
  ]
}

export const operations: Step = { name: 'operations', run: runAll }
