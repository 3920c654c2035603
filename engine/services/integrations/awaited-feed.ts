/** Events of a job that wait for enrichment, read from the job's shard, oldest first. */
import { bounds } from '../../integration/bounds.js'
import type { AwaitedEvent, AwaitedFeed } from '../../integration/enrichment/enricher.js'
import type { JobSettings } from '../../domain/job/job.js'
import { BodyCodec } from '../../store/body-codec.js'
import { decodeContent } from '../../store/event-record.js'
import { jobKey, timeKey, timeOfKey } from '../../store/tables.js'
import type { FeedShard } from './decision-feed.js'

export class StoredAwaited implements AwaitedFeed {
  readonly #shard: FeedShard
  readonly #codec: BodyCodec
  readonly #jobId: number

  constructor(shard: FeedShard, job: JobSettings) {
    this.#shard = shard
    this.#codec = new BodyCodec(shard.environment)
    this.#jobId = job.id
  }

  look(after: number, eventsMax: number): AwaitedEvent[] {
    const { reader, environment } = this.#shard
    reader.refresh()
    const events: AwaitedEvent[] = []
    let bytes = 0
    for (const { key } of environment.range('awaited', {
      from: timeKey(this.#jobId, after + 1),
      to: jobKey(this.#jobId + 1),
      limit: eventsMax,
    })) {
      const record = environment.get('events', key)
      if (record === undefined) continue
      bytes += record.length
      events.push({ micros: timeOfKey(key), document: this.#codec.decode(decodeContent(record).body) })
      if (bytes >= bounds.deliveryBytesMax) break
    }
    return events
  }
}
