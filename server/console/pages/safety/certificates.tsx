/** Certificates: one for each change of state of a gate, as the audit log has it. */
import { useSignal } from '@preact/signals'
import { Loaded } from '../../parts/loaded.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { api } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { plainText } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, number, t } from '../../texts.js'

const SIZE = 20
const HASH_SHOWN = 12

export function Certificates({ of }: { readonly of: ShownJob }) {
  const isOpen = useSignal(false)
  const data = useData(isOpen.value ? `certificates ${of.job_id}` : null, (signal) =>
    api.listCertificates({ job_id: of.job_id, size: SIZE }, { signal }),
  )
  return (
    <details class="panel" open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{t('certificates.title')}</summary>
      {isOpen.value ? (
        <Loaded data={data} lines={3}>
          {({ certificates, total_count: total }) =>
            certificates.length === 0 ? (
              <p class="dim">{t('certificates.none')}</p>
            ) : (
              <>
                <Table
                  columns={[
                    { text: t('certificates.what') },
                    { text: t('votes.head.analyst') },
                    { text: t('certificates.hash') },
                    { text: t('audit.head.number'), isNumber: true },
                    { text: t('votes.head.time'), isNumber: true },
                  ]}
                  rows={certificates.map(({ certificate, hash, sequence, timestamp, user }) => ({
                    key: String(sequence),
                    cells: [
                      <details key="c">
                        <summary>
                          {plainText(String((certificate as { message?: unknown }).message ?? t('certificates.one')))}
                        </summary>
                        <pre class="wrap">{plainText(JSON.stringify(certificate, null, 2))}</pre>
                      </details>,
                      user,
                      <span key="h" class="mono" title={hash}>
                        {hash.slice(0, HASH_SHOWN)}
                      </span>,
                      number(sequence),
                      <Time key="t" at={timestamp} />,
                    ],
                  }))}
                />
                <p class="dim">{count('certificates.found', total)}</p>
              </>
            )
          }
        </Loaded>
      ) : null}
    </details>
  )
}
