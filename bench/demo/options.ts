/** The demo's options on the command line, and the sentences that refuse bad ones. */
import { parseArgs } from 'node:util'

/** `job`: from the first event to explained decisions. `weeks`: eight weeks with a safety contract. */
export type DemoPart = 'job' | 'weeks'

/** A generated stream, or a file. */
export type DemoOptions =
  | { readonly kind: 'help' }
  | {
      readonly kind: 'generated'
      readonly seed: number
      readonly events: number
      readonly votes: number
      /** Plays to a cluster, of which a node and a server are killed meanwhile. */
      readonly isCluster: boolean
      /** The service of the first part goes on, with its data, until it is interrupted. */
      readonly isKept: boolean
      readonly parts: readonly DemoPart[]
      /** The folder of labelled sets, for the weeks; null without. */
      readonly data: string | null
    }
  | {
      readonly kind: 'file'
      readonly file: string
      /** Dot path of the truth in a line. */
      readonly label: string
      /** Dot paths in the event. */
      readonly points: readonly string[]
      /** Dot path of the event in a line. If null: the object at `event` if there is one, else the line. */
      readonly event: string | null
      readonly seed: number
      readonly votes: number
      readonly isCluster: boolean
      readonly isKept: boolean
    }

/** An option that cannot be used. The message is for people. */
export class BadOption extends Error {}

export const usage = `npm run demo                                       a generated stream of security alerts
npm run demo -- --weeks                             only the eight weeks with a safety contract
npm run demo -- --job                               only the first part, without them
npm run demo -- --keep                              the service goes on with its data: look at it in the console
npm run demo -- --data FOLDER                       the eight weeks on public alerts, too: FOLDER/ait_alerts_a
npm run demo -- --file F --label PATH --points a,b  a JSON Lines file, gzip'd or not, in time order

  --label PATH    dot path of the truth in each line
  --points a,b,c  dot paths of the decision points in each event
  --data FOLDER   labelled sets; the environment may name it as DEMO_DATA
  --event PATH    dot path of the event in each line; without it, the object at "event", else the whole line
  --events N      how many alerts to generate (1,000 to 1,000,000; default 60,000)
  --seed N        another stream, another analyst (default 1)
  --cluster       three nodes and three NATS servers; one of each is killed meanwhile
  --votes N       votes of the analyst in each of two rounds (10 to 10,000; default 300)`

interface Whole {
  readonly low: number
  readonly high: number
  readonly otherwise: number
}

function integer(name: string, text: string | undefined, { low, high, otherwise }: Whole): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < low || value > high) {
    throw new BadOption(`--${name} takes a whole number from ${low} to ${high}, not "${text}".`)
  }
  return value
}

function dotPath(name: string, text: string): string {
  if (text === '' || text.split('.').some((part) => part === '')) {
    throw new BadOption(`--${name} takes dot paths such as rule.id, not "${text}".`)
  }
  return text
}

function read(args: readonly string[]): Record<string, string | boolean | undefined> {
  const text = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        cluster: { type: 'boolean' },
        file: text,
        label: text,
        points: text,
        event: text,
        events: text,
        seed: text,
        votes: text,
        data: text,
        weeks: { type: 'boolean' },
        job: { type: 'boolean' },
        keep: { type: 'boolean' },
      },
    })
    return values
  } catch (error) {
    throw new BadOption(`${(error as Error).message.split('. ')[0]}.`)
  }
}

/** @throws BadOption. */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv = {}): DemoOptions {
  const values = read(args) as { readonly [name: string]: string | undefined }
  if (values.help !== undefined) return { kind: 'help' }
  const seed = integer('seed', values.seed, { low: 0, high: 4_294_967_295, otherwise: 1 })
  const votes = integer('votes', values.votes, { low: 10, high: 10_000, otherwise: 300 })
  const { file, label, points, event } = values
  const isCluster = values.cluster !== undefined
  const isKept = values.keep !== undefined
  if (isKept && (isCluster || values.weeks !== undefined))
    throw new BadOption('--keep leaves the service of the first part running; leave out --cluster and --weeks.')
  if (file === undefined) {
    for (const name of ['label', 'points', 'event']) {
      if (values[name] !== undefined) throw new BadOption(`--${name} says how to read a file, so it needs --file.`)
    }
    const events = integer('events', values.events, { low: 1_000, high: 1_000_000, otherwise: 60_000 })
    const parts: DemoPart[] = values.weeks === undefined ? ['job'] : []
    if (values.job === undefined && !isCluster) parts.push('weeks')
    if (parts.length === 0) throw new BadOption('--weeks, --job and --cluster each leave parts out; give one of them.')
    return {
      kind: 'generated',
      seed,
      votes,
      events,
      parts,
      data: values.data ?? env.DEMO_DATA ?? null,
      isCluster,
      isKept,
    }
  }
  for (const name of ['data', 'weeks', 'job'])
    if (values[name] !== undefined) throw new BadOption(`--${name} is for the generated stream, not for a file.`)
  if (values.events !== undefined) {
    throw new BadOption('--events is for the generated stream; a file is played whole.')
  }
  if (label === undefined) throw new BadOption('--file needs --label, the dot path of the truth in each line.')
  if (points === undefined) throw new BadOption('--file needs --points, the dot paths to decide by, with commas.')
  return {
    kind: 'file',
    file,
    label: dotPath('label', label),
    points: points.split(',').map((point) => dotPath('points', point.trim())),
    event: event === undefined ? null : dotPath('event', event),
    seed,
    votes,
    isCluster,
    isKept,
  }
}
