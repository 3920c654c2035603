/**
 * Who has which event, as a field of events: read from the catalog by threads that answer queries.
 *
 * Owns: reading assignments. Leaves out: making them (handling/handling.ts).
 */
import type { Assignment } from '../../api/live/handling-service.js'
import { openCatalog } from '../../store/directory/environments.js'
import type { Environment } from '../../store/environment.js'
import { decodeJsonRow } from '../../store/json-row.js'
import { jobRange } from '../../store/tables.js'

/** Of a job: who has an event, by its id. */
export type Assignees = (jobId: number) => ReadonlyMap<string, string>

const nobody: ReadonlyMap<string, string> = new Map()

/** Where assignments are not read. */
export const nobodyAssigned: Assignees = () => nobody

const catalogs = new Map<string, Environment>()

/** Assignments as they are now, read once for each job that is asked about. */
export function assigneesNow(dataDir: string): { readonly assignees: Assignees; done(): void } {
  const known = new Map<number, ReadonlyMap<string, string>>()
  let catalog: Environment | undefined
  return {
    assignees(jobId) {
      const found = known.get(jobId)
      if (found !== undefined) return found
      if (catalog === undefined) {
        catalog = catalogs.get(dataDir) ?? openCatalog(dataDir, ['assignments'])
        catalogs.set(dataDir, catalog)
        catalog.refresh()
      }
      const ofJob = new Map<string, string>()
      for (const { value } of catalog.range('assignments', jobRange(jobId))) {
        const { eventId, assignee } = decodeJsonRow(value) as Assignment
        ofJob.set(eventId, assignee)
      }
      known.set(jobId, ofJob)
      return ofJob
    },
    done() {
      catalog?.unmap()
    },
  }
}
