/** The models of a job and the way back to one, the challenger, and whether the model ages. */
import { JobFrame } from '../../parts/job-head.js'
import { useData } from '../../state/data.js'
import { api } from '../../state/api.js'
import { hasClusters, job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import NotFound from '../not-found.js'
import { ChallengerPart } from './challenger.js'
import { Drift } from './drift.js'
import { ModelHistory } from './history.js'

/** So many models are shown, the latest first. */
const SIZE = 50

function ModelsOf({ of }: { readonly of: ShownJob }) {
  const models = useData(`models ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    api.listModels({ job_id: of.job_id, size: SIZE }, { signal }),
  )
  return (
    <JobFrame of={of}>
      <ModelHistory of={of} data={models} />
      {hasClusters(of) ? null : <ChallengerPart of={of} models={models.value?.models ?? []} changed={models.reload} />}
      <Drift of={of} />
    </JobFrame>
  )
}

export default function Models() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <ModelsOf key={of.job_id} of={of} />
}
