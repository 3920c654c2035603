/** Plays a labelled set over HTTP, as a client would: events, votes, a training, and the scored events. */
import { Client, type EventAnswer } from '../../harness/client.js'
import { makeJob, train } from '../../harness/job.js'
import type { Service } from '../../harness/service.js'
import type { Dataset } from '../dataset.js'
import type { VotedJob } from '../voted-job.js'
import type { Answered } from './answered.js'

/** A labelled set with the events' JSON. */
export interface PlayedSet {
  readonly dataset: Dataset
  /** The body of the event of a line. */
  bodyOf(line: number): unknown
}

export interface Played {
  readonly answers: readonly Answered[]
  /** The seed of the training. */
  readonly seed: number
  /** What the service says of the quality of its own answers, before anybody checks them. */
  readonly reported: Reported
}

/** An estimate with its interval of 95 %; null where there is not enough yet. */
interface Estimate {
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
}

export interface Reported {
  readonly heldOut: Estimate
  readonly disagreements: number
  readonly minutesSaved: number
}

interface ComputedDecision {
  readonly model: { readonly seed: number } | null
  readonly parts: {
    readonly calibration: readonly { readonly probabilities: Readonly<Record<string, number>> }[]
    readonly votes: {
      readonly split: Readonly<Record<string, number>>
      readonly counted: boolean
      readonly model_weight: number | null
    } | null
    readonly trust: { readonly doubt: number; readonly base_rate: number }
  }
}

/** The weight of the model beside votes where no training measured it (S16). */
const usualModelWeight = 2

async function send(client: Client, jobId: number, { bodyOf }: PlayedSet, lines: readonly number[]) {
  const answers: EventAnswer[] = []
  function* requests(): Generator<string> {
    for (const line of lines)
      yield `${JSON.stringify({ job_id: jobId, event_id: `line-${line}`, raw_body: bodyOf(line) })}\n`
  }
  await client.bulk(requests(), (answer) => {
    if (answer.status === 'ERROR') throw new Error(`Event ${answer.event_id} was refused: ${answer.error ?? ''}`)
    answers.push(answer)
  })
  return answers
}

/** The probabilities of all labels, from what a decision was made of. */
function probabilitiesOf({ parts }: ComputedDecision, names: readonly string[], answer: number): number[] {
  const { calibration, votes, trust } = parts
  const own = names.map((name) => calibration.at(-1)?.probabilities[name] ?? 0)
  if (votes?.counted === true) {
    const { split, model_weight: measured } = votes
    const weight = measured ?? usualModelWeight
    const total = names.reduce((sum, name) => sum + (split[name] ?? 0), weight)
    return names.map((name, k) => ((split[name] ?? 0) + weight * (own[k] as number)) / total)
  }
  const { doubt, base_rate: base } = trust
  const others = (1 - base) / Math.max(1, names.length - 1)
  return own.map((share, k) => (1 - doubt) * share + doubt * (k === answer ? base : others))
}

async function reportedBy(client: Client, jobId: number): Promise<Reported> {
  const metrics = (await client.ask('POST', `/api/v2/metrics/job_and_latest_model?job_id=${jobId}&timeout_s=60`)) as {
    job_metrics: { time_saved_minutes: number }
    model_metrics: { quality: { held_out: { accuracy: Estimate } } }
  }
  const disagreements = (await client.ask('GET', `/api/v2/jobs/${jobId}/disagreements`)) as { total_count: number }
  return {
    heldOut: metrics.model_metrics.quality.held_out.accuracy,
    disagreements: disagreements.total_count,
    minutesSaved: metrics.job_metrics.time_saved_minutes,
  }
}

/** One analyst votes on each event, and is right. */
export async function playOverHttp(service: Service, title: string, set: PlayedSet, job: VotedJob): Promise<Played> {
  const { labelNames, protocol, seen } = set.dataset
  const { jobId, key } = await makeJob(service.client, { title, points: job.points, labels: labelNames })
  const input = new Client(service.port, key)
  try {
    await send(input, jobId, set, seen)
    for (const { line, label } of job.votes)
      await service.client.feedback(jobId, `line-${line}`, 'ann', labelNames[label] as string)
    await train(service.client, jobId)
    const given = await send(input, jobId, set, protocol.test)
    const answers: Answered[] = []
    let seed = 0
    for (const { event_id: id, result_label: name, confidence_score: confidence } of given) {
      const path = `/api/v2/events/${jobId}/${id}/decision`
      const computed = (await service.client.ask('GET', path)) as ComputedDecision
      const label = labelNames.indexOf(name)
      seed = computed.model?.seed ?? seed
      answers.push({ label, confidence, probabilities: probabilitiesOf(computed, labelNames, label) })
    }
    return { answers, seed, reported: await reportedBy(service.client, jobId) }
  } finally {
    input.close()
  }
}
