/**
 * The main job in under a minute: events in, decisions out, learning from feedback.
 *
 * The stream is cut in time order. 40 % are played, the analyst labels, the job trains; then the same with the next 40
 * %. The last 20 % are the exam (exam.ts) and never part of the stream. Then come eight weeks with a safety contract
 * (weeks/). With --keep the service goes on with its data, so that one can look at it in the console.
 */
import { once } from 'node:events'
import type { Measured } from '../../engine/domain/metrics/quality.js'
import { makeJob, train } from '../harness/job.js'
import { newKey, removeDirectory, startService, temporaryDirectory, type Service } from '../harness/service.js'
import { UnexpectedAnswer } from '../harness/client.js'
import { NoNats } from '../cluster/nats-program.js'
import { Analyst } from './analyst.js'
import { clusterService } from './cluster-service.js'
import { commonestShare, neverLabelled, score } from './exam.js'
import { explain } from './explain.js'
import { BadOption, parseOptions, usage, type DemoOptions } from './options.js'
import { play, type Played, type PlayedTo } from './play.js'
import { Progress } from './progress.js'
import { decisionText, keptText, percent, summaryText, thousands, type OwnFigures, type Sitting } from './report.js'
import { runWeeks } from './weeks/run.js'
import { fileStream, generatedStream, valueAt, type DemoEvent, type DemoStream } from './stream.js'

/** Events of one exam, at most. */
const examEvents = 5_000

interface Quality {
  readonly accuracy: Measured
}

interface JobAnswer {
  readonly processed_documents_count: number
}

interface MetricsAnswer {
  readonly job_metrics: { readonly quality: { readonly new_buckets: Quality; readonly known_buckets: Quality } }
  readonly model_metrics: { readonly quality: { readonly held_out: Quality } | null }
}

class Demo {
  readonly #to: PlayedTo
  readonly #stream: DemoStream
  readonly #analyst: Analyst
  readonly #progress: Progress
  readonly #exam: readonly DemoEvent[]
  readonly #sittings: { readonly name: string; readonly votes: number; readonly played: readonly Played[] }[] = []
  readonly #trainingSeconds: number[] = []
  #events = 0
  #decided = 0
  #playMs = 0

  constructor(to: PlayedTo, stream: DemoStream, seed: number, progress: Progress) {
    this.#to = to
    this.#stream = stream
    this.#analyst = new Analyst(to.client, to.jobId, stream.labels, seed)
    this.#progress = progress
    const late = stream.events.slice(Math.floor(stream.events.length * 0.8))
    const step = Math.max(1, late.length / examEvents)
    this.#exam = late.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
  }

