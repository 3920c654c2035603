/** The contract of resources: jobs, integrations and api keys. */
import type { Warning } from './warning.js'

export interface ResourceRef {
  readonly type: 'api_key' | 'integration' | 'job'
  /** The identifier that the request used. */
  readonly resourceName: string
  readonly title: string
  /** A string for api keys, a number for the others. */
  readonly internalId: string | number
  /** A path under the base URL. */
  readonly url: string
  /** Only for an api key that this request created. */
  readonly value?: string
  /** Where its properties are in the document that was applied. */
  readonly place?: readonly (string | number)[]
}

export interface ApplyOutcome {
  readonly created: readonly ResourceRef[]
  readonly updated: readonly ResourceRef[]
  /** What was accepted and will probably not do what its author wants. */
  readonly warnings: readonly Warning[]
}

/** The resource to delete. */
export interface DeletionQuery extends ResourceQuery {
  /** True: also deletes a resource that others use, and takes it out of them. */
  readonly force?: boolean
}

export interface DeletionOutcome {
  readonly deleted: readonly ResourceRef[]
  /** Resources that used the deleted ones and lost them. */
  readonly updated: readonly ResourceRef[]
}

export interface ResourceQuery {
  readonly type?: 'api_key' | 'integration' | 'job'
  readonly title?: string
  readonly id?: string
  /** True: shows jobs in full, also in a list. */
  readonly full?: boolean
}
