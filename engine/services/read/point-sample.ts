/** What the decision points of a job say of its latest events, where no event was counted with them yet. */
import { hasBuckets, type JobSettings } from '../../domain/job/job.js'
import { absentPoints, PointTally, type PointCounts } from '../../domain/metrics/point-tally.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import { decodeContent } from '../../store/event-record.js'
import { jobRange } from '../../store/tables.js'
import { pointsOf } from '../../domain/job/job-points.js'

/** So many events, of so many bytes together, for the sample is read on the main thread. */
const SAMPLE_EVENTS = 400
const SAMPLE_BYTES = 1024 ** 2

export function sampleOfPoints(environment: Environment, codec: BodyCodec, job: JobSettings): PointCounts {
  const points = pointsOf(job)
  const tally = new PointTally({ fingerprint: points.fingerprint, points: points.count }, null, null)
  let bytesLeft = SAMPLE_BYTES
  for (const { value } of environment.range('events', { ...jobRange(job.id), limit: SAMPLE_EVENTS, reverse: true })) {
    bytesLeft -= value.length
    if (bytesLeft < 0) break
    const values = points.valuesOf(codec.decode(decodeContent(value).body))
    tally.seeKinds(points.kinds)
    tally.see(values, !hasBuckets(job.category))
    tally.add(absentPoints(values), 1)
  }
  return tally.counts()
}
