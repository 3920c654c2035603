/** The contract of metadata about integrations and job categories. Answers use wire names, as clients read them. */
import type { IntegrationRole } from '../domain/job/job.js'

type Document = Record<string, unknown>

/** A kind by name or id, in any case, and one of its roles; what is absent selects all. */
export interface IntegrationMetadataQuery {
  readonly type?: string | undefined
  readonly role?: IntegrationRole | undefined
}

/** Describes what can be set up. Every method throws Refusal invalid_resources for an unknown name. */
export interface IntegrationMetadataService {
  /** `{type: 'object', properties: {<integration type>: <JSON Schema>}}`: of the connection, or of the given role. */
  parameterSchema(query: IntegrationMetadataQuery): Document
  /** `{integration_types: [...]}`, or one type in full where the query names one. */
  integrationMetadata(query: IntegrationMetadataQuery): Document
  /** `{job_categories: [...]}`, or one category with its parameters, and with field mappings where they are wanted. */
  jobMetadata(category?: string, withMappings?: boolean): Document
}
