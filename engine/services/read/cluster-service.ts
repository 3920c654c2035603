/** The service of clusters: views of committed state. */
import type { JobSettings } from '../../domain/job/job.js'
import type { ClusterPage, ClusterQuery, ClusterService, ClusterTree } from '../../api/cluster-service.js'
import type { ReadableShards } from './job-reader.js'
import type { JobHandle } from '../../api/principal.js'

export interface ClusterDeps {
  readonly shards: Pick<ReadableShards, 'reader'>
  /** The job as it is now. @throws Refusal job_not_found. */
  current(job: JobHandle): JobSettings
}

export class AlertClusters implements ClusterService {
  readonly #deps: ClusterDeps

  constructor(deps: ClusterDeps) {
    this.#deps = deps
  }

  list(handle: JobHandle, query: ClusterQuery): ClusterPage {
    const job = this.#deps.current(handle)
    return this.#deps.shards.reader(job.shard).clusters(job).list(query)
  }

  tree(handle: JobHandle, clusterId: string, query: Pick<ClusterQuery, 'size' | 'after'>): ClusterTree {
    const job = this.#deps.current(handle)
    return this.#deps.shards.reader(job.shard).clusters(job).tree(clusterId, query)
  }
}
