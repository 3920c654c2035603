/** The report of a replay: what would be decided otherwise, what people and outputs would see, where it matters. */
import type { ComponentChildren } from 'preact'
import type { ReplayAgreement, ReplayReach, ReplayReport } from '../../../client/index.js'
import { addresses } from '../../addresses.js'
import { Label } from '../../parts/label.js'
import { Table } from '../../parts/table.js'
import { valueText } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, number, share, t } from '../../texts.js'

const VALUES = 4
const BUCKETS = 20
const EXAMPLES = 20

interface ReportProps {
  readonly of: ShownJob
  readonly report: ReplayReport
}

function Figure({
  title,
  big,
  children,
}: {
  readonly title: string
  readonly big: string
  readonly children: ComponentChildren
}) {
  return (
    <section class="panel">
      <h2 class="small">{title}</h2>
      <p class="big">{big}</p>
      <p class="dim">{children}</p>
    </section>
  )
}

/** `+3`, `-3` or `±0`. */
function differenceText(n: number): string {
  return n === 0 ? '±0' : n > 0 ? `+${number(n)}` : `−${number(-n)}`
}

function reachText({ added, removed }: ReplayReach): string {
  return added === 0 && removed === 0 ? t('report.same') : t('report.reach', { added, removed })
}

function agreementShare({ events }: ReplayAgreement, n: number): string {
  return events === 0 ? '—' : share(n / events)
}

function Head({ report }: { readonly report: ReplayReport }) {
  const { unseen_votes: unseen } = report
  return (
    <div class="numbers">
      <Figure title={t('report.changed')} big={share(report.changed_share)}>
        {t('report.changed_of', { changed: report.changed, events: report.events })}
      </Figure>
      <Figure
        title={t('report.right')}
        big={
          unseen.events === 0
            ? '—'
            : `${agreementShare(unseen, unseen.before)} → ${agreementShare(unseen, unseen.after)}`
        }
      >
        {unseen.events === 0 ? t('report.no_votes') : count('report.votes', unseen.events)}
      </Figure>
      <Figure title={t('report.queue')} big={differenceText(report.queue.after - report.queue.before)}>
        {reachText(report.queue)}
      </Figure>
      <Figure
        title={t('report.unsure')}
        big={differenceText(report.low_confidence.after - report.low_confidence.before)}
      >
        {t('report.from_to', { before: report.low_confidence.before, after: report.low_confidence.after })}
      </Figure>
    </div>
  )
}

function Moves({ of, report }: ReportProps) {
  const moves = report.moves.filter(({ before, after }) => before !== after)
  if (moves.length === 0) return <p class="dim">{t('report.no_moves')}</p>
  return (
    <Table
      columns={[
        { text: t('report.head.before') },
        { text: t('report.head.after') },
        { text: t('jobs.head.events'), isNumber: true },
        { text: t('report.head.mass'), isNumber: true },
      ]}
      rows={moves.map(({ before, after, events }) => ({
        key: `${before} ${after}`,
        cells: [
          <Label key="b" of={of} label={before} />,
          <Label key="a" of={of} label={after} />,
          number(events),
          share(events / Math.max(1, report.events)),
        ],
      }))}
    />
  )
}

function Buckets({ of, report }: ReportProps) {
  const shown = report.top_buckets.filter(({ changed }) => changed > 0).slice(0, BUCKETS)
  if (shown.length === 0) return null
  const textOf = (values: Readonly<Record<string, unknown>> | null): string =>
    Object.values(values ?? {})
      .filter((value) => value != null)
      .slice(0, VALUES)
      .map(valueText)
      .join(' · ')
  return (
    <section class="panel stack">
      <header>
        <h2>{t('report.buckets')}</h2>
        <p class="dim">{t('report.buckets_text', { changed: report.buckets_changed, all: report.buckets })}</p>
      </header>
      <Table
        columns={[
          { text: t('buckets.head.values') },
          { text: t('report.head.move') },
          { text: t('report.changed'), isNumber: true },
          { text: t('jobs.head.events'), isNumber: true },
          { text: t('report.head.mass'), isNumber: true },
        ]}
        rows={shown.map((bucket) => ({
          key: bucket.bucket_id,
          cells: [
            <a key="a" href={addresses.bucket(of.job_id, bucket.bucket_id)}>
              {textOf(bucket.values) || bucket.bucket_id}
            </a>,
            <span key="m" class="row">
              {bucket.moves.map(({ before, after, events }) => (
                <span key={`${before} ${after}`} class="label">
                  <Label of={of} label={before} /> → <Label of={of} label={after} />
                  <span class="dim">{number(events)}</span>
                </span>
              ))}
            </span>,
            number(bucket.changed),
            number(bucket.events),
            share(bucket.changed / Math.max(1, report.events)),
          ],
        }))}
      />
    </section>
  )
}

function Rest({ of, report }: ReportProps) {
  const { seen_votes: seen } = report
  return (
    <section class="panel stack">
      <h2>{t('report.rest')}</h2>
      <dl class="facts">
        <dt>{t('report.compared')}</dt>
        <dd>
          {report.before} → {report.after}
        </dd>
        <dt>{t('report.seen')}</dt>
        <dd>
          {agreementShare(seen, seen.before)} → {agreementShare(seen, seen.after)}{' '}
          <span class="dim">{count('report.seen_text', seen.events)}</span>
        </dd>
        <dt>{t('drift.outliers')}</dt>
        <dd>{t('report.from_to', { ...report.outliers })}</dd>
        {report.outputs.map((output) => (
          <>
            <dt>
              <a href={addresses.integration(output.integration_id)}>{t('report.output', { role: output.role })}</a>
            </dt>
            <dd>
              {t('report.from_to', { before: output.before, after: output.after })} · {reachText(output)}
            </dd>
          </>
        ))}
      </dl>
      {report.examples.length === 0 ? null : (
        <div>
          <h2 class="small">{t('report.examples')}</h2>
          <p class="like">
            {report.examples.slice(0, EXAMPLES).map((id) => (
              <a key={id} class="mono bidi" href={addresses.event(of.job_id, id)}>
                {id}
              </a>
            ))}
          </p>
        </div>
      )}
    </section>
  )
}

export function Report({ of, report }: ReportProps) {
  return (
    <>
      <Head report={report} />
      <section class="panel stack">
        <h2>{t('report.moves')}</h2>
        <Moves of={of} report={report} />
      </section>
      <Buckets of={of} report={report} />
      <Rest of={of} report={report} />
    </>
  )
}
