/** The figures about analysts, from one snapshot; and the weights of their votes, which a training keeps. */
import type { JobSettings } from '../../domain/job/job.js'
import {
  dawidSkene,
  precisionOf,
  reliabilityOf,
  sharedEventsMin,
  voteWeight,
  type Reliabilities,
} from '../../domain/metrics/analysts/dawid-skene.js'
import { cohenPairs, fleissKappa, krippendorffAlpha } from '../../domain/metrics/analysts/rater-agreement.js'
import type { AnalystsView, AnalystView } from '../../api/next-service.js'
import type { Environment } from '../../store/environment.js'
import type { AnalystWeights } from '../../store/model-votes.js'
import { ratedVotes, type RatedVotes } from './rated-items.js'

const PAIRS_SHOWN = 100

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e4) / 1e4)

export function analystFigures(environment: Environment, job: JobSettings): AnalystsView {
  const labelCount = job.labels.length
  const rated = ratedVotes(environment, job.id, labelCount)
  const { analysts, items, isComplete } = rated
  const found = dawidSkene(items, analysts.length, labelCount)
  const shared = items.filter((item) => item.length >= 2).length
  return {
    analysts: analysts
      .map((_, analyst) => viewOf(job, rated, found, analyst))
      .sort((a, b) => b.votes - a.votes || (a.analyst < b.analyst ? -1 : 1)),
    pairs: cohenPairs(items, labelCount)
      .slice(0, PAIRS_SHOWN)
      .map(({ analysts: [one, two], events, agreement, kappa }) => ({
        analysts: [analysts[one] as string, analysts[two] as string],
        events,
        agreement: rounded(agreement) as number,
        cohenKappa: rounded(kappa),
      })),
    fleissKappa: rounded(fleissKappa(items, labelCount)),
    krippendorffAlpha: rounded(krippendorffAlpha(items, labelCount)),
    sharedEvents: shared,
    message: messageOf(shared),
    isComplete,
  }
}

function messageOf(shared: number): string {
  const events = `${shared} ${shared === 1 ? 'event was' : 'events were'} answered by two analysts or more`
  if (shared >= sharedEventsMin) return events
  return `${events}; from ${sharedEventsMin} on the reliability of each analyst is estimated`
}

function viewOf(
  job: JobSettings,
  { analysts, items }: RatedVotes,
  found: Reliabilities | null,
  analyst: number,
): AnalystView {
  const votes = new Array<number>(job.labels.length).fill(0)
  let sharedEvents = 0
  for (const item of items) {
    const own = item.find((rating) => rating.analyst === analyst)
    if (own === undefined) continue
    votes[own.label] = (votes[own.label] as number) + 1
    if (item.length >= 2) sharedEvents++
  }
  const isKnown = found !== null && sharedEvents > 0
  return {
    analyst: analysts[analyst] as string,
    votes: votes.reduce((sum, count) => sum + count, 0),
    sharedEvents,
    labels: job.labels.map(({ name }, label) => ({
      label: name,
      votes: votes[label] as number,
      reliability: isKnown ? rounded(reliabilityOf(found, analyst, label)) : null,
      precision: isKnown ? rounded(precisionOf(found, analyst, label)) : null,
      weight: isKnown ? voteWeight(found, analyst, label) : null,
    })),
  }
}

/** The weights of votes by analyst; undefined where too few events were answered by two. */
export function analystWeights(
  environment: Environment,
  jobId: number,
  labelCount: number,
): AnalystWeights | undefined {
  const { analysts, items } = ratedVotes(environment, jobId, labelCount, 'shared')
  const found = dawidSkene(items, analysts.length, labelCount)
  if (found === null) return undefined
  const sharing = new Set(
    items.filter((item) => item.length >= 2).flatMap((item) => item.map(({ analyst }) => analyst)),
  )
  const known = [...sharing].map((analyst) => {
    const weights = Array.from({ length: labelCount }, (_, label) => voteWeight(found, analyst, label))
    return [analysts[analyst] as string, weights] as const
  })
  const all = known.flatMap(([, weights]) => weights).sort((a, b) => a - b)
  return { known: Object.fromEntries(known), other: all[all.length >> 1] ?? 1 }
}
