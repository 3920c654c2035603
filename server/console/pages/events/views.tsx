/** The menu of named views, and the star that saves what is shown under a name. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { Confirm } from '../../parts/confirm.js'
import { Icon } from '../../parts/icon.js'
import { may } from '../../state/api.js'
import type { ShownJob } from '../../state/jobs.js'
import { deleteView, loadViews, saveView, views, type NamedView } from '../../state/views.js'
import { fail } from '../../state/toasts.js'
import { t } from '../../texts.js'
import { addressOf } from './view.js'
import type { View } from '../../first-requests.js'

/** Characters of an address, with the cookies that scripts see, that a browser surely gets an answer to. */
const ADDRESS_CHARS_MAX = 16_384

interface ViewsProps {
  readonly of: ShownJob
  readonly view: View
}

function Save({
  of,
  address,
  current,
  close,
}: {
  readonly of: ShownJob
  readonly address: string
  readonly current: NamedView | null
  readonly close: () => void
}) {
  const name = useSignal(current?.isOwn === true ? current.name : '')
  const isShared = useSignal(current?.isShared ?? false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const isKnown = views.value.some((view) => view.isOwn && view.jobId === of.job_id && view.name === name.value.trim())
  return (
    <Confirm
      title={t('views.save')}
      verb={t(isKnown ? 'views.replace' : 'save')}
      close={close}
      isReady={name.value.trim() !== ''}
      act={() => {
        // What a page asks for is sent with the cookies: the service reads 20 KiB of both (server/http/library.ts).
        const n = address.length
        if (n + document.cookie.length > ADDRESS_CHARS_MAX)
          throw new Error(t('views.too_long', { n, most: ADDRESS_CHARS_MAX }))
        return saveView(of.job_id, address, name.value.trim(), isShared.value)
      }}
    >
      <label>
        {t('views.name')}
        <input ref={input} value={name.value} onInput={({ currentTarget: { value } }) => (name.value = value)} />
      </label>
      <label class="inline">
        <input
          type="checkbox"
          checked={isShared.value}
          onChange={({ currentTarget: { checked } }) => (isShared.value = checked)}
        />
        {t('views.shared')}
      </label>
    </Confirm>
  )
}

function Item({ one, isCurrent }: { readonly one: NamedView; readonly isCurrent: boolean }) {
  return (
    <div class="row view-item">
      <a class="grow" href={addresses.events(one.jobId, one.address)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="ellipsis bidi grow">{one.name}</span>
        <span class="dim">{one.isOwn ? (one.isShared ? t('views.is_shared') : '') : one.owner}</span>
      </a>
      {one.isOwn ? (
        <button
          type="button"
          class="plain icon-only"
          aria-label={t('views.delete', { name: one.name })}
          onClick={() => void deleteView(one)}
        >
          <Icon name="trash-2" />
        </button>
      ) : null}
    </div>
  )
}

/** The menu and the star. */
export function Views({ of, view }: ViewsProps) {
  const isSaving = useSignal(false)
  useEffect(() => void loadViews().catch(fail), [])
  const address = new URL(addressOf(view), location.origin).search.slice(1)
  const known = views.value.filter(({ jobId }) => jobId === of.job_id)
  const current = known.find((one) => one.address === address) ?? null
  return (
    <>
      <details class="menu views">
        <summary>
          <span class="hidden">{t('views.title')}</span>
          <span class="ellipsis bidi">{current?.name ?? t(address === '' ? 'views.all' : 'views.unnamed')}</span>
          <Icon name="chevron-down" />
        </summary>
        <nav class="menu-list" aria-label={t('views.title')}>
          <a href={addresses.events(of.job_id)} aria-current={address === '' ? 'true' : undefined}>
            {t('views.all')}
          </a>
          <a href={addresses.events(of.job_id, new URLSearchParams({ q: 'assigned:me' }).toString())}>
            {t('views.mine')}
          </a>
          <a href={addresses.events(of.job_id, new URLSearchParams({ q: '-consensus:*' }).toString())}>
            {t('views.unvoted')}
          </a>
          {may('write:event_feedback') ? <a href={addresses.voteTasks(of.job_id)}>{t('tasks.title')}</a> : null}
          {known.length === 0 ? null : <hr />}
          {known.map((one) => (
            <Item key={one.id} one={one} isCurrent={one === current} />
          ))}
        </nav>
      </details>
      <button
        type="button"
        class={current === null ? 'plain icon-only' : 'plain icon-only starred'}
        aria-label={t('views.save')}
        title={t('views.save')}
        onClick={() => (isSaving.value = true)}
      >
        <Icon name="star" />
      </button>
      {isSaving.value ? (
        <Save of={of} address={address} current={current} close={() => (isSaving.value = false)} />
      ) : null}
    </>
  )
}
