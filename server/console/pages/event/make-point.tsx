/** Making a field of an event a decision point: what that does is shown first. */
import { Confirm } from '../../parts/confirm.js'
import { PointEffect } from '../../parts/point-effect.js'
import { api } from '../../state/api.js'
import { saveDocument } from '../../state/job-document.js'
import { loadJobs, type ShownJob } from '../../state/jobs.js'
import { say } from '../../state/toasts.js'
import { t } from '../../texts.js'

interface PointProps {
  readonly of: ShownJob
  readonly field: string
  readonly close: () => void
}

export function MakePoint({ of, field, close }: PointProps) {
  const before = [...of.features]
  const make = async (): Promise<void> => {
    const { training } = await api.addDecisionPoints({ job_id: of.job_id, body: { add: [field] } })
    await loadJobs()
    say(t('buckets.added', { field, training }), async () => {
      await saveDocument(of, { decision_points: before })
    })
  }
  return (
    <Confirm title={t('tree.point_title', { field })} verb={t('tree.point')} close={close} act={make}>
      <PointEffect of={of} points={[...before, field]} />
    </Confirm>
  )
}
