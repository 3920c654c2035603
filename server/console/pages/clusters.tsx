/** Clusters of a root cause job, the latest first. */
import { useSignal } from '@preact/signals'
import type { ClusterView } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { api } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { job as jobOfPage, type ShownJob } from '../state/jobs.js'
import { attempt } from '../state/toasts.js'
import { count, number, t } from '../texts.js'
import NotFound from './not-found.js'

const SIZE = 50
const CAUSES = 3

function causesText({ root_causes: causes }: ClusterView): string {
  const shown = causes.slice(0, CAUSES).map(({ kind, about }) => `${kind} · ${about}`)
  return plainText(shown.join(', ')) || t('clusters.no_cause')
}

function ClustersOf({ of }: { readonly of: ShownJob }) {
  const more = useSignal<readonly ClusterView[]>([])
  const next = useSignal<string | null>(null)
  const data = useData(`clusters ${of.job_id}`, async (signal) => {
    const page = await api.listClusters({ job_id: of.job_id, size: SIZE }, { signal })
    more.value = []
    next.value = page.next
    return page
  })
  const load = async (): Promise<void> => {
    const after = next.value
    if (after === null) return
    await attempt(async () => {
      const page = await api.listClusters({ job_id: of.job_id, size: SIZE, after })
      more.value = [...more.value, ...page.clusters]
      next.value = page.next
    })
  }
  return (
    <div class="page">
      <h1>{t('place.clusters')}</h1>
      <Loaded data={data} lines={8}>
        {({ clusters, total }) =>
          clusters.length === 0 ? (
            <Empty title={t('clusters.none')} text={t('clusters.none_text')} icon="network" />
          ) : (
            <section class="panel stack">
              <p class="dim">{count('clusters.found', total)}</p>
              <Table
                columns={[
                  { text: t('clusters.head.cause') },
                  { text: t('clusters.head.state') },
                  { text: t('clusters.head.size'), isNumber: true },
                  { text: t('clusters.head.first'), isNumber: true },
                  { text: t('clusters.head.last'), isNumber: true },
                ]}
                rows={[...clusters, ...more.value].map((cluster) => ({
                  key: cluster.cluster_id,
                  cells: [
                    <a key="a" href={addresses.cluster(of.job_id, cluster.cluster_id)}>
                      {causesText(cluster)}
                    </a>,
                    t(`clusters.${cluster.state}`),
                    number(cluster.size),
                    <Time key="f" at={cluster.first_time} />,
                    <Time key="l" at={cluster.last_time} />,
                  ],
                }))}
              />
              {next.value === null ? null : (
                <button type="button" onClick={() => void load()}>
                  {t('page.more')}
                </button>
              )}
            </section>
          )
        }
      </Loaded>
    </div>
  )
}

export default function Clusters() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <ClustersOf key={of.job_id} of={of} />
}
