/** The entry of the console in the browser: shows the page at the address, or the sign-in form. */
import { ApiError, isSignedIn, signIn, signOut } from './api.js'
import { button, document, element, field, location, type Element } from './dom.js'
import { pageAt } from './pages.js'

const main = document.getElementById('main')
const notice = document.getElementById('notice')

function failed(error: unknown): void {
  notice.textContent = error instanceof Error ? error.message : String(error)
  if (!(error instanceof ApiError && error.status === 401)) return
  if (isSignedIn()) notice.textContent = 'This key or token is not known, or it has expired.'
  signOut()
  main.replaceChildren(signInForm())
}

function signInForm(): Element {
  const key = field('password', 'API key or token')
  const username = field('text', 'User name')
  const password = field('password', 'Password')
  const form = element(
    'form',
    {},
    element('p', {}, key),
    element('p', {}, 'or'),
    element('p', {}, username, ' ', password),
    element('button', {}, 'Sign in'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    signIn(key.value.trim(), username.value.trim(), password.value).then(draw).catch(failed)
  })
  return form
}

async function draw(): Promise<void> {
  notice.textContent = ''
  if (!isSignedIn()) return main.replaceChildren(signInForm())
  const leave = button(
    'Sign out',
    async () => {
      signOut()
      await draw()
    },
    failed,
  )
  main.replaceChildren(element('footer', {}, leave))
  main.replaceChildren(await pageAt(location.pathname, { draw, failed }), element('footer', {}, leave))
}

draw().catch(failed)
