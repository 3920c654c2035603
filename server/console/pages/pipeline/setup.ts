/** What the page of a pipeline knows: steps, integrations, and the roles of each kind. */
import type { IntegrationRole, PipelineStep } from '../../../client/index.js'

/** An integration that is set up. */
export interface Known {
  readonly id: number
  readonly title: string
  readonly subcategory_id: string
  readonly built_in?: boolean
}

/** A kind of integrations. */
export interface Kind {
  readonly id: string
  readonly name: string
  readonly roles: readonly IntegrationRole[]
}

export interface Setup {
  readonly steps: readonly PipelineStep[]
  readonly known: readonly Known[]
  readonly kinds: readonly Kind[]
}

/** The title of the integration that a step names. */
export function titleOf({ resource }: PipelineStep): string {
  const quoted = /title='((?:[^'\\]|\\.)*)'/.exec(resource)?.[1]
  return quoted === undefined ? resource : quoted.replace(/\\(.)/g, '$1')
}
