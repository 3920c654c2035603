/** The form to sign in: the whole page at first, a dialog over the page when a session has ended. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api, messageOf, session } from '../state/api.js'
import { tellSignedIn } from '../state/begin.js'
import { waiting } from '../state/votes.js'
import type { SignInMethods } from '../../client/index.js'
import { count, t } from '../texts.js'
import { Form } from '../parts/form.js'
import { Icon } from '../parts/icon.js'

/** The way to the provider, and back to this page. */
function providerAddress(path: string): string {
  return `${path}?return_to=${encodeURIComponent(location.pathname + location.search)}`
}

function SignInForm({ isAgain }: { readonly isAgain: boolean }) {
  const problem = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  /** What is typed; null: nothing, the provider signs in. */
  const typed = useSignal<'password' | 'key' | null>('password')
  const ways = useSignal<SignInMethods>({ password: true, single_sign_on: null })
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [typed.value])
  useEffect(() => {
    // Without an answer the form stays as it is.
    api.getSignInMethods().then(
      (offered) => {
        ways.value = offered
        if (!offered.password) typed.value = offered.single_sign_on === null ? 'key' : null
      },
      () => {},
    )
  }, [])
  async function submit(data: FormData): Promise<void> {
    const text = (name: string): string => String(data.get(name) ?? '')
    isBusy.value = true
    problem.value = null
    try {
      const body =
        typed.value === 'key' ? { key: text('key') } : { username: text('username').trim(), password: text('password') }
      session.value = await api.signIn({ body })
      tellSignedIn()
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      isBusy.value = false
    }
  }
  const provider = ways.value.single_sign_on
  return (
    <Form class="sign-in" submit={submit}>
      <p class="row product">
        <Icon name="shield-check" class="large" /> {t('sign_in.product')}
      </p>
      <h1>{isAgain ? t('sign_in.again') : t('sign_in.title')}</h1>
      {isAgain ? <p class="dim">{t('sign_in.kept')}</p> : null}
      {waiting.value.length > 0 ? <p>{count('votes.waiting', waiting.value.length)}</p> : null}
      {provider === null ? null : (
        <a class="button primary" href={providerAddress(provider)}>
          {t('sign_in.by_provider')}
        </a>
      )}
      {provider === null || typed.value === null ? null : <p class="divider dim">{t('sign_in.or')}</p>}
      {typed.value === 'key' ? (
        <label key="key">
          {t('sign_in.key')}
          <input ref={first} name="key" type="password" autocomplete="off" required />
        </label>
      ) : null}
      {typed.value === 'password' ? (
        <>
          <label key="username">
            {t('sign_in.username')}
            <input ref={first} name="username" autocomplete="username" required />
          </label>
          <label key="password">
            {t('sign_in.password')}
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
        </>
      ) : null}
      {problem.value === null ? null : (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
      {typed.value === null ? null : (
        <button type="submit" class={provider === null ? 'primary' : ''} disabled={isBusy.value}>
          {t('sign_in.submit')}
        </button>
      )}
      {ways.value.password || typed.value === null ? (
        <button type="button" class="plain" onClick={() => (typed.value = typed.value === 'key' ? 'password' : 'key')}>
          {typed.value === 'key' ? t('sign_in.by_password') : t('sign_in.by_key')}
        </button>
      ) : null}
    </Form>
  )
}

export function SignIn({ isAgain = false }: { readonly isAgain?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isAgain && ref.current?.open === false) ref.current.showModal()
  }, [isAgain])
  if (!isAgain)
    return (
      <main class="center">
        <SignInForm isAgain={false} />
      </main>
    )
  return (
    <dialog ref={ref} class="dialog" aria-label={t('sign_in.again')} onCancel={(event) => event.preventDefault()}>
      <SignInForm isAgain />
    </dialog>
  )
}
