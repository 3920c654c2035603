/** The options of `npm run bench:rca`. */
import { parseArgs } from 'node:util'
import { blindPath } from './blind.js'

export interface RcaOptions {
  /** Folder of the labelled sets; null for synthetic alerts of microservices (topologies.ts). */
  readonly data: string | null
  /** Folder of rca-baselines.json, or null. */
  readonly baselines: string | null
  readonly sets: readonly string[] | null
  readonly labels: readonly number[]
  readonly seeds: number
  /** Draws of the bootstrap. */
  readonly draws: number
  /** Parameters of the processors that differ from the defaults. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly points: readonly string[]
  /** Field names say nothing; `points` are the words for the names. */
  readonly blind: boolean
  /** The first so many alarms of each set; null for all. */
  readonly alarms: number | null
  readonly json: string | null
}

export class BadOption extends Error {}

export const usage = `npm run bench:rca -- --data FOLDER [--baselines FOLDER]
npm run bench:rca -- --synthetic

  --data FOLDER        labelled sets, one folder each: events.jsonl.gz, one {event, label, meta: {cluster, parent}} a line
  --baselines FOLDER   rca-baselines.json
  --synthetic          made alerts of microservices that call each other, beside two simple methods
  --sets a,b           these sets alone; default all whose name begins with rca_, or all topologies
  --labels 0,100       these numbers of labels; default 0,100,300,1000,3000
  --seeds N            seeds of the labelled picks; default 3
  --draws N            draws of the bootstrap; default 200
  --parameters JSON    parameters of the processors, as a job's pipeline would have them; default none
  --points a,b         decision points; default none
  --alarms N           the first N alarms of each labelled set; the bar is mined precedence on them
  --blind              field names are replaced by words that say nothing
  --json FILE          every figure`

/** @throws BadOption. */
function read(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: text,
        baselines: text,
        sets: text,
        labels: text,
        seeds: text,
        draws: text,
        parameters: text,
        points: text,
        json: text,
        alarms: text,
        help: { type: 'boolean' },
        synthetic: { type: 'boolean' },
        blind: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new BadOption((error as Error).message)
  }
}

/** @throws BadOption. */
export function parseOptions(args: readonly string[]): RcaOptions | 'help' {
  const values = read(args)
  if (values.help === true) return 'help'
  if ((values.data === undefined) !== (values.synthetic === true))
    throw new BadOption('Either --data or --synthetic is needed.')
  const list = (value: string | undefined): string[] | null =>
    value === undefined ? null : value.split(',').map((word) => word.trim())
  const whole = (value: string | undefined, otherwise: number, name: string): number => {
    const number = value === undefined ? otherwise : Number(value)
    if (!Number.isInteger(number) || number < 0) throw new BadOption(`--${name} takes whole numbers from 0.`)
    return number
  }
  let parameters: unknown
  try {
    parameters = JSON.parse(values.parameters ?? '{}')
  } catch {
    throw new BadOption('--parameters takes a JSON object.')
  }
  return {
    data: values.data ?? null,
    baselines: values.baselines ?? null,
    sets: list(values.sets),
    labels: (list(values.labels) ?? ['0', '100', '300', '1000', '3000']).map((label) => whole(label, 0, 'labels')),
    seeds: Math.max(1, whole(values.seeds, 3, 'seeds')),
    draws: whole(values.draws, 200, 'draws'),
    parameters: parameters as Record<string, unknown>,
    points: (list(values.points) ?? []).map((path) => (values.blind === true ? blindPath(path) : path)),
    blind: values.blind === true,
    alarms: values.alarms === undefined ? null : Math.max(10, whole(values.alarms, 0, 'alarms')),
    json: values.json ?? null,
  }
}
