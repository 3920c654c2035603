/** Runs the eight weeks: on the generated stream, and on public alerts where their folder is known. */
import { startTimedService } from '../../harness/in-process.js'
import { makeJob } from '../../harness/job.js'
import { removeDirectory, temporaryDirectory } from '../../harness/service.js'
import type { Progress } from '../progress.js'
import { Shop, WEEKS, type ShopTerms } from './shop.js'
import { storyText } from './story.js'
import { AIT, aitWeeks, generatedWeeks, type WeeksStream } from './streams.js'

/** Some generated alerts have a label by chance, so much less than this cannot be proved of them. */
const generatedTerms: ShopTerms = {
  epsilon: 0.02,
  delta: 0.05,
  thresholds: [99, 95],
  holdOut: { shadow: 0.5, open: 0.2 },
  room: 0.8,
}
/** Few alerts, and a strict bound: all of them are audits until it is proved. */
const aitTerms: ShopTerms = {
  ...generatedTerms,
  epsilon: 0.004,
  thresholds: [99],
  holdOut: { shadow: 1, open: 0.2 },
}
/** The first simulated moment. */
const BEGIN_MICROS = Date.UTC(2026, 0, 5) * 1000

export interface WeeksOptions {
  readonly seed: number
  readonly events: number
  /** The folder of labelled sets; null without. */
  readonly data: string | null
}

/** @throws BadOption where the folder lacks the set. */
export async function runWeeks({ seed, events, data }: WeeksOptions, progress: Progress): Promise<string> {
  // Read first: a wrong folder is told before anything runs.
  const ait = data === null ? null : aitWeeks(data)
  const stories = [await storyOf(generatedWeeks(seed, events), generatedTerms, progress)]
  if (ait === null)
    stories.push(
      `The same on public alerts of five companies under attack: --data FOLDER, where FOLDER/${AIT}\n` +
        'has the AIT Alert Data Set as events.jsonl.gz. It is not part of the service.\n',
    )
  else stories.push(await storyOf(ait, aitTerms, progress))
  return stories.map((story) => `\n${story}`).join('\n')
}

/** The page of one stream. */
export async function storyOf(stream: WeeksStream, terms: ShopTerms, progress: Progress): Promise<string> {
  progress.phase(`${WEEKS} weeks`)
  const directory = temporaryDirectory()
  try {
    const service = await startTimedService(directory, BEGIN_MICROS)
    try {
      const { title, points, labels } = stream
      const { jobId } = await makeJob(service.client, { title: 'Weeks', points, labels })
      const shop = new Shop(service, jobId, stream, terms)
      const result = await shop.run((day) => progress.update(day / (7 * WEEKS), `day ${day}`))
      progress.done(title)
      return storyText(stream, terms, result)
    } finally {
      await service.stop()
    }
  } finally {
    removeDirectory(directory)
  }
}
