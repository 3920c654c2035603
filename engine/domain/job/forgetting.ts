/** Whether an erasure reaches the model (advanced_settings.retrain_after_erase). By default it does not by itself. */
import type { JobSettings } from './job.js'

/** True where an erasure is complete only when the model was trained again without what was erased. */
export function retrainsAfterErase({ advancedSettings }: Pick<JobSettings, 'advancedSettings'>): boolean {
  return advancedSettings.retrain_after_erase === true
}
