/** An integration as JSON, to see and to change. */
import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso'
import type { ShownResource } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Empty, Failed, Skeleton } from '../parts/feedback.js'
import { api, may } from '../state/api.js'
import { useData, type Data } from '../state/data.js'
import { attempt, say } from '../state/toasts.js'
import { t } from '../texts.js'

function Edit({ of, data }: { readonly of: ShownResource; readonly data: Data<ShownResource | null> }) {
  const text = useSignal(JSON.stringify(of, null, 2))
  const mayWrite = may('write:resources') && of.built_in !== true
  const save = async (): Promise<void> => {
    const isSaved = await attempt(() => api.applyResources({ body: [JSON.parse(text.value) as ShownResource] }))
    if (!isSaved) return
    say(t('integration.saved'))
    data.reload()
  }
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="grow bidi">{String(of.title)}</h1>
        <a class="button" href={addresses.integrations}>
          {t('place.integrations')}
        </a>
      </header>
      {mayWrite ? (
        <section class="panel stack">
          <p class="dim">{t('integration.secrets')}</p>
          <textarea
            rows={24}
            spellcheck={false}
            aria-label={t('integration.label')}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
          <div class="row">
            <button type="button" class="primary" onClick={() => void save()}>
              {t('save')}
            </button>
            <button type="button" onClick={() => (text.value = JSON.stringify(of, null, 2))}>
              {t('integration.reset')}
            </button>
          </div>
        </section>
      ) : (
        <>
          {of.built_in === true ? <p class="dim">{t('integration.built_in')}</p> : null}
          <pre class="wrap">{text.value}</pre>
        </>
      )}
    </div>
  )
}

export default function Integration() {
  const id = useRoute().params.id ?? ''
  const data = useData(`integration ${id}`, async (signal) => {
    const [found = null] = await api.listResources({ resource_type: 'integration', id }, { signal })
    return found
  })
  if (data.value !== null) return <Edit key={id} of={data.value} data={data} />
  if (data.error !== null) return <Failed error={data.error} retry={data.reload} />
  if (data.isLoading) return <Skeleton />
  return <Empty isPage title={t('integration.none')} text={t('not_found.text')} icon="plug" />
}
