/**
 * `decide ingest`: events of a file or of standard input, as a stream with back-pressure.
 *
 * A command that ends early says how to go on: the same run and the lines that were answered. Events of a run have the
 * same ids when they are sent again, so nothing is stored twice.
 */
import { randomBytes } from 'node:crypto'
import { EventFile, FileError, type FileItem, type FileWarning } from '../../../engine/domain/event/input/event-file.js'
import type { Client, HistoryPart, ResultLine } from '../../client/index.js'
import { sendBatches } from '../../client/bulk.js'
import { bytesFetch } from '../bytes-fetch.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { CommandError, isSystemError, sentenceOf, UsageError } from '../failure.js'
import { envelopeOf, RefusedLine, type EnvelopeOptions } from '../input/envelopes.js'
import { batchesOf, type Batcher, type InputPlace } from '../input/event-batches.js'
import { type Items, knownIdField, runOf, withHead } from '../input/known-ids.js'
import { openSource, type InputSource } from '../input/source.js'
import { type LineFlags, OldEvents, trainFirst } from './history.js'
import { Progress } from '../terminal/progress.js'
import { counted } from '../terminal/words.js'

export type Format = 'auto' | 'ndjson' | 'csv'

export interface IngestFlags extends ServiceFlags, LineFlags {
  readonly job?: string | undefined
  readonly format: Format
  readonly idField?: string | undefined
  readonly labelField?: string | undefined
  readonly run?: string | undefined
  readonly results?: boolean | undefined
}

/** Refusals that are told one by one. */
const REFUSALS_TOLD = 10
const BATCHES_AT_ONCE = 3
/** Warnings of a job have the service's times. */
const CLOCKS_DIFFER_MS = 60_000

/** A warning of the file or of the job. */
type ToldWarning = Omit<FileWarning, 'type'> & { readonly type: string }

/** What came of the events. */
class Tally {
  readonly labels = new Map<string, number>()
  /** New events, new versions of stored ones, and what was there already. */
  readonly stored = { new: 0, replaced: 0, same: 0 }
  refused = 0
  votes = 0
  /** The last event of the input that was answered. */
  through = 0
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  get answered(): number {
    return this.stored.new + this.stored.replaced + this.stored.same
  }

  refuse({ line }: InputPlace, why: string): void {
    this.refused++
    if (this.refused <= REFUSALS_TOLD) this.#context.note(`line ${line}: ${why}`)
    if (this.refused === REFUSALS_TOLD + 1) this.#context.note('Further refusals are only counted.')
  }

  /** Historic events, which are not decided yet. */
  addOld(part: HistoryPart, old: OldEvents): void {
    const { through, stored, refused } = part
    for (const { place, error } of refused) this.refuse(old.placeOf(place), error)
    this.through = old.placeOf(through - 1).number
    this.stored.new += stored
    this.votes += old.answered(part)
    this.labels.set('no decision', (this.labels.get('no decision') ?? 0) + stored)
  }

  add(place: InputPlace, result: ResultLine): void {
    this.through = place.number
    if ('status_code' in result) return this.refuse(place, result.error)
    this.stored[result.stored ?? 'new']++
    const label = result.result_label === '' ? 'no decision' : result.result_label
    this.labels.set(label, (this.labels.get(label) ?? 0) + 1)
  }
}

/** The events of the input. One that breaks off ends: what was read is sent, and `failed` is told why. */
async function* itemsOf(
  pieces: AsyncIterable<Uint8Array>,
  file: EventFile,
  failed: (error: Error) => void,
): AsyncGenerator<readonly FileItem[], void, void> {
  try {
    for await (const piece of pieces) yield file.push(piece, false)
    yield file.push(new Uint8Array(0), true)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FileError || isSystemError(error))) throw error
    failed(error)
  }
}

/** Puts events into batches. */
function putItems({ skip }: IngestFlags, options: EnvelopeOptions, tally: Tally) {
  return (items: readonly FileItem[], batcher: Batcher): void => {
    for (const item of items) {
      if (item.number <= skip) continue
      const envelope = attempt(item, tally, () => (item.problem === null ? envelopeOf(item, options) : null))
      if (typeof envelope === 'string') batcher.addText(item, envelope)
      else if (envelope !== null) batcher.add(item, envelope)
    }
  }
}

const number = (value: number): string => value.toLocaleString('en')

