/** The address `/`: what the person did last goes on. */
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { addresses } from '../addresses.js'
import { Skeleton } from '../parts/feedback.js'
import { may } from '../state/api.js'
import { job } from '../state/jobs.js'

export default function Home() {
  const { route } = useLocation()
  const of = job.value
  useEffect(() => {
    if (of === null) route(may('write:resources', 'write:events') ? addresses.newJob : addresses.jobs, true)
    else route(may('read:event_query') ? addresses.next(of.job_id) : addresses.job(of.job_id), true)
  }, [])
  return <Skeleton />
}