  /** Plays a part of the stream; from and to are shares of it. */
  async play(name: string, from: number, to: number): Promise<Played[]> {
    const { events } = this.#stream
    const part = events.slice(Math.floor(events.length * from), Math.floor(events.length * to))
    this.#progress.phase(`playing ${name}`)
    const startedAt = performance.now()
    const played = await play(this.#to, name, part, (share) => this.#progress.update(share, ''))
    const ms = performance.now() - startedAt
    const decided = played.filter(({ answer }) => answer.result !== '').length
    this.#playMs += ms
    this.#events += played.length
    this.#decided += decided
    const rate = thousands(played.length / (ms / 1000))
    const share = percent(decided / played.length)
    this.#progress.done(`${thousands(played.length)} events, ${rate} a second, ${share} decided`)
    return played
  }

  async sit(name: string): Promise<void> {
    this.#progress.phase(`exam ${name}`)
    const prefix = `exam${this.#sittings.length}`
    const onProgress = (share: number): void => this.#progress.update(share, '')
    const played = await play(this.#to, prefix, this.#exam, onProgress)
    this.#sittings.push({ name, votes: this.#analyst.votes, played })
    const { decided } = score(played, this.#stream.labels)
    this.#progress.done(`${thousands(played.length)} events, ${percent(decided)} decided`)
  }

  /** Votes, then trains. If too few labels were seen to train, votes again. */
  async learn(played: readonly Played[], votes: number): Promise<void> {
    for (let round = 1; ; round++) {
      this.#progress.phase('analyst')
      const given = await this.#analyst.review(played, votes, (share) => this.#progress.update(share, ''))
      this.#progress.done(`${given} votes, one a bucket`)
      this.#progress.phase('training')
      const startedAt = performance.now()
      try {
        const job = await train(this.#to.client, this.#to.jobId, (message) => this.#progress.update(0.5, message))
        this.#trainingSeconds.push((performance.now() - startedAt) / 1000)
        this.#progress.done(job.retrain_msg)
        return
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer) || error.status !== 409 || round === 5 || given === 0) throw error
        this.#progress.done('the votes so far are too few to train, so the analyst goes on')
      }
    }
  }

  /** One decision for each label if there is one, else others; no two with the same decision points. */
  #chooseThree(unlabelled: readonly Played[]): Played[] {
    const different = new Map<string, Played>()
    for (const one of unlabelled) {
      const body = JSON.parse(one.event.json) as unknown
      different.set(JSON.stringify(this.#stream.points.map((point) => valueAt(body, point))), one)
    }
    const byConfidence = [...different.values()].sort((a, b) => b.answer.confidence_score - a.answer.confidence_score)
    const chosen = new Set<Played>()
    for (const label of this.#stream.labels) {
      const own = byConfidence.filter(({ answer }) => answer.result_label === label)
      const one = own[Math.floor(own.length / 2)]
      if (one !== undefined) chosen.add(one)
    }
    for (const one of byConfidence.slice(byConfidence.length >>> 2)) if (chosen.size < 3) chosen.add(one)
    return [...chosen]
  }

  async #ownFigures(): Promise<OwnFigures> {
    const path = `/api/v2/metrics/job_and_latest_model?job_id=${this.#to.jobId}&timeout_s=30`
    const { job_metrics: job, model_metrics: model } = (await this.#to.client.ask('POST', path)) as MetricsAnswer
    const none = { value: null, low: null, high: null, events: 0 }
    return {
      newBuckets: job.quality.new_buckets.accuracy,
      knownBuckets: job.quality.known_buckets.accuracy,
      heldOut: model.quality?.held_out.accuracy ?? none,
    }
  }

  /** That no event was lost, whatever broke meanwhile. Each has an id of its own. */
  async kept(): Promise<string> {
    const answered = this.#events + this.#sittings.reduce((sum, { played }) => sum + played.length, 0)
    const job = (await this.#to.client.ask('GET', `/api/v1/jobs/${this.#to.jobId}`)) as JobAnswer
    return keptText(answered, job.processed_documents_count)
  }

  async report(): Promise<string> {
    const { labels, remarks } = this.#stream
    const last = this.#sittings.at(-1)?.played ?? []
    const positions = neverLabelled(last)
    const pick = (played: readonly Played[]): Played[] => positions.map((i) => played[i] as Played)
    const sittings = this.#sittings.map(({ name, votes, played }): Sitting => {
      return { name, votes, unlabelled: score(pick(played), labels), all: score(played, labels) }
    })
    const summary = summaryText({
      events: this.#events,
      eventsPerSecond: this.#events / (this.#playMs / 1000),
      decidedOnArrival: this.#decided / Math.max(1, this.#events),
      sittings,
      commonest: commonestShare(pick(last), labels),
      trainingSeconds: this.#trainingSeconds,
      own: await this.#ownFigures(),
    })
    const decisions: string[] = []
    for (const decision of this.#chooseThree(pick(last))) {
      const reasons = await explain(this.#to, decision, 3)
      decisions.push(decisionText(decision, labels[decision.event.truth] as string, reasons))
    }
    const three = `Three decisions on events that nobody labelled, and what they hang on:\n\n${decisions.join('\n\n')}`
    return `\n${this.#stream.title}\n\n${summary}\n${remarks.join('\n')}\n\n${three}\n`
  }
}

/** The service that the demo plays to. */
interface DemoService extends Pick<Service, 'client' | 'port' | 'readyMs'> {
  /** Of the administrator; '' where nobody signs in. */
  readonly password: string
  /** How often lines without an answer are sent. */
  readonly attempts: number
  /** Begins to break something, where that is wanted; resolves with what it was. */
  fault(): Promise<string>
  stop(): Promise<void>
}

async function start(directory: string, { isCluster }: DemoChoice, progress: Progress): Promise<DemoService> {
  if (isCluster) return { ...(await clusterService(directory, newKey(), progress)), password: '' }
  progress.phase('starting the service')
  const password = newKey().slice(0, 16)
  const service = await startService(directory, newKey(), { SERVICE_ADMIN_PASSWORD: password })
  return { ...service, password, attempts: 1, fault: async () => '', stop: () => service.stop() }
}

type DemoChoice = Exclude<DemoOptions, { kind: 'help' }>

async function run(options: DemoChoice): Promise<void> {
  const progress = new Progress()
  const { seed } = options
  const weeks = async (): Promise<void> => {
    if (options.kind === 'file' || !options.parts.includes('weeks')) return
    console.log(await runWeeks({ seed, events: options.events, data: options.data }, progress))
  }
  if (options.kind === 'file' || options.parts.includes('job')) await runJob(options, progress, weeks)
  else await weeks()
}

/** Until somebody has looked enough. */
async function keep(port: number, password: string): Promise<void> {
  console.log(`\nThe service goes on, with the job "Demo" and its data: http://127.0.0.1:${port}/`)
  console.log(`Sign in as admin with the password ${password}. Ctrl-C ends it and removes the data.`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

async function runJob(options: DemoChoice, progress: Progress, after: () => Promise<void>): Promise<void> {
  progress.phase('reading the stream')
  const stream = options.kind === 'file' ? fileStream(options) : generatedStream(options.seed, options.events)
  progress.done(`${thousands(stream.events.length)} events, ${stream.points.length} decision points`)
  const directory = temporaryDirectory()
  try {
    const service = await start(directory, options, progress)
    try {
      const { jobId } = await makeJob(service.client, { title: 'Demo', points: stream.points, labels: stream.labels })
      progress.done(`ready in ${service.readyMs.toFixed(0)} ms on port ${service.port}, job ${jobId} made`)
      const demo = new Demo(
        { client: service.client, jobId, attempts: service.attempts },
        stream,
        options.seed,
        progress,
      )
      const first = await demo.play('part1', 0, 0.4)
      await demo.sit('without a model')
      await demo.learn(first, options.votes)
      await demo.sit('after training 1')
      const fault = service.fault()
      const second = await demo.play('part2', 0.4, 0.8)
      const remark = await fault
      if (remark !== '') console.log(remark)
      await demo.learn(second, options.votes)
      await demo.sit('after training 2')
      console.log(await demo.report())
      if (options.isCluster) console.log(await demo.kept())
      await after()
      if (options.isKept) await keep(service.port, service.password)
    } finally {
      await service.stop()
    }
  } finally {
    removeDirectory(directory)
  }
}

try {
  const options = parseOptions(process.argv.slice(2), process.env)
  if (options.kind === 'help') console.log(usage)
  else await run(options)
} catch (error) {
  if (!(error instanceof BadOption || error instanceof NoNats)) throw error
  console.error(error instanceof NoNats ? error.message : `${error.message}\n\n${usage}`)
  process.exitCode = 2
}