function summaryText(tally: Tally, seconds: number): string {
  const { new: fresh, replaced, same } = tally.stored
  const rate = seconds > 0 ? Math.round(tally.answered / seconds) : 0
  const others = [
    replaced === 0 ? '' : `, ${number(replaced)} took the place of an earlier version`,
    same === 0 ? '' : `, ${number(same)} ${same === 1 ? 'was' : 'were'} there already`,
    tally.refused === 0 ? '' : `, ${number(tally.refused)} refused`,
  ]
  const labels = [...tally.labels].sort((a, b) => b[1] - a[1]).map(([label, events]) => `${label} ${number(events)}`)
  const decided = labels.length === 0 ? '' : `\nDecisions: ${labels.join(', ')}`
  return `${counted(fresh, 'event')} stored${others.join('')}, ${seconds.toFixed(1)} s, ${number(rate)}/s${decided}`
}

function checkFlags({ run, separator, idField, labelField, map, job, results }: IngestFlags): void {
  if (run !== undefined && !/^[\w.-]{1,64}$/.test(run))
    throw new UsageError('--run must have at most 64 letters, digits, dots, - and _')
  if (separator !== undefined && separator.length !== 1) throw new UsageError('--separator must be one character')
  if (idField === '') throw new UsageError('--id-field must not be empty')
  if (labelField === '') throw new UsageError('--label-field must not be empty')
  if (labelField === undefined && map !== undefined) throw new UsageError('--map is for --label-field')
  if (labelField === undefined) return
  if (job === undefined) throw new UsageError('answers belong to a job; name one with --job')
  if (results === true) throw new UsageError('events with answers have no results; leave out --results')
}

/** What is sent, and where it is counted. */
interface Sending {
  readonly flags: IngestFlags
  readonly client: Client
  readonly items: Items
  readonly options: EnvelopeOptions
  readonly tally: Tally
  readonly shown: () => void
}

async function sendEvents(context: Context, { flags, items, options, tally, shown }: Sending): Promise<void> {
  const batches = batchesOf(items, putItems(flags, options, tally))
  const transport = context.transport(flags, bytesFetch(BATCHES_AT_ONCE))
  const how = { signal: context.world.signal, batchesAtOnce: BATCHES_AT_ONCE }
  for await (const { batch, results } of sendBatches(transport, batches, how)) {
    for (const [at, result] of results.entries()) {
      tally.add(batch.places[at]!, result)
      if (flags.results) context.line(result)
    }
    shown()
  }
}

/** Sends events with the answers in a field. */
async function sendOld(context: Context, send: Sending, labelField: string): Promise<void> {
  const { flags, client, options, tally, shown } = send
  const jobId = options.jobId as number
  const job = await client.getManagedJob({ job_id: jobId })
  const old = new OldEvents(labelField, flags, { job, options })
  async function* events() {
    for await (const items of send.items)
      for (const item of items) {
        if (item.number <= flags.skip) continue
        const text = attempt(item, tally, () => (item.problem === null ? old.take(item) : null))
        if (typeof text === 'string') yield text
      }
  }
  const how = { signal: context.world.signal, upload: options.run }
  for await (const part of client.events.history(jobId, events(), how)) {
    tally.addOld(part, old)
    shown()
  }
}

/** What `work` makes of an item; null if it is none, or is refused: that is counted. */
function attempt<T>(item: FileItem, tally: Tally, work: () => T): T | null {
  try {
    if (item.problem === null) return work()
    tally.refuse(item, `${item.problem}: ${item.example}`)
  } catch (error) {
    if (!(error instanceof RefusedLine)) throw error
    tally.refuse(item, error.message)
  }
  return null
}

/** Starts to read the input. */
interface Input {
  readonly source: InputSource
  readonly reader: EventFile
  readonly items: Items
  /** Why the input broke off, or null. */
  readonly broken: () => Error | null
}

async function inputOf(context: Context, flags: IngestFlags, file: string | undefined): Promise<Input> {
  const { stdin } = context.world
  if ((file ?? '-') === '-' && stdin.isTTY === true)
    throw new UsageError('there is no input: name a file, or send events to standard input')
  const source = await openSource(file, stdin)
  const { format, separator, text: isText, job } = flags
  const reader = new EventFile({ format, name: file, separator, isText, areLines: job === undefined })
  let broken: Error | null = null
  const items = itemsOf(source.bytes, reader, (error) => (broken = error))
  return { source, reader, items, broken: () => broken }
}

