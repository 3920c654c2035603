/** Every page of the console. */
import type { World } from './world.js'

/** Their paths in a world, with what shows that the page is there. */
export async function places(world: World): Promise<[path: string, shows: string][]> {
  const { jobId, causeJobId, client } = world
  const { clusters } = (await client.get(`/api/v2/jobs/${causeJobId}/clusters`)).body
  const { bucket_id: bucket } = (await client.get(`/api/v2/events/${jobId}/e-0/consensus`)).body
  const parameters = { url: 'https://hook.example/' }
  const hook = { type: 'integration', properties: { title: 'Hook', integration_type: 'Webhook', parameters } }
  const { created, updated } = (await client.post('/api/v2/resources', { hook })).body
  const { internal_id: integrationId } = [...created, ...updated][0]
  return [
    ['/jobs', 'main table'],
    [`/jobs/feedback-flow/${jobId}`, '.card .answer'],
    [`/jobs/${jobId}/events`, '.list-row'],
    [`/jobs/${jobId}/events/e-500`, '.tree'],
    [`/jobs/${jobId}/events/hostile`, '.tree'],
    [`/use-cases/overview/${jobId}`, '.numbers .big'],
    [`/jobs/${jobId}/models`, 'main table'],
    [`/jobs/${jobId}/replays`, 'main form'],
    [`/jobs/${jobId}/safety`, 'main form'],
    [`/jobs/${jobId}/pipeline`, 'main table'],
    [`/jobs/${jobId}/settings`, 'main form'],
    [`/jobs/${jobId}/buckets`, 'main table'],
    [`/jobs/${jobId}/buckets/${bucket}`, 'main table'],
    [`/jobs/${causeJobId}/clusters`, 'main table'],
    [`/jobs/${causeJobId}/clusters/${clusters[0].cluster_id}`, '.cluster-tree'],
    ['/integrations', 'main table'],
    ['/integrations/2/edit', 'main pre'],
    [`/integrations/${integrationId}/edit`, 'main form'],
    ['/operations', 'main table'],
    ['/audit', 'main table'],
    ['/people', 'main table'],
    ['/api-keys', 'main table'],
    ['/jobs/999/events', 'main .empty'],
    ['/jobs/new', '.drop'],
  ]
}
