/**
 * `npm run bench:gates`: how often the evidence opens a gate wrongly, after how many audits it opens rightly, and how
 * soon it closes one whose rate jumps, on streams whose true rate is known.
 *
 * Beside it: Clopper and Pearson's bound, once at a fixed number of audits and looked at after each audit, and the
 * betting confidence sequence with predictable plug-in bets, which chooses its bets from the audits before; and with
 * --confseq that of the package confseq, with --mapie the controller of the package MAPIE.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { auditsNeeded, logAlarm, logCapital, type AuditCounts } from '../../engine/domain/autonomy/evidence.js'
import { epochWeeks } from '../../engine/domain/autonomy/gate.js'
import { SeededRandom } from '../../engine/rng.js'
import { source } from '../harness/paths.js'
import { pythonEnvironment, runShown } from '../harness/python.js'
import { textTable } from '../quality/text-table.js'
import {
  clopperPearson,
  closingAfter,
  firstOpening,
  mean,
  median,
  opensWithLateFailures,
  plugInBets,
  type Rule,
} from './streams.js'

const usage = `npm run bench:gates -- [--streams N] [--confseq] [--mapie]

  --streams N   streams for each figure, 100 to 100000 (2000)
  --confseq     beside the package confseq of Python, which is installed for it
  --mapie       beside the package MAPIE of Python, which is installed for it`

const DELTA = 0.05
const epsilons = [0.01, 0.005, 0.001]

const capital =
  (epsilon: number, level: number): Rule =>
  (counts) =>
    logCapital(epsilon, counts) >= -Math.log(level)

/** The last audit that a stream at the rate ε is followed to: three times what a clean stream needs. */
function horizon(epsilon: number): number {
  return 3 * auditsNeeded(epsilon, DELTA, 0)
}

function falseOpenings(streams: number): string {
  const rows = epsilons.map((epsilon) => {
    const most = horizon(epsilon)
    const share = (rule: Rule, count: number): string => {
      const random = new SeededRandom(1)
      let opened = 0
      for (let at = 0; at < count; at++) if (firstOpening(rule, random, epsilon, most) !== null) opened++
      return `${((100 * opened) / count).toFixed(1)} %`
    }
    const fixed = (): string => {
      const random = new SeededRandom(1)
      let opened = 0
      for (let at = 0; at < streams; at++) {
        let failures = 0
        for (let audit = 0; audit < most; audit++) if (random.nextFloat() < epsilon) failures++
        if (clopperPearson(DELTA, { clean: most - failures, failures }) < epsilon) opened++
      }
      return `${((100 * opened) / streams).toFixed(1)} %`
    }
    const peeking: Rule = (counts: AuditCounts) => clopperPearson(DELTA, counts) < epsilon
    return [
      `${epsilon * 100} %`,
      String(most),
      share(capital(epsilon, DELTA), streams),
      share(capital(epsilon, DELTA / epochWeeks), streams),
      fixed(),
      share(peeking, Math.min(streams, 200)),
    ]
  })
  return textTable(
    ['ε, true rate = ε', 'audits', 'capital', 'δ/4', 'Clopper-Pearson, one look', 'the same, each audit'],
    rows,
  )
}

/** People who answer what is easy at once, and what fails only at the deadline. */
function lateFailures(streams: number): string {
  const rows = [0.01, 0.005].flatMap((epsilon) =>
    [0.1, 0.5, 1].map((part) => {
      const most = horizon(epsilon)
      const delay = Math.round(part * auditsNeeded(epsilon, DELTA / epochWeeks, 0))
      const share = (inOrder: boolean): string => {
        const random = new SeededRandom(5)
        const rule = capital(epsilon, DELTA / epochWeeks)
        let opened = 0
        for (let at = 0; at < streams; at++)
          if (opensWithLateFailures(rule, random, { rate: epsilon, most }, { delay, inOrder })) opened++
        return `${((100 * opened) / streams).toFixed(1)} %`
      }
      return [`${epsilon * 100} %`, String(delay), share(false), share(true)]
    }),
  )
  return textTable(['ε, true rate = ε', 'audits until a failure is answered', 'as answers come', 'in order'], rows)
}

