/** API keys: made here, shown once. */
import { useSignal } from '@preact/signals'
import { Failed, Skeleton } from '../parts/feedback.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { Form } from '../parts/form.js'
import { api, may } from '../state/api.js'
import { useData } from '../state/data.js'
import { attempt, say } from '../state/toasts.js'
import { t } from '../texts.js'

interface Key {
  readonly id: string
  readonly name: string
  readonly key_type: string
  readonly created_at: string
}

async function readKeys(signal: AbortSignal): Promise<readonly Key[]> {
  return (await api.listResources({ resource_type: 'api_key' }, { signal })) as unknown as readonly Key[]
}

function Make({ made }: { readonly made: () => void }) {
  const name = useSignal('')
  const value = useSignal('')
  async function make(): Promise<void> {
    await attempt(async () => {
      const answer = await api.applyResources({
        overwrite: false,
        body: { key: { type: 'api_key', properties: { name: name.value.trim() } } },
      })
      value.value = String(answer.created[0]?.value ?? '')
      name.value = ''
      made()
    })
  }
  return (
    <section class="panel stack">
      <Form class="row ends" submit={make}>
        <label class="grow">
          {t('keys.name')}
          <input required value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary">
          {t('keys.make')}
        </button>
      </Form>
      {value.value === '' ? null : (
        <div role="status">
          <p>{t('keys.once')}</p>
          <pre>{value.value}</pre>
        </div>
      )}
    </section>
  )
}

function Delete({ of, gone }: { readonly of: Key; readonly gone: () => void }) {
  const isSure = useSignal(false)
  async function remove(): Promise<void> {
    const isGone = await attempt(() => api.deleteResource({ resource_type: 'api_key', id: of.id }))
    if (!isGone) return
    say(t('keys.gone', { name: of.name }))
    gone()
  }
  if (!may('delete:resources', 'write:api_keys')) return null
  return isSure.value ? (
    <button type="button" class="bad" onClick={() => void remove()}>
      {t('keys.really', { name: of.name })}
    </button>
  ) : (
    <button type="button" class="plain" onClick={() => (isSure.value = true)}>
      {t('delete')}
    </button>
  )
}

export default function Keys() {
  const keys = useData('keys', readKeys)
  return (
    <div class="page">
      <h1>{t('place.keys')}</h1>
      <p class="dim">{t('keys.text')}</p>
      {may('write:resources', 'write:api_keys') ? <Make made={keys.reload} /> : null}
      {keys.error === null ? null : <Failed error={keys.error} retry={keys.reload} />}
      {keys.value === null ? (
        <Skeleton />
      ) : (
        <section class="panel">
          <Table
            columns={[
              { text: t('keys.head.name') },
              { text: t('keys.head.kind') },
              { text: t('keys.head.since'), isNumber: true },
              { text: t('deliveries.head.act'), isNumber: true },
            ]}
            rows={keys.value.map((key) => ({
              key: key.id,
              cells: [
                key.name,
                t(`kind.${key.key_type === 'input' ? 'input' : 'management'}`),
                <Time key="t" at={key.created_at} />,
                <Delete key="d" of={key} gone={keys.reload} />,
              ],
            }))}
          />
        </section>
      )}
    </div>
  )
}
