/** An integration: its parameters as a form, and all of it as JSON. */
import { useSignal } from '@preact/signals'
import { useRoute } from 'preact-iso'
import type { ShownResource } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Empty, Failed, Skeleton } from '../../parts/feedback.js'
import { api, may } from '../../state/api.js'
import { useData, type Data } from '../../state/data.js'
import { attempt, say } from '../../state/toasts.js'
import { t } from '../../texts.js'
import type { ParameterSchema } from './changes.js'
import { ParametersForm } from './fields.js'

interface Shown {
  readonly of: ShownResource
  /** The parameters of its type; null where they need not be known. */
  readonly schema: ParameterSchema | null
}

async function read(id: string, signal: AbortSignal): Promise<Shown | null> {
  const [of] = await api.listResources({ resource_type: 'integration', id }, { signal })
  if (of === undefined) return null
  if (of.built_in === true || !may('write:resources')) return { of, schema: null }
  const metadata = await api.getIntegrationMetadata({ type: String(of.integration_type) }, { signal })
  const { connection_parameters: schema } = metadata as { readonly connection_parameters?: unknown }
  return { of, schema: (schema ?? null) as ParameterSchema | null }
}

function AsJson({ of, saved }: { readonly of: ShownResource; readonly saved: () => void }) {
  const text = useSignal(JSON.stringify(of, null, 2))
  const save = async (): Promise<void> => {
    const isSaved = await attempt(() => {
      const changed = JSON.parse(text.value) as ShownResource
      // A title is what finds an integration: with another one it would be a second one.
      if (changed.title !== of.title) throw new Error(t('integration.title_stays', { title: String(of.title) }))
      return api.applyResources({ body: [changed] })
    })
    if (!isSaved) return
    say(t('integration.saved'))
    saved()
  }
  return (
    <details class="panel">
      <summary>{t('integration.as_json')}</summary>
      <div class="stack">
        <textarea
          rows={24}
          spellcheck={false}
          aria-label={t('integration.label')}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <div class="row">
          <button type="button" onClick={() => void save()}>
            {t('integration.save_json')}
          </button>
          <button type="button" onClick={() => (text.value = JSON.stringify(of, null, 2))}>
            {t('integration.reset')}
          </button>
        </div>
      </div>
    </details>
  )
}

function Edit({ of, schema, data }: Shown & { readonly data: Data<Shown | null> }) {
  // What is in the fields stays while it is saved. They are made anew where they were passed over.
  const round = useSignal(0)
  const savedAsJson = (): void => {
    round.value++
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
      {schema === null ? (
        <>
          {of.built_in === true ? <p class="dim">{t('integration.built_in')}</p> : null}
          <pre class="wrap">{JSON.stringify(of, null, 2)}</pre>
        </>
      ) : (
        <>
          <p class="dim">{String(of.integration_type)}</p>
          <ParametersForm key={round.value} of={of} schema={schema} saved={data.reload} />
          <AsJson key={JSON.stringify(of)} of={of} saved={savedAsJson} />
        </>
      )}
    </div>
  )
}

export default function Integration() {
  const id = useRoute().params.id ?? ''
  const data = useData(`integration ${id}`, (signal) => read(id, signal))
  if (data.value !== null) return <Edit key={id} {...data.value} data={data} />
  if (data.error !== null) return <Failed error={data.error} retry={data.reload} />
  if (data.isLoading) return <Skeleton />
  return <Empty isPage title={t('integration.none')} text={t('not_found.text')} icon="plug" />
}
