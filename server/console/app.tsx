/**
 * The console: who is signed in, which page the address is of, and what is on every page.
 *
 * Owns: the router. Leaves out: pages (pages/), the bar above them (shell/).
 *
 * 1. Next and Events are opened all day: they come with the program, and the page of an event soon after. Other pages
 *    are loaded when the first of them is visited, and stay.
 * 2. A session that ends puts the form to sign in over the page. What is on the page stays.
 */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { ErrorBoundary, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { inConsole, jobIdOf } from './addresses.js'
import Events from './pages/events/events.js'
import { askPage } from './pages/events/source.js'
import { viewOf } from './first-requests.js'
import Home from './pages/home.js'
import Next from './pages/next/next.js'
import { askQueue } from './pages/next/queue.js'
import NotFound, { Forbidden } from './pages/not-found.js'
import { Failed, Skeleton } from './parts/feedback.js'
import { Confirmations } from './parts/confirmation.js'
import { latePage } from './parts/late.js'
import { Failures } from './parts/toasts.js'
import { Bar } from './shell/bar.js'
import { Foot } from './shell/foot.js'
import { Help } from './shell/help.js'
import { Palette } from './shell/palette.js'
import { SignIn } from './shell/sign-in.js'
import { shownPath } from './state/title.js'
import { useGlobalCommands } from './shell/commands.js'
import { messageOf, session } from './state/api.js'
import { t } from './texts.js'
import { begin } from './state/begin.js'
import { jobs, loadJobs, lookAt } from './state/jobs.js'
import { lackingScope } from './state/places.js'
import { fail } from './state/toasts.js'

/** One of the pages that are loaded late (pages/others.ts). */
function other(name: keyof typeof import('./pages/others.js')) {
  return latePage(async () => (await import('./pages/others.js'))[name] as ComponentType<object>)
}

const Event = latePage(async () => (await import('./pages/late.js')).Event)
const Jobs = other('Jobs')
const NewJob = latePage(async () => (await import('./pages/new-job/new-job.js')).default)
const JobPage = other('JobPage')
const Models = other('Models')
const Replays = other('Replays')
const Replay = other('Replay')
const Safety = other('Safety')
const Pipeline = other('Pipeline')
const Settings = other('Settings')
const VoteTasks = other('VoteTasks')
const Integration = other('Integration')
const Keys = other('Keys')
const Buckets = other('Buckets')
const Bucket = other('Bucket')
const Clusters = other('Clusters')
const Cluster = other('Cluster')
const Integrations = other('Integrations')
const Operations = other('Operations')
const Audit = other('Audit')
const People = other('People')

/** What the page of the first address shows is requested beside the session, and its part of the program loaded. */
function prepare({ pathname, search }: Location): void {
  const id = jobIdOf(pathname)
  if (id !== null && pathname.startsWith('/jobs/feedback-flow/')) askQueue(id)
  else if (id !== null && /\/events\/*$/.test(pathname))
    askPage(viewOf(id, Object.fromEntries(new URLSearchParams(search))))
  else if (/\/events\/[^/]/.test(pathname)) return void Event.preload()
  else if (/^\/use-cases\/|^\/jobs\/\d+$/.test(pathname)) void JobPage.preload()
}

/** The page of an event is opened from the others, so it is loaded when these are there. */
const EVENT_AFTER_MS = 3_000

prepare(location)
setTimeout(() => void Event.preload(), EVENT_AFTER_MS)
const begun = begin()

function Pages() {
  return (
    <ErrorBoundary onError={fail}>
      <Router>
        <Route path="/" component={Home} />
        <Route path="/jobs" component={Jobs} />
        <Route path="/jobs/new" component={NewJob} />
        <Route path="/jobs/feedback-flow/:job" component={Next} />
        <Route path="/use-cases/overview/:job" component={JobPage} />
        <Route path="/jobs/:job/events/:event" component={Event} />
        <Route path="/jobs/:job/events" component={Events} />
        <Route path="/jobs/:job/buckets/:bucket" component={Bucket} />
        <Route path="/jobs/:job/buckets" component={Buckets} />
        <Route path="/jobs/:job/clusters/:cluster" component={Cluster} />
        <Route path="/jobs/:job/clusters" component={Clusters} />
        <Route path="/jobs/:job/models" component={Models} />
        <Route path="/jobs/:job/replays/:replay" component={Replay} />
        <Route path="/jobs/:job/replays" component={Replays} />
        <Route path="/jobs/:job/safety" component={Safety} />
        <Route path="/jobs/:job/pipeline" component={Pipeline} />
        <Route path="/jobs/:job/settings" component={Settings} />
        <Route path="/jobs/:job/bulk-votes" component={VoteTasks} />
        <Route path="/jobs/:job" component={JobPage} />
        <Route path="/integrations" component={Integrations} />
        <Route path="/operations" component={Operations} />
        <Route path="/audit" component={Audit} />
        <Route path="/people" component={People} />
        <Route path="/integrations/:id/edit" component={Integration} />
        <Route path="/api-keys" component={Keys} />
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  )
}

function SignedIn() {
  const { path } = useLocation()
  const id = jobIdOf(path)
  useEffect(() => lookAt(id), [id])
  useEffect(() => void (shownPath.value = path), [path])
  useEffect(() => {
    if (jobs.value === null) loadJobs().catch(fail)
  }, [session.value?.name])
  useGlobalCommands()
  const lacking = lackingScope(path)
  return (
    <>
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <Bar path={path} />
      <main id="main" tabIndex={-1}>
        {jobs.value === null ? <Skeleton /> : lacking === null ? <Pages /> : <Forbidden scope={lacking} />}
      </main>
      <Foot />
      <Failures />
      <Confirmations />
      <Help />
      <Palette />
    </>
  )
}

function Root() {
  const problem = useSignal<string | null>(null)
  const wasSignedIn = useSignal(false)
  const wait = (first: Promise<void>): void => {
    problem.value = null
    first.catch((error: unknown) => (problem.value = messageOf(error)))
  }
  useEffect(() => wait(begun), [])
  const { value } = session
  if (value != null) wasSignedIn.value = true
  if (value === undefined)
    return problem.value === null ? <Skeleton /> : <Failed error={problem.value} retry={() => wait(begin())} />
  if (value === null && !wasSignedIn.value) return <SignIn />
  return (
    <>
      <SignedIn />
      {value === null ? <SignIn isAgain /> : null}
    </>
  )
}

export function App() {
  return (
    <LocationProvider scope={inConsole}>
      <Root />
    </LocationProvider>
  )
}
