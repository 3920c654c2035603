/**
 * `decide ingest --label-field`: events with the answers that people gave, as votes, and the first model from them.
 *
 * Leaves out: which label a value is by itself (engine/domain/event/input/answers.ts).
 */
import { answerAt, labelOfAnswer } from '../../../engine/domain/event/input/answers.js'
import type { FileEvent } from '../../../engine/domain/event/input/event-file.js'
import { writeJson } from '../../../engine/domain/event/json.js'
import type { Client, HistoryPart, Job } from '../../client/index.js'
import type { Context } from '../context.js'
import { UsageError } from '../failure.js'
import { idOf, ownId, type EnvelopeOptions } from '../input/envelopes.js'
import type { InputPlace } from '../input/event-batches.js'
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

interface Waiting {
  readonly place: InputPlace
  readonly isVote: boolean
}

/** The events of the input that become votes. It holds those that wait for their answer, and no others. */
export class OldEvents {
  readonly #field: string
  readonly #labels: readonly string[]
  readonly #options: EnvelopeOptions
  /** By value: the label; '' for no answer. */
  readonly #known: Map<string, string>
  /** The events that wait for their answer, and the place of the first of them among all that were taken. */
  readonly #waiting: Waiting[] = []
  #from = 0

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

  /** The event as JSON, with its answer. @throws RefusedLine, UsageError. */
  take(given: FileEvent): string {
    const { number, line } = given
    const event = given.body()
    const feedback = this.#labelOf(answerAt(event, this.#field), line)
    const id = ownId(given) ?? idOf(event, number, this.#options)
    this.#waiting.push({ place: { number, line }, isVote: feedback !== '' })
    const label = feedback === '' ? {} : { label: { feedback } }
    return writeJson({ job_id: this.#options.jobId, event_id: id, raw_body: event, ...label })
  }

  #labelOf(value: string | null, line: number): string {
    if (value === null) return ''
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const place = labelOfAnswer(value, this.#labels)
    if (place === null)
      throw new UsageError(
        `line ${line} has "${value}" at ${this.#field}, which is no label of the job (${this.#labels.join(', ')}); ` +
          `say what it is with --map "${value}=${this.#labels[0]}", or with --map "${value}=" for no answer`,
      )
    const label = this.#labels[place] as string
    this.#known.set(value, label)
    return label
  }

  /** Where an event that waits stands in the input, by its place among all. */
  placeOf(place: number): InputPlace {
    return (this.#waiting[place - this.#from] as Waiting).place
  }

  /** The votes of a part that was answered. Its events wait no longer. */
  answered({ through, refused }: HistoryPart): number {
    const lost = new Set(refused.map(({ place }) => place))
    const from = this.#from
    this.#from = through
    return this.#waiting.splice(0, through - from).filter(({ isVote }, at) => isVote && !lost.has(from + at)).length
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
