/**
 * `decide ingest`: events of a file or of standard input, as a stream with back-pressure.
 *
 * A command that ends early says how to go on: the same run and the lines that were answered. Events of a run have the
 * same ids when they are sent again, so nothing is stored twice.
 */
import { randomBytes } from 'node:crypto'
import type { Client, HistoryPart, ResultLine } from '../../client/index.js'
import { sendBatches } from '../../client/bulk.js'
import { bytesFetch } from '../bytes-fetch.js'
import { jobIdOf, type Context, type ServiceFlags } from '../context.js'
import { CommandError, exitCodes, UsageError } from '../failure.js'
import { csvEvents } from '../input/csv.js'
import { envelopeFor, envelopeOf, type EnvelopeOptions } from '../input/envelopes.js'
import { batchesOf, type Batcher, type EventBatch } from '../input/event-batches.js'
import { blocksOf, lineEnd, textsIn, textsOf, type Block } from '../input/lines.js'
import { afterBlanks, beforeBlanks } from '../input/one-object.js'
import { openSource } from '../input/source.js'
import { eventsIn, type LineFlags, OldEvents, trainFirst } from './history.js'
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

/** What came of the lines. */
class Tally {
  readonly labels = new Map<string, number>()
  stored = 0
  refused = 0
  votes = 0
  /** The last line of the input that was answered. */
  through = 0
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  refuse(number: number, why: string): void {
    this.refused++
    if (this.refused <= REFUSALS_TOLD) this.#context.note(`line ${number}: ${why}`)
    if (this.refused === REFUSALS_TOLD + 1) this.#context.note('Further refusals are only counted.')
  }

  /** Historic events, which are not decided yet. */
  addOld({ through, stored, refused }: HistoryPart, old: OldEvents, from: number): void {
    for (const { place, error } of refused) this.refuse(old.numbers[place]!, error)
    this.through = old.numbers[through - 1]!
    this.stored += stored
    const votes = old.countOf(from, { through, stored, refused })
    this.votes += votes
    this.labels.set('no decision', (this.labels.get('no decision') ?? 0) + stored)
  }

  add(number: number, result: ResultLine): void {
    this.through = number
    if ('status_code' in result) return this.refuse(number, result.error)
    this.stored++
    const label = result.result_label === '' ? 'no decision' : result.result_label
    this.labels.set(label, (this.labels.get(label) ?? 0) + 1)
  }
}

function formatOf(flags: IngestFlags, file: string | undefined, firstLine: string): 'ndjson' | 'csv' {
  if (flags.format !== 'auto') return flags.format
  if (/\.[ct]sv(\.gz)?$/i.test(file ?? '') || flags.separator !== undefined) return 'csv'
  if (/\.(ndjson|jsonl)(\.gz)?$/i.test(file ?? '')) return 'ndjson'
  if (firstLine.startsWith('['))
    throw new UsageError('the input is a JSON array; give one event a line, for example with: jq -c ".[]"')
  return firstLine.startsWith('{') ? 'ndjson' : 'csv'
}

/** The blocks again, and the first line that is not blank. */
async function withFirst(blocks: AsyncGenerator<Block>): Promise<[string, AsyncGenerator<Block>]> {
  const before: Block[] = []
  let first: string | undefined
  while (first === undefined) {
    const next = await blocks.next()
    if (next.done === true) break
    before.push(next.value)
    first = textsIn(next.value)
      .map((text) => text.trim())
      .find((text) => text !== '')
  }
  return [
    first ?? '',
    (async function* () {
      yield* before
      yield* blocks
    })(),
  ]
}

interface How {
  readonly options: EnvelopeOptions
  readonly tally: Tally
}

/** Puts the lines of blocks of NDJSON into batches. */
function ndjsonLines({ skip }: IngestFlags, { options, tally }: How): (block: Block, batcher: Batcher) => void {
  let number = 0
  return (block, batcher) => {
    for (let from = 0, to = 0; from <= block.length; from = to + 1) {
      to = lineEnd(block, from)
      number++
      const start = afterBlanks(block, from, to)
      const end = beforeBlanks(block, start, to)
      if (number <= skip || start === end) continue
      const envelope = envelopeOf(block, [start, end], number, options)
      if (envelope === null) tally.refuse(number, 'is not a JSON object')
      else if (typeof envelope === 'string') batcher.addText(number, envelope)
      else batcher.add(number, block, envelope)
    }
  }
}

