/** One cluster: when its alerts came, and which follows from which. */
import { useRoute } from 'preact-iso'
import type { ClusterMember, ClusterTree } from '../../client/index.js'
import { addresses } from '../addresses.js'
import { Label } from '../parts/label.js'
import { Loaded } from '../parts/loaded.js'
import { Time } from '../parts/time.js'
import { api } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { job as jobOfPage, type ShownJob } from '../state/jobs.js'
import { timeText } from '../state/times.js'
import { count, percent, t } from '../texts.js'
import NotFound from './not-found.js'

const SIZE = 200
const WIDTH = 1000
const HEIGHT = 90
const DEPTH_ROWS = 5

interface Placed {
  readonly member: ClusterMember
  readonly depth: number
}

function flat(members: readonly ClusterMember[], depth = 0): Placed[] {
  return members.flatMap((member) => [
    { member, depth },
    ...flat(member.members as unknown as readonly ClusterMember[], depth + 1),
  ])
}

/** The times of the first and the last alert, in milliseconds. */
function spanOf(placed: readonly Placed[]): [first: number, last: number] {
  const times = placed.map(({ member }) => Date.parse(member.time))
  return [Math.min(...times), Math.max(...times)]
}

/** How much later, to two digits or so. */
function delayText(seconds: number): string {
  if (seconds < 1) return t('cluster.delay.ms', { n: Math.round(seconds * 1000) })
  if (seconds < 120) return t('cluster.delay.s', { n: Math.round(seconds * 10) / 10 })
  return t('cluster.delay.min', { n: Math.round(seconds / 6) / 10 })
}

/** The alerts on a line of time; what follows from others lies lower. */
function TimeLine({ of, placed }: { readonly of: ShownJob; readonly placed: readonly Placed[] }) {
  const [first, last] = spanOf(placed)
  const x = (ms: number): number => 12 + ((ms - first) / Math.max(1, last - first)) * (WIDTH - 24)
  return (
    <svg
      class="time-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('cluster.time_line')}
    >
      {placed.map(({ member, depth }) => {
        const label = member.result_label || (member.suggestion?.result_label ?? '')
        const color = of.styles.find(({ name }) => name === label)?.color ?? '#888888'
        return (
          <rect
            key={member.event_id}
            class="point"
            style={{ '--label': color }}
            x={x(Date.parse(member.time)) - 3}
            y={8 + Math.min(depth, DEPTH_ROWS - 1) * 15}
            width={6}
            height={12}
          >
            <title>{plainText(`${member.kind} · ${member.about} · ${timeText(Date.parse(member.time))}`)}</title>
          </rect>
        )
      })}
    </svg>
  )
}

function Member({ of, member }: { readonly of: ShownJob; readonly member: ClusterMember }) {
  const { follows_from: from, suggestion } = member
  const members = member.members as unknown as readonly ClusterMember[]
  return (
    <li>
      <div class="row">
        <a class="bidi" href={addresses.event(of.job_id, member.event_id)}>
          {plainText(`${member.kind} · ${member.about}`)}
        </a>
        {member.result_label === '' && suggestion !== null ? (
          <span class="label dim">
            {t('cluster.suggested')} <Label of={of} label={suggestion.result_label} />
          </span>
        ) : (
          <Label of={of} label={member.result_label} />
        )}
        {from === null ? null : (
          <span class="dim">
            {t('cluster.after', { delay: delayText(from.delay_s), belief: percent(from.belief * 100) })}
          </span>
        )}
        <span class="dim">
          <Time at={member.time} />
        </span>
      </div>
      {members.length === 0 ? null : (
        <ul>
          {members.map((one) => (
            <Member key={one.event_id} of={of} member={one} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Shown({ of, tree }: { readonly of: ShownJob; readonly tree: ClusterTree }) {
  const { cluster, members } = tree
  const placed = flat(members)
  const [first, last] = spanOf(placed)
  return (
    <>
      <header class="card-head">
        <h1 class="bidi">
          {plainText(cluster.root_causes.map(({ kind, about }) => `${kind} · ${about}`).join(', ')) ||
            t('clusters.no_cause')}
        </h1>
        <p class="dim">
          {count('cluster.size', cluster.size)} · {t(`clusters.${cluster.state}`)} · <Time at={cluster.first_time} />
        </p>
      </header>
      <section class="panel">
        <h2>{t('cluster.time_line')}</h2>
        <TimeLine of={of} placed={placed} />
        <p class="row dim">
          <span class="grow">{timeText(first)}</span>
          <span>{timeText(last)}</span>
        </p>
      </section>
      <section class="panel">
        <h2>{t('cluster.tree')}</h2>
        <ul class="cluster-tree">
          {members.map((member) => (
            <Member key={member.event_id} of={of} member={member} />
          ))}
        </ul>
        {tree.next === null ? null : <p class="dim">{t('cluster.cut', { n: placed.length })}</p>}
      </section>
    </>
  )
}

export default function Cluster() {
  const id = useRoute().params.cluster ?? ''
  const of = jobOfPage.value
  const data = useData(of === null ? null : `cluster ${of.job_id} ${id}`, (signal) =>
    api.getCluster({ job_id: of?.job_id ?? 0, cluster_id: id, size: SIZE }, { signal }),
  )
  if (of === null) return <NotFound />
  return (
    <div class="page">
      <Loaded data={data} lines={10}>
        {(tree) => <Shown of={of} tree={tree} />}
      </Loaded>
    </div>
  )
}
