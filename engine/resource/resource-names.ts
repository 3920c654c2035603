/** References to resources in answers: type, title, id, and the page of the console. */
import type { ResourceRef } from '../api/decision-service.js'
import type { JobSettings } from '../domain/job/job.js'
import type { ApiKeyRecord, IntegrationRecord } from './records.js'

interface RecordOf {
  readonly api_key: ApiKeyRecord
  readonly integration: IntegrationRecord
  readonly job: JobSettings
}

/** The page that existing clients link to (C3.12). */
function pageOf(type: ResourceRef['type'], id: string | number): string {
  if (type === 'api_key') return '/api-keys'
  return type === 'integration' ? `/integrations/${id}/edit` : `/use-cases/overview/${id}`
}

/** The reference to a record. `resourceName`: its identifier in the request; default: its title. */
export function refer<T extends ResourceRef['type']>(type: T, record: RecordOf[T], resourceName?: string): ResourceRef {
  const title = 'name' in record ? record.name : record.title
  return { type, resourceName: resourceName ?? title, title, internalId: record.id, url: pageOf(type, record.id) }
}