export async function ingest(context: Context, flags: IngestFlags, file?: string): Promise<void> {
  checkFlags(flags)
  const client = context.client(flags)
  const { source, reader, items: given, broken } = await inputOf(context, flags, file)
  const jobId = flags.job === undefined ? undefined : await jobIdOf(client, flags.job)
  const run = flags.run ?? (await runOf(file)) ?? `run-${randomBytes(6).toString('hex')}`
  const { head, items } = await withHead(given)
  const mayLook = flags.run === undefined && flags.idField === undefined && jobId !== undefined
  const found = mayLook ? knownIdField(head, run.startsWith('file-')) : undefined
  if (found !== undefined) context.note(`The id of an event is its ${found}. With --run NAME ids are made.`)
  const tally = new Tally(context)
  const progress = new Progress(context.world.stderr, 'events')
  const [startedAt, began] = [performance.now(), Date.now()]
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const shown = (): void => progress.show({ done: tally.answered, share: source.share() })
  const options = { jobId, idField: flags.idField ?? found, isFound: found !== undefined, run }
  const send = { flags, client, items, options, tally, shown }
  try {
    await (flags.labelField === undefined ? sendEvents(context, send) : sendOld(context, send, flags.labelField))
    const error = broken()
    if (error !== null) throw error
  } catch (error) {
    progress.clear()
    const skip = Math.max(tally.through, flags.skip)
    const ids = found === undefined ? '' : `--id-field ${found} `
    context.note(`${summaryText(tally, seconds())}\nTo go on: ${ids}--run ${run} --skip ${skip}`)
    // Wrong usage means that nothing was sent.
    if (error !== broken() || (error instanceof CommandError && tally.answered === 0)) throw error
    const rest = 'What was read before is sent, and the rest is not'
    throw new CommandError(`the input could not be read to its end: ${sentenceOf(error)} ${rest}`)
  }
  progress.clear()
  if (jobId !== undefined) await trainFirst(context, client, jobId, tally.votes)
  const own = reader.warnings()
  if (jobId !== undefined && tally.answered > tally.stored.same) await keepWarnings(context, client, jobId, own)
  const ofJob = jobId === undefined ? [] : await jobWarnings(client, jobId, began)
  const warnings = [...own, ...ofJob.filter(({ type }) => own.every((one) => one.type !== type))]
  report(context, flags, { tally, run, warnings, seconds: seconds() })
}

/** Tells the job what its file had. The same file again, which stores nothing, is not told again. */
async function keepWarnings(
  context: Context,
  client: Client,
  jobId: number,
  found: readonly FileWarning[],
): Promise<void> {
  if (found.length === 0) return
  const warnings = found.map(({ type, count, example }) => ({ type, count, example }))
  try {
    await client.postFileWarnings({ job_id: jobId, body: { warnings } })
  } catch (error) {
    context.note(`The job does not have the warnings of the file: ${sentenceOf(error)}`)
  }
}

/** The warnings of a job about its events that were seen since. What was sent is stored, whatever comes of asking. */
async function jobWarnings(client: Client, jobId: number, sinceMs: number): Promise<ToldWarning[]> {
  try {
    const { warnings = [] } = await client.getJob({ job_id: jobId })
    return warnings.flatMap(({ type, msg, action, count, example, last_seen: seen }) =>
      count !== undefined && seen !== undefined && Date.parse(seen) >= sinceMs - CLOCKS_DIFFER_MS
        ? [{ type, msg, action, count, example: example ?? '' }]
        : [],
    )
  } catch {
    return []
  }
}

interface Outcome {
  readonly tally: Tally
  readonly run: string
  readonly warnings: readonly ToldWarning[]
  readonly seconds: number
}

function report(context: Context, flags: IngestFlags, { tally, run, warnings, seconds }: Outcome): void {
  const { stored, refused, labels, votes } = tally
  const summary = {
    stored: stored.new,
    replaced: stored.replaced,
    same: stored.same,
    refused,
    run,
    ...(flags.labelField === undefined ? {} : { votes }),
    seconds: Math.round(seconds * 1000) / 1000,
    decisions: Object.fromEntries(labels),
    warnings,
  }
  for (const { msg, action, example } of warnings)
    context.note(`Warning: ${msg} ${action}${example === '' ? '' : ` The first: ${example}`}`)
  // With --results the results are the output.
  if (flags.results) context.note(summaryText(tally, seconds))
  else context.print(flags, summary, () => summaryText(tally, seconds))
  if (refused > 0) throw new CommandError(`${counted(refused, 'line')} refused`)
  if (tally.answered === 0 && flags.skip === 0)
    throw new CommandError('there is no event in the input, and nothing was stored')
}
