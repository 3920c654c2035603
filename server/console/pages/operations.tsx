/** The service for operators: components, storage, watchdogs, backups. */
import { useSignal } from '@preact/signals'
import type { Container } from '../../client/index.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { api, may } from '../state/api.js'
import { useData } from '../state/data.js'
import { attempt, say } from '../state/toasts.js'
import { number, percent, t } from '../texts.js'

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** 12.3 MB. */
function bytesText(bytes: number | null): string {
  if (bytes === null) return '—'
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`
}

function Restart({ of, done }: { readonly of: Container; readonly done: () => void }) {
  const isSure = useSignal(false)
  const place = { component_type: of.component_type, container_id: of.container_id }
  const restart = async (): Promise<void> => {
    isSure.value = false
    if (await attempt(() => api.restartContainer(place))) say(t('operations.restarted', { title: of.title }))
    done()
  }
  if (!of.restartable || !may('write:platform_monitoring')) return null
  return (
    <button type="button" onClick={() => (isSure.value ? void restart() : (isSure.value = true))}>
      {t(isSure.value ? 'operations.really_restart' : 'operations.restart')}
    </button>
  )
}

function Components() {
  const data = useData('components', (signal) => api.listContainers({}, { signal }))
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('operations.components')}</h2>
        <button type="button" onClick={data.reload}>
          {t('operations.again')}
        </button>
      </header>
      <Loaded data={data} lines={8}>
        {({ containers }) => (
          <Table
            columns={[
              { text: t('operations.head.component') },
              { text: t('operations.head.health') },
              { text: t('operations.head.queue'), isNumber: true },
              { text: t('operations.head.processor'), isNumber: true },
              { text: t('operations.head.memory'), isNumber: true },
              { text: t('operations.head.since'), isNumber: true },
              { text: t('deliveries.head.act') },
            ]}
            rows={containers.map((one) => ({
              key: `${one.component_type} ${one.container_id}`,
              cells: [
                <span key="n">
                  <span class="mono">
                    {one.component_type}/{one.container_id}
                  </span>
                  <br />
                  <span class="dim">{one.title}</span>
                </span>,
                <span key="h" class={one.health === 'healthy' ? 'good' : 'bad'}>
                  {one.health}
                  {one.reason === '' ? '' : `: ${one.reason}`}
                </span>,
                number(one.queue.length),
                one.cpu_percent === null ? '—' : percent(one.cpu_percent),
                bytesText(one.memory_bytes),
                <Time key="t" at={one.started_at} />,
                <Restart key="r" of={one} done={data.reload} />,
              ],
            }))}
          />
        )}
      </Loaded>
    </section>
  )
}

function Store() {
  const data = useData('store', (signal) => api.getStoreStatus({}, { signal }))
  return (
    <section class="panel">
      <h2>{t('operations.store')}</h2>
      <Loaded data={data}>
        {(store) => (
          <dl class="facts">
            <dt>{t('operations.head.health')}</dt>
            <dd>{store.status}</dd>
            <dt>{t('jobs.head.events')}</dt>
            <dd>{number(store.documents)}</dd>
            <dt>{t('operations.size')}</dt>
            <dd>{bytesText(store.store_bytes)}</dd>
            <dt>{t('operations.free')}</dt>
            <dd>{percent(store.disk_free_percent)}</dd>
          </dl>
        )}
      </Loaded>
    </section>
  )
}

function Watchdogs() {
  const data = useData('watchdogs', (signal) => api.listWatchdogs({}, { signal }))
  const toggle = async (id: string, enabled: boolean): Promise<void> => {
    if (await attempt(() => api.enableWatchdog({ body: { watchdog_id: id, enabled } as never }))) data.reload()
  }
  return (
    <section class="panel stack">
      <h2>{t('operations.watchdogs')}</h2>
      <Loaded data={data}>
        {({ watchdogs }) =>
          watchdogs.length === 0 ? (
            <p class="dim">{t('operations.no_watchdogs')}</p>
          ) : (
            <Table
              columns={[
                { text: t('keys.head.name') },
                { text: t('operations.head.condition') },
                { text: t('integrations.head.state') },
                { text: t('operations.head.enabled') },
              ]}
              rows={watchdogs.map((one) => ({
                key: one.watchdog_id,
                cells: [
                  one.title,
                  one.condition,
                  <span key="s">
                    {one.state} · <Time at={one.since} />
                  </span>,
                  <button key="b" type="button" onClick={() => void toggle(one.watchdog_id, !one.enabled)}>
                    {t(one.enabled ? 'operations.switch_off' : 'operations.switch_on')}
                  </button>,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </section>
  )
}

function Backups() {
  const data = useData('backups', (signal) => api.listBackups({}, { signal }))
  const make = async (): Promise<void> => {
    if (await attempt(() => api.makeBackup({}))) say(t('operations.backup_begun'))
    data.reload()
  }
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{t('operations.backups')}</h2>
        {may('write:platform_monitoring') ? (
          <button type="button" onClick={() => void make()}>
            {t('operations.make_backup')}
          </button>
        ) : null}
      </header>
      <Loaded data={data}>
        {({ backups }) =>
          backups.length === 0 ? (
            <p class="dim">{t('operations.no_backups')}</p>
          ) : (
            <Table
              columns={[
                { text: t('keys.head.name') },
                { text: t('integrations.head.state') },
                { text: t('operations.size'), isNumber: true },
                { text: t('votes.head.time'), isNumber: true },
              ]}
              rows={backups.map((one) => ({
                key: one.name,
                cells: [
                  one.name,
                  <span key="s" class={one.state === 'failed' ? 'bad' : ''}>
                    {one.state}
                    {one.message === '' ? '' : `: ${one.message}`}
                  </span>,
                  bytesText(one.bytes),
                  <Time key="t" at={one.made_at} />,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </section>
  )
}

export default function Operations() {
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="grow">{t('place.operations')}</h1>
        <a class="button" href="/api/monitoring/api/v1/logs/export-all" download>
          {t('operations.logs')}
        </a>
      </header>
      <Components />
      <Store />
      <Backups />
      <Watchdogs />
    </div>
  )
}
