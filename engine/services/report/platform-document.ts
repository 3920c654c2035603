/**
 * Platform metrics: what is stored, in total and by job.
 *
 * The statistics of the store have the field names of a search engine's cluster, for clients that read those. The
 * shards of the data directory are its primary shards, the process is its one node.
 *
 * A job's storage is that of its own rows (job-storage.ts). Together they are less than the files, which have free
 * pages and what jobs share.
 */
import { isoMicros } from '../../clock.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { Intervals, type Interval, type Period } from '../../domain/metrics/period.js'
import type { PlatformMetrics } from '../../api/metrics-service.js'
import type { StatsRow } from '../../store/rows.js'

interface PlatformJobFigures {
  readonly job: JobSettings
  readonly stats: StatsRow
  readonly intervals: readonly Period[]
  /** Events in each interval. */
  readonly counts: readonly number[]
  /** Estimated bytes of its rows. */
  readonly bytes: number
}

export interface PlatformFigures {
  readonly jobs: readonly PlatformJobFigures[]
  /** True where `jobs` are all jobs. */
  readonly isWhole: boolean
  /** Bytes of each shard on disk. */
  readonly shardBytes: readonly number[]
  readonly catalogBytes: number
  readonly serviceName: string
}

const MIB = 1024 ** 2

/** Intervals from the job's creation until now; only the latest where there are too many. */
export function platformPeriods(job: JobSettings, interval: Interval, nowMicros: number): Period[] {
  const from = Math.max(
    Date.parse(job.createdAt) * 1000,
    nowMicros - (limits.platformIntervalsMax - 1) * interval.micros,
  )
  return new Intervals({ from, to: nowMicros + 1 }, interval).periods.slice(-limits.platformIntervalsMax)
}

export function platformOf({ jobs, isWhole, shardBytes, catalogBytes, serviceName }: PlatformFigures): PlatformMetrics {
  const storeBytes = shardBytes.reduce((all, bytes) => all + bytes, catalogBytes)
  const perJob = jobs.map(jobFigures)
  const sum = (pick: (one: (typeof perJob)[number]) => number): number =>
    perJob.reduce((all, one) => all + pick(one), 0)
  const events = sum(({ eventsCount }) => eventsCount)
  return {
    cluster: clusterStatistics(serviceName, shardBytes.length, events, storeBytes),
    overall: {
      bucketsCount: sum(({ bucketsCount }) => bucketsCount),
      storageMb: isWhole ? megabytes(storeBytes) : megabytes(sum(({ bytes }) => bytes)),
      eventsCount: events,
    },
    perJob: perJob.map(({ bytes, ...shown }) => ({ ...shown, storageMb: megabytes(bytes) })),
  }
}

function jobFigures({ job, stats, intervals, counts, bytes }: PlatformJobFigures) {
  return {
    jobId: job.id,
    title: job.title,
    category: job.category,
    status: job.status,
    eventsCount: stats.events,
    bucketsCount: stats.buckets,
    pendingEventsCount: stats.pending,
    feedbackEventsCount: stats.feedbackEvents,
    modelsCount: stats.modelVersions.length,
    lastEventTimestamp: stats.lastEventMicros === null ? null : isoMicros(stats.lastEventMicros),
    bytes,
    intervals: intervals.map(({ from, to }, at) => ({
      startTime: isoMicros(from),
      endTime: isoMicros(to),
      eventsCount: counts[at] ?? 0,
    })),
  }
}

/** Fields as in `_cluster/health` and `_cluster/stats`. */
function clusterStatistics(name: string, shards: number, events: number, bytes: number): object {
  return {
    clusterName: name,
    status: 'green',
    timedOut: false,
    numberOfNodes: 1,
    numberOfDataNodes: 1,
    activePrimaryShards: shards,
    activeShards: shards,
    relocatingShards: 0,
    initializingShards: 0,
    unassignedShards: 0,
    activeShardsPercentAsNumber: 100,
    indices: { count: shards, docs: { count: events }, store: { sizeInBytes: Math.round(bytes) } },
    storageEngine: 'embedded',
  }
}

function megabytes(bytes: number): number {
  return Math.round((bytes / MIB) * 1e6) / 1e6
}
