/** The audit log: who changed what and when, and whether the chain is whole. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { AuditLogEntry } from '../../client/index.js'
import { csvLine } from '../../../engine/domain/event/input/csv-cell.js'
import { cutText } from '../../../engine/domain/event/input/cut-text.js'
import { addresses } from '../addresses.js'
import { downloadCsv } from './events/download.js'
import { Loaded } from '../parts/loaded.js'
import { Pages } from '../parts/pages.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { Form } from '../parts/form.js'
import { api } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { jobs } from '../state/jobs.js'
import { attempt, say } from '../state/toasts.js'
import { count, number, t } from '../texts.js'

const SIZE = 50
/** Characters of a value in a line. */
const CHANGE_CHARS = 80
/** Entries of a page for a file, and of the file. */
const [PAGE, EXPORT_MAX] = [200, 10_000]

function Verify() {
  const verdict = useSignal('')
  const verify = async (): Promise<void> => {
    await attempt(async () => {
      const { intact, entries } = await api.verifyAuditLog({})
      verdict.value = intact ? count('audit.intact', entries) : t('audit.broken', { n: entries })
    })
  }
  return (
    <>
      <span role="status">{verdict.value}</span>
      <button type="button" onClick={() => void verify()}>
        {t('audit.verify')}
      </button>
    </>
  )
}

/** What the address says about the entries that are shown. */
interface Shown {
  readonly user: string
  readonly action: string
  readonly job: string
  readonly from: string
  readonly to: string
}

const names = ['user', 'action', 'job', 'from', 'to'] as const

function filterOf({ user, action, job, from, to }: Shown) {
  return {
    ...(user === '' ? {} : { user }),
    ...(action === '' ? {} : { action }),
    ...(job === '' ? {} : { job_id: Number(job) }),
    ...(from === '' ? {} : { start_date: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to === '' ? {} : { end_date: new Date(`${to}T23:59:59.999`).toISOString() }),
  }
}

function shortText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '—'
  return cutText(typeof value === 'object' ? JSON.stringify(value) : String(value), CHANGE_CHARS)
}

/** `vote: Drop → Escalate`. */
function changesText({ changes }: AuditLogEntry): string {
  return Object.entries(changes)
    .map(([name, { before, after }]) => `${name}: ${shortText(before)} → ${shortText(after)}`)
    .join('; ')
}

/** Saves what is found, as far as so many entries. */
async function exportAll(shown: Shown): Promise<void> {
  const found: AuditLogEntry[] = []
  let total = 0
  for (let page = 0; page * PAGE < EXPORT_MAX; page++) {
    const answer = await api.listAuditLogs({ page, size: PAGE, ...filterOf(shown) })
    found.push(...answer.audit_logs)
    total = answer.total_count
    if (answer.audit_logs.length < PAGE) break
  }
  const lines = found.map((one) =>
    csvLine([
      one.sequence,
      one.timestamp,
      one.user,
      one.analyst ?? '',
      one.action,
      one.object_type,
      one.object_id,
      one.object_title,
      one.job_title ?? '',
      changesText(one),
      one.hash,
    ]),
  )
  downloadCsv([csvLine(heads), ...lines], 'audit-log.csv')
  say(
    total > found.length ? t('audit.exported_part', { n: found.length, total }) : count('audit.exported', found.length),
  )
}

const heads = [
  'sequence',
  'timestamp',
  'user',
  'analyst',
  'action',
  'object_type',
  'object_id',
  'object_title',
  'job_title',
  'changes',
  'hash',
]

function Filters({ shown, go }: { readonly shown: Shown; readonly go: (shown: Shown) => void }) {
  const terms = useData('audit terms', (signal) => api.listAuditTerms({}, { signal }))
  const listed = terms.value?.fields.find(({ field }) => field === 'action')?.terms ?? []
  const actions = [...new Set([...listed.map(({ value }) => value), shown.action])].filter((one) => one !== '').sort()
  const submit = (data: FormData): void => {
    const text = (name: string): string => String(data.get(name) ?? '').trim()
    go(Object.fromEntries(names.map((name) => [name, text(name)])) as unknown as Shown)
  }
  return (
    <Form key={JSON.stringify(shown)} class="row ends" submit={submit}>
      <input
        name="user"
        type="search"
        aria-label={t('audit.who')}
        placeholder={t('audit.who')}
        defaultValue={shown.user}
      />
      <select name="action" aria-label={t('audit.head.action')} defaultValue={shown.action}>
        <option value="">{t('audit.any_action')}</option>
        {actions.map((one) => (
          <option key={one} value={one} selected={one === shown.action}>
            {one}
          </option>
        ))}
      </select>
      <select name="job" aria-label={t('place.job')} defaultValue={shown.job}>
        <option value="">{t('audit.any_job')}</option>
        {(jobs.value ?? []).map(({ job_id: id, title }) => (
          <option key={id} value={String(id)} selected={String(id) === shown.job}>
            {title}
          </option>
        ))}
      </select>
      <label class="inline">
        {t('audit.from')} <input name="from" type="date" defaultValue={shown.from} />
      </label>
      <label class="inline">
        {t('audit.to')} <input name="to" type="date" defaultValue={shown.to} />
      </label>
      <button type="submit">{t('bar.find')}</button>
      <button type="button" onClick={() => void attempt(() => exportAll(shown))}>
        {t('audit.export')}
      </button>
    </Form>
  )
}

export default function Audit() {
  const { query, route } = useLocation()
  const page = Number(query.page ?? 0)
  const shown = Object.fromEntries(names.map((name) => [name, String(query[name] ?? '')])) as unknown as Shown
  const data = useData(`audit ${page} ${JSON.stringify(shown)}`, (signal) =>
    api.listAuditLogs({ page, size: SIZE, ...filterOf(shown) }, { signal }),
  )
  const go = (to: number, what: Shown): void => {
    const given = Object.entries(what).filter(([, value]) => value !== '')
    route(`${addresses.audit}?${new URLSearchParams([...given, ...(to === 0 ? [] : [['page', String(to)]])])}`)
  }
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="grow">{t('place.audit')}</h1>
        <Verify />
      </header>
      <Filters shown={shown} go={(what) => go(0, what)} />
      <Loaded data={data} lines={12}>
        {({ audit_logs: entries, total_count: total }) => (
          <section class="panel stack">
            <Table
              columns={[
                { text: t('votes.head.time') },
                { text: t('votes.head.analyst') },
                { text: t('audit.head.action') },
                { text: t('audit.head.object') },
                { text: t('audit.head.change') },
                { text: t('audit.head.number'), isNumber: true },
              ]}
              rows={entries.map((entry) => ({
                key: String(entry.sequence),
                cells: [
                  <Time key="t" at={entry.timestamp} isExact />,
                  plainText(entry.analyst ?? entry.user),
                  entry.action,
                  plainText(`${entry.object_type} ${entry.object_title || entry.object_id}`),
                  plainText(changesText(entry)),
                  number(entry.sequence),
                ],
              }))}
            />
            <Pages page={page} size={SIZE} total={total} go={(to) => go(to, shown)}>
              {count('audit.found', total)}
            </Pages>
          </section>
        )}
      </Loaded>
    </div>
  )
}
