/** The audit log: who changed what and when, and whether the chain is whole. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { addresses } from '../addresses.js'
import { Loaded } from '../parts/loaded.js'
import { Pages } from '../parts/pages.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { Form } from '../parts/form.js'
import { api } from '../state/api.js'
import { useData } from '../state/data.js'
import { plainText } from '../state/events.js'
import { attempt } from '../state/toasts.js'
import { count, number, t } from '../texts.js'

const SIZE = 50

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

export default function Audit() {
  const { query, route } = useLocation()
  const page = Number(query.page ?? 0)
  const user = String(query.user ?? '')
  const data = useData(`audit ${page} ${user}`, (signal) =>
    api.listAuditLogs({ page, size: SIZE, ...(user === '' ? {} : { user }) }, { signal }),
  )
  const go = (to: number, who: string): void => {
    const next = new URLSearchParams({
      ...(to === 0 ? {} : { page: String(to) }),
      ...(who === '' ? {} : { user: who }),
    })
    route(`${addresses.audit}?${next}`)
  }
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="grow">{t('place.audit')}</h1>
        <Verify />
      </header>
      <Form class="row" submit={(data) => go(0, String(data.get('user') ?? '').trim())}>
        <input name="user" type="search" aria-label={t('audit.who')} placeholder={t('audit.who')} defaultValue={user} />
        <button type="submit">{t('bar.find')}</button>
      </Form>
      <Loaded data={data} lines={12}>
        {({ audit_logs: entries, total_count: total }) => (
          <section class="panel stack">
            <Table
              columns={[
                { text: t('votes.head.time') },
                { text: t('votes.head.analyst') },
                { text: t('audit.head.action') },
                { text: t('audit.head.object') },
                { text: t('audit.head.number'), isNumber: true },
              ]}
              rows={entries.map((entry) => ({
                key: String(entry.sequence),
                cells: [
                  <Time key="t" at={entry.timestamp} isExact />,
                  plainText(entry.analyst ?? entry.user),
                  entry.action,
                  plainText(`${entry.object_type} ${entry.object_title || entry.object_id}`),
                  number(entry.sequence),
                ],
              }))}
            />
            <Pages page={page} size={SIZE} total={total} go={(to) => go(to, user)}>
              {count('audit.found', total)}
            </Pages>
          </section>
        )}
      </Loaded>
    </div>
  )
}