function batchesFrom(
  blocks: AsyncGenerator<Block>,
  isCsv: boolean,
  flags: IngestFlags,
  how: How,
): AsyncGenerator<EventBatch, void, void> {
  if (!isCsv) return batchesOf(blocks, ndjsonLines(flags, how))
  let number = 0
  const events = csvEvents(textsOf(blocks), { separator: flags.separator, isText: flags.text })
  return batchesOf(events, (event, batcher) => {
    if (++number > flags.skip) batcher.addText(number, envelopeFor(event, number, how.options))
  })
}

function summaryText(tally: Tally, seconds: number): string {
  const count = (value: number): string => value.toLocaleString('en')
  const rate = seconds > 0 ? Math.round(tally.stored / seconds) : 0
  const refused = tally.refused === 0 ? '' : `, ${count(tally.refused)} refused`
  const labels = [...tally.labels].sort((a, b) => b[1] - a[1]).map(([label, events]) => `${label} ${count(events)}`)
  const decided = labels.length === 0 ? '' : `\nDecisions: ${labels.join(', ')}`
  return `${counted(tally.stored, 'event')} stored${refused}, ${seconds.toFixed(1)} s, ${count(rate)}/s${decided}`
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
  readonly blocks: AsyncGenerator<Block>
  readonly isCsv: boolean
  readonly options: EnvelopeOptions
  readonly tally: Tally
  readonly shown: () => void
}

async function sendEvents(context: Context, { flags, blocks, isCsv, options, tally, shown }: Sending): Promise<void> {
  const batches = batchesFrom(blocks, isCsv, flags, { options, tally })
  const transport = context.transport(flags, bytesFetch(BATCHES_AT_ONCE))
  const how = { signal: context.world.signal, batchesAtOnce: BATCHES_AT_ONCE }
  for await (const { batch, results } of sendBatches(transport, batches, how)) {
    for (const [at, result] of results.entries()) {
      tally.add(batch.numbers[at]!, result)
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
    const refuse = (number: number): void => tally.refuse(number, 'is not a JSON object')
    for await (const { event, number } of eventsIn(send.blocks, send.isCsv, flags, refuse))
      yield old.take(event, number)
  }
  let from = 0
  const how = { signal: context.world.signal, upload: options.run }
  for await (const part of client.events.history(jobId, events(), how)) {
    tally.addOld(part, old, from)
    from = part.through
    shown()
  }
}

export async function ingest(context: Context, flags: IngestFlags, file?: string): Promise<void> {
  checkFlags(flags)
  const client = context.client(flags)
  const { stdin, stderr } = context.world
  if ((file ?? '-') === '-' && stdin.isTTY === true)
    throw new UsageError('there is no input: name a file, or send events to standard input')
  const source = await openSource(file, stdin)
  const [first, blocks] = await withFirst(blocksOf(source.bytes))
  const isCsv = formatOf(flags, file, first) === 'csv'
  if (isCsv && flags.job === undefined) throw new UsageError('CSV has no job in it; name one with --job')
  const jobId = flags.job === undefined ? undefined : await jobIdOf(client, flags.job)
  const run = flags.run ?? `run-${randomBytes(6).toString('hex')}`
  const tally = new Tally(context)
  const progress = new Progress(stderr, 'events')
  const startedAt = performance.now()
  const options = { jobId, idField: flags.idField, run }
  const send = {
    flags,
    client,
    blocks,
    isCsv,
    options,
    tally,
    shown: () => progress.show({ done: tally.stored, share: source.share() }),
  }
  try {
    await (flags.labelField === undefined ? sendEvents(context, send) : sendOld(context, send, flags.labelField))
  } catch (error) {
    progress.clear()
    const skip = Math.max(tally.through, flags.skip)
    context.note(`${summaryText(tally, (performance.now() - startedAt) / 1000)}\nTo go on: --run ${run} --skip ${skip}`)
    throw error
  }
  progress.clear()
  if (jobId !== undefined) await trainFirst(context, client, jobId, tally.votes)
  report(context, flags, { tally, run, seconds: (performance.now() - startedAt) / 1000 })
}

function report(
  context: Context,
  flags: IngestFlags,
  { tally, run, seconds }: { readonly tally: Tally; readonly run: string; readonly seconds: number },
): void {
  const { stored, refused, labels, votes } = tally
  const summary = {
    stored,
    refused,
    run,
    ...(flags.labelField === undefined ? {} : { votes }),
    seconds: Math.round(seconds * 1000) / 1000,
    decisions: Object.fromEntries(labels),
  }
  // With --results the results are the output.
  if (flags.results) context.note(summaryText(tally, seconds))
  else context.print(flags, summary, () => summaryText(tally, seconds))
  if (refused > 0) throw new CommandError(`${counted(refused, 'line')} refused`, exitCodes.failed)
}
