/** What may be asked of the catalogue of integrations and job categories: answers in wire names, as clients read them. */
import type { IntegrationRole } from '../domain/job/job.js'

type Document = Record<string, unknown>

/** A kind by name or id, in any case, and one of its roles; what is absent chooses all. */
export interface IntegrationMetadataQuery {
  readonly type?: string | undefined
  readonly role?: IntegrationRole | undefined
}

/** What the service can be set up with. Every method throws Refusal invalid_resources for a word that names nothing. */
export interface IntegrationMetadataService {
  /** `{type: 'object', properties: {<integration type>: <JSON Schema>}}`: of the connection, or of a role with one. */
  parameterSchema(query: IntegrationMetadataQuery): Document
  /** `{integration_types: [...]}`, or one type in full where the query names it. */
  integrationMetadata(query: IntegrationMetadataQuery): Document
  /** `{job_categories: [...]}`, or one category with its parameters. */
  jobMetadata(category?: string): Document
}
