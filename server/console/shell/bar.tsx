/** The bar above every page: the job, its pages, the palette, the theme, the person. */
import { useEffect } from 'preact/hooks'
import { addresses, isOfJob } from '../addresses.js'
import { Icon } from '../parts/icon.js'
import { part } from '../parts/late.js'
import { Key } from '../parts/keys.js'
import { api, may, session } from '../state/api.js'
import { job, jobs } from '../state/jobs.js'
import { preferences } from '../state/preferences.js'
import { attempt } from '../state/toasts.js'
import { t } from '../texts.js'
import { nextTheme } from './commands.js'
import { isHelpOpen, isPaletteOpen, lateDialog } from './open.js'
import { placesOfJob, placesOfService, type Place } from '../state/places.js'

/** `details` that closes when the focus or a click goes elsewhere. */
function useMenus(path: string): void {
  useEffect(() => {
    const close = (event: Event): void => {
      for (const open of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
        const isInside = event.target instanceof Node && open.contains(event.target)
        if (!isInside || (event as KeyboardEvent).key === 'Escape') open.open = false
      }
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close(event)
    }
    addEventListener('pointerdown', close)
    addEventListener('focusin', close)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', close)
      removeEventListener('focusin', close)
      removeEventListener('keydown', onKey)
    }
  }, [])
  useEffect(() => {
    for (const open of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) open.open = false
  }, [path])
}

function JobMenu() {
  const all = jobs.value ?? []
  const current = job.value
  return (
    <details class="menu">
      <summary>
        <span class="hidden">{t('bar.job')}</span>
        <span class="ellipsis">{current?.title ?? t('bar.no_job')}</span>
        <Icon name="chevron-down" />
      </summary>
      <nav class="menu-list" aria-label={t('bar.jobs')}>
        {all.map(({ job_id: id, title }) => (
          <a key={id} href={addresses.next(id)} aria-current={id === current?.job_id ? 'true' : undefined}>
            <span class="ellipsis">{title}</span>
          </a>
        ))}
        <hr />
        <a href={addresses.jobs}>{t('bar.all_jobs')}</a>
        {may('write:resources', 'write:events') ? (
          <a href={addresses.newJob}>
            <Icon name="plus" /> {t('place.new_job')}
          </a>
        ) : null}
      </nav>
    </details>
  )
}

async function signOut(): Promise<void> {
  await attempt(async () => {
    const { sign_out_at: atProvider } = await api.signOut()
    location.assign(atProvider ?? addresses.home)
  })
}

async function changePassword(): Promise<void> {
  await attempt(async () => {
    const { Password } = await part(() => import('../pages/others.js'))
    lateDialog.value = Password
  })
}

function PersonMenu({ places }: { readonly places: readonly Place[] }) {
  return (
    <details class="menu right">
      <summary>
        <span class="hidden">{t('bar.person')}</span>
        <span class="ellipsis wide-only">{session.value?.name ?? ''}</span>
        <Icon name="menu" />
      </summary>
      <nav class="menu-list" aria-label={t('bar.person')}>
        <p class="dim">
          {session.value?.name} · {session.value?.role ?? t(`kind.${session.value?.kind ?? 'user'}`)}
        </p>
        {places.map(({ text, icon, href }) => (
          <a key={href} href={href}>
            <Icon name={icon} /> {t(text)}
          </a>
        ))}
        <hr />
        <a href={addresses.manual}>
          <Icon name="circle-help" /> {t('bar.manual')}
        </a>
        <a href={addresses.api}>
          <Icon name="info" /> {t('bar.api')}
        </a>
        <button type="button" onClick={() => (isHelpOpen.value = true)}>
          <Icon name="keyboard" /> {t('bar.shortcuts')}
        </button>
        {session.value?.kind === 'user' ? (
          <button type="button" onClick={() => void changePassword()}>
            <Icon name="key-round" /> {t('bar.password')}
          </button>
        ) : null}
        <button type="button" onClick={() => void signOut()}>
          <Icon name="log-out" /> {t('bar.sign_out')}
        </button>
      </nav>
    </details>
  )
}

/** True on a page below the place. */
function isUnder(path: string, href: string): boolean {
  return path.startsWith(`${href}/`) || (isOfJob(href) && isOfJob(path))
}

const themeIcons = { auto: 'monitor', light: 'sun', dark: 'moon' } as const

export function Bar({ path }: { readonly path: string }) {
  useMenus(path)
  const { theme } = preferences.value
  const current = job.value
  const Late = lateDialog.value
  return (
    <header class="bar">
      <a class="home" href={addresses.home} aria-label={t('bar.home')}>
        <Icon name="shield-check" />
      </a>
      <JobMenu />
      <nav class="places" aria-label={t('bar.pages')}>
        {(current === null ? [] : placesOfJob(current)).map(({ text, icon, href }) => (
          <a key={href} href={href} aria-current={path === href ? 'page' : isUnder(path, href) ? 'true' : undefined}>
            <Icon name={icon} />
            {t(text)}
          </a>
        ))}
      </nav>
      <span class="grow" />
      <button type="button" class="find" onClick={() => (isPaletteOpen.value = true)}>
        <Icon name="search" />
        <span class="narrow-hidden">{t('bar.find')}</span>
        <span class="wide-only">
          <Key of="palette" />
        </span>
      </button>
      <button
        type="button"
        class="plain icon-only"
        aria-label={t('bar.theme', { theme: t(`theme.${theme}`) })}
        title={t('bar.theme', { theme: t(`theme.${theme}`) })}
        onClick={nextTheme}
      >
        <Icon name={themeIcons[theme]} />
      </button>
      <PersonMenu places={placesOfService()} />
      {Late === null ? null : <Late close={() => (lateDialog.value = null)} />}
    </header>
  )
}