function power(streams: number): string {
  const rows = epsilons.flatMap((epsilon) =>
    [0, 0.1, 0.2, 0.5].map((share) => {
      const random = new SeededRandom(2)
      const times = (level: number): number[] =>
        Array.from({ length: share === 0 ? 1 : streams }, () => {
          const opened = firstOpening(capital(epsilon, level), random, share * epsilon, 200 * Math.ceil(1 / epsilon))
          return opened ?? Infinity
        })
      const single = times(DELTA)
      const epoch = times(DELTA / epochWeeks)
      const plugIn = Array.from({ length: share === 0 ? 1 : streams }, () => {
        const bets = plugInBets(epsilon, DELTA)
        return (
          firstOpening((_, failed) => bets(failed), random, share * epsilon, 200 * Math.ceil(1 / epsilon)) ?? Infinity
        )
      })
      const forecast = auditsNeeded(epsilon, DELTA, share * epsilon)
      const whole = (value: number): string => (value === Infinity ? 'over the end' : value.toFixed(0))
      return [
        `${epsilon * 100} %, ${share} ε`,
        whole(mean(single)),
        whole(median(single)),
        whole(forecast),
        whole(mean(epoch)),
        whole(median(plugIn)),
        String(share === 0 ? Math.ceil(Math.log(DELTA) / Math.log1p(-epsilon)) : '–'),
      ]
    }),
  )
  return textTable(
    ['ε, true rate', 'mean audits', 'median', 'forecast', 'mean at δ/4', 'plug-in bets, median', 'Clopper-Pearson'],
    rows,
  )
}

function closing(streams: number): string {
  const rows = epsilons.map((epsilon) => {
    const opened = auditsNeeded(epsilon, DELTA / epochWeeks, 0)
    const closes = (multiple: number): string => {
      const random = new SeededRandom(3)
      const rule = capital(epsilon, DELTA / epochWeeks)
      const times = Array.from({ length: streams }, () => closingAfter(rule, random, multiple * epsilon, opened))
      return median(times).toFixed(0)
    }
    const alarms = (multiple: number): string => {
      const random = new SeededRandom(4)
      const rule: Rule = (counts) => logAlarm(epsilon, counts) < Math.log(epochWeeks / 0.01)
      const times = Array.from({ length: Math.min(streams, 400) }, () =>
        closingAfter(rule, random, multiple * epsilon, 0),
      )
      return median(times).toFixed(0)
    }
    return [`${epsilon * 100} %`, String(opened), closes(2), closes(5), alarms(5), alarms(8)]
  })
  return textTable(
    ['ε', 'clean audits before', 'closes at 2 ε', 'closes at 5 ε', 'revoked at 5 ε', 'revoked at 8 ε'],
    rows,
  )
}

/** What a package of Python makes of such streams. Returns the exit code. */
function beside(name: 'confseq' | 'mapie', title: string, streams: number): number {
  const commands = pythonEnvironment(source(`.build/${name}`), source(`bench/autonomy/${name}.txt`))
  console.log(`${title}\n`)
  const code = runShown(join(commands, 'python'), [source(`bench/autonomy/${name}_streams.py`), String(streams)], '.')
  console.log('')
  return code
}

function main(): void {
  const { values } = parseArgs({
    options: {
      streams: { type: 'string', default: '2000' },
      confseq: { type: 'boolean', default: false },
      mapie: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const streams = Number(values.streams)
  if (values.help || !Number.isInteger(streams) || streams < 100 || streams > 100_000) {
    console.log(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  console.log(`δ = ${DELTA * 100} %, ${streams} streams\n`)
  if (values.confseq)
    process.exitCode = beside('confseq', 'Gates that open, and the audits until then, of all streams', streams)
  if (values.mapie)
    process.exitCode = beside('mapie', 'Gates that MAPIE opens, of all streams', streams) || process.exitCode
  console.log(`Gates opened although the rate is ε, of 100 (bar: ${DELTA * 100} %)\n\n${falseOpenings(streams)}\n`)
  console.log(`The same at δ/4, where people answer failures last\n\n${lateFailures(streams)}\n`)
  console.log(`Audits until a gate opens\n\n${power(streams)}\n`)
  console.log(
    `Median audits until a gate closes after its rate jumped, and until a new one is revoked\n\n${closing(streams)}`,
  )
}

main()
