/** What a node knows of the catalog, whether it follows it or writes it. */
import type { JobSettings } from '../../../domain/job/job.js'

export interface CatalogView {
  /** Sequence of the last record that is applied here; infinite where this node writes it. */
  applied(): number
  /** The same, or of the last record that this node has written. */
  sequence(): number
  /** Undefined where there is no such job. */
  job(id: number): JobSettings | undefined
}
