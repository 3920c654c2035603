/**
 * `decide ingest --label-field`: events with the answers that people gave, as votes, and the first model from them.
 *
 * Leaves out: which label a value is by itself (engine/domain/event/input/answers.ts).
 */
import { answerAt, labelOfAnswer } from '../../../engine/domain/event/input/answers.js'
import { isJsonObject, parseJson } from '../../../engine/domain/event/json.js'
import type { Client, HistoryPart, Job, OldEvent } from '../../client/index.js'
import type { Context } from '../context.js'
import { UsageError } from '../failure.js'
import { csvEvents, type CsvEvent } from '../input/csv.js'
import { idOf, type EnvelopeOptions } from '../input/envelopes.js'
import { textsOf, type Block } from '../input/lines.js'
import { counted } from '../terminal/words.js'
import { untilTrained } from './train.js'

/** The flags of `decide ingest` that are about lines and answers. */
export interface LineFlags {
  readonly map?: readonly string[] | undefined
  readonly separator?: string | undefined
  readonly text?: boolean | undefined
  readonly skip: number
}

/** What `--map value=label` says: '' is no answer. */
function mapOf(pairs: readonly string[], labels: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=')
      if (at < 1) throw new UsageError(`--map ${pair}: write value=label, or value= for no answer`)
      const [value, label] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
      const place = label === '' ? null : labels.findIndex((name) => name.toLowerCase() === label.toLowerCase())
      if (place === -1) throw new UsageError(`--map ${pair}: the labels of the job are ${labels.join(', ')}`)
      return [value, place === null ? '' : (labels[place] as string)] as const
    }),
  )
}

/** The events of the input that become votes. */
export class OldEvents {
  readonly #field: string
  readonly #labels: readonly string[]
  readonly #options: EnvelopeOptions
  /** By value: the label; '' for no answer. */
  readonly #known: Map<string, string>
  /** By place among the events that were taken: the number of the line. */
  readonly numbers: number[] = []
  /** By place: the label; '' without an answer. */
  readonly answers: string[] = []

  constructor(
    field: string,
    flags: LineFlags,
    { job, options }: { readonly job: Job; readonly options: EnvelopeOptions },
  ) {
    this.#field = field
    this.#labels = job.labels
    this.#options = options
    this.#known = new Map(mapOf(flags.map ?? [], job.labels))
  }

  take(event: CsvEvent, number: number): OldEvent {
    const feedback = this.#labelOf(answerAt(event, this.#field), number)
    this.numbers.push(number)
    this.answers.push(feedback)
    const label = feedback === '' ? {} : { label: { feedback } }
    return { event_id: idOf(event, number, this.#options), raw_body: event, ...label }
  }

  #labelOf(value: string | null, number: number): string {
    if (value === null) return ''
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const place = labelOfAnswer(value, this.#labels)
    if (place === null)
      throw new UsageError(
        `line ${number} has "${value}" at ${this.#field}, which is no label of the job (${this.#labels.join(', ')}); ` +
          `say what it is with --map "${value}=${this.#labels[0]}", or with --map "${value}=" for no answer`,
      )
    const label = this.#labels[place] as string
    this.#known.set(value, label)
    return label
  }

  /** Votes among the events from one place to another. */
  countOf(from: number, { through, refused }: HistoryPart): number {
    const lost = new Set(refused.map(({ place }) => place))
    let votes = 0
    for (let place = from; place < through; place++) if (this.answers[place] !== '' && !lost.has(place)) votes++
    return votes
  }
}

/** The events of lines; what is no event is told to `refuse`. */
export async function* eventsIn(
  blocks: AsyncGenerator<Block>,
  isCsv: boolean,
  flags: LineFlags,
  refuse: (number: number) => void,
): AsyncGenerator<{ readonly event: CsvEvent; readonly number: number }, void, void> {
  let number = 0
  if (isCsv) {
    for await (const event of csvEvents(textsOf(blocks), { separator: flags.separator, isText: flags.text }))
      if (++number > flags.skip) yield { event, number }
    return
  }
  for await (const text of textsOf(blocks)) {
    number++
    if (number <= flags.skip || text.trim() === '') continue
    const event = objectOf(text)
    if (event === null) refuse(number)
    else yield { event, number }
  }
}

function objectOf(text: string): CsvEvent | null {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** Trains the first model from the votes, and says what came of it. A job that has a model keeps it. */
export async function trainFirst(context: Context, client: Client, jobId: number, votes: number): Promise<void> {
  const job = await client.getManagedJob({ job_id: jobId })
  if (votes === 0 || job.last_train_finished_timestamp !== null) return
  const voted = Object.entries(job.evidence.voted_events).filter(([, events]) => events > 0)
  if (voted.length < 2) {
    const what = voted.map(([label]) => label).join()
    return context.note(`All votes are ${what}. A model needs votes of two labels, so none is trained yet.`)
  }
  context.note(`${counted(votes, 'vote')}. The first model is being trained.`)
  await client.trainManagedJob({ job_id: jobId })
  const { retrain_state, retrain_msg } = await untilTrained(context, client, jobId)
  context.note(
    retrain_state === 'RETRAIN_FAILED' ? retrain_msg : 'The first model is there. It decides the stored events.',
  )
}
