/** What the outside may ask of resources, and what it gets. */

export interface ResourceRef {
  readonly type: 'api_key' | 'integration' | 'job'
  /** The identifier that the request used. */
  readonly resourceName: string
  readonly title: string
  /** A string for api keys, a number for the others. */
  readonly internalId: string | number
  /** A path under the base URL. */
  readonly url: string
  /** Only for an api key that this request made. */
  readonly value?: string
}

export interface ApplyOutcome {
  readonly created: readonly ResourceRef[]
  readonly updated: readonly ResourceRef[]
}

/** What is to be deleted. */
export interface DeletionQuery extends ResourceQuery {
  /** Also what others use: it is taken out of them. */
  readonly force?: boolean
}

export interface DeletionOutcome {
  readonly deleted: readonly ResourceRef[]
  /** What used them and was forced to let go. */
  readonly updated: readonly ResourceRef[]
}

export interface ResourceQuery {
  readonly type?: 'api_key' | 'integration' | 'job'
  readonly title?: string
  readonly id?: string
  /** Jobs in full, also where many are listed. */
  readonly full?: boolean
}
