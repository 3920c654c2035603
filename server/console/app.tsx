/**
 * The console: who is signed in, which page the address is of, and what is on every page.
 *
 * Owns: the router. Leaves out: pages (pages/), the bar above them (shell/).
 *
 * 1. Pages are loaded when they are first visited, and stay.
 * 2. A session that ends puts the form to sign in over the page. What is on the page stays.
 */
import { useSignal } from '@preact/signals'
import { ErrorBoundary, lazy, LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { inConsole, jobIdOf } from './addresses.js'
import { Failed, Skeleton } from './parts/feedback.js'
import { Toasts } from './parts/toasts.js'
import { Bar } from './shell/bar.js'
import { Foot } from './shell/foot.js'
import { Help } from './shell/help.js'
import { Palette } from './shell/palette.js'
import { SignIn } from './shell/sign-in.js'
import { useGlobalCommands } from './shell/commands.js'
import { loadSession, messageOf, session } from './state/api.js'
import { jobs, loadJobs, lookAt } from './state/jobs.js'
import { part } from './state/parts.js'
import { fail } from './state/toasts.js'

const Home = lazy(() => part(() => import('./pages/home.js')))
const Next = lazy(() => part(() => import('./pages/next/next.js')))
const Events = lazy(() => part(() => import('./pages/events/events.js')))
const Event = lazy(() => part(() => import('./pages/event/event.js')))
const Jobs = lazy(() => part(() => import('./pages/jobs.js')))
const NewJob = lazy(() => import('./pages/new-job/new-job.js'))
const JobPage = lazy(() => part(() => import('./pages/job/job.js')))
const Models = lazy(() => part(() => import('./pages/models/models.js')))
const Replays = lazy(() => part(() => import('./pages/replays/replays.js')))
const Replay = lazy(() => part(() => import('./pages/replays/replay.js')))
const Safety = lazy(() => part(() => import('./pages/safety/safety.js')))
const Pipeline = lazy(() => part(() => import('./pages/pipeline/pipeline.js')))
const Settings = lazy(() => part(() => import('./pages/settings/settings.js')))
const Integration = lazy(() => part(() => import('./pages/integration.js')))
const Keys = lazy(() => part(() => import('./pages/keys.js')))
const Buckets = lazy(() => part(() => import('./pages/buckets.js')))
const Bucket = lazy(() => part(() => import('./pages/bucket.js')))
const Clusters = lazy(() => part(() => import('./pages/clusters.js')))
const Cluster = lazy(() => part(() => import('./pages/cluster.js')))
const Integrations = lazy(() => part(() => import('./pages/integrations.js')))
const Operations = lazy(() => part(() => import('./pages/operations.js')))
const Audit = lazy(() => part(() => import('./pages/audit.js')))
const People = lazy(() => part(() => import('./pages/people.js')))
const NotFound = lazy(() => part(() => import('./pages/not-found.js')))

/** The part of the page that the address is of is loaded beside the session, and not after it. */
const early: readonly (readonly [RegExp, { preload: () => Promise<unknown> }])[] = [
  [/^\/jobs\/feedback-flow\//, Next],
  [/^\/jobs\/\d+\/events\/./, Event],
  [/^\/jobs\/\d+\/events/, Events],
  [/^\/use-cases\/|^\/jobs\/\d+$/, JobPage],
  [/^\/$/, Next],
]
early
  .find(([path]) => path.test(location.pathname))?.[1]
  .preload()
  .catch(() => {})

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
  useEffect(() => {
    if (jobs.value === null) loadJobs().catch(fail)
  }, [session.value?.name])
  useGlobalCommands()
  return (
    <>
      <a class="skip" href="#main">
        {'→'}
      </a>
      <Bar path={path} />
      <main id="main" tabIndex={-1}>
        {jobs.value === null ? <Skeleton /> : <Pages />}
      </main>
      <Foot />
      <Toasts />
      <Help />
      <Palette />
    </>
  )
}

function Root() {
  const problem = useSignal<string | null>(null)
  const wasSignedIn = useSignal(false)
  const load = (): void => {
    problem.value = null
    loadSession().catch((error: unknown) => (problem.value = messageOf(error)))
  }
  useEffect(load, [])
  const { value } = session
  if (value != null) wasSignedIn.value = true
  if (value === undefined) return problem.value === null ? <Skeleton /> : <Failed error={problem.value} retry={load} />
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
