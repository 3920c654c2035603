import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asOrder,
  changeOf,
  differencesOf,
  linesOf,
  renamedIn,
} from '../../../../../server/console/pages/settings/change.js'
import type { JobDocument } from '../../../../../server/console/state/job-shapes.js'

const document: JobDocument = {
  title: 'Alert triage',
  description: '',
  category: 'Decision intelligence',
  decision_points: ['rule.id', 'host.name'],
  feedback_columns: [],
  advanced_settings: {
    custom_labels: [
      { name: 'Escalate', hex_color: '#ed0a2c', id: 'label_0' },
      { name: 'Drop', hex_color: '#1264FE', id: 'label_1' },
      { name: 'Investigate', hex_color: '#9A00FF', id: 'label_2' },
    ],
    auto_retrain: { enabled: true, cron: '0 3 * * *', blockers: { outliers: true } },
  },
  pipeline_integrations: [],
}

/** The form as it is shown, with some fields changed; undefined takes a tick away. */
function filled(changed: Readonly<Record<string, string | undefined>> = {}): FormData {
  const fields: Record<string, string | undefined> = {
    title: 'Alert triage',
    description: '',
    points: 'rule.id\nhost.name',
    columns: '',
    'label 0': 'Escalate',
    'color 0': '#ed0a2c',
    'label 1': 'Drop',
    'color 1': '#1264fe',
    'label 2': 'Investigate',
    'color 2': '#9a00ff',
    objective: 'macro_f1',
    scheduled: 'on',
    decide_stored_events: 'on',
    cron: '0 3 * * *',
    'blocker outliers': 'on',
    models_kept: '20',
    outlier_rate: '2',
    days: '',
    max_events: '',
    ...changed,
  }
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) data.set(name, value)
  return data
}

test('a form that nobody changed changes nothing', () => {
  assert.deepEqual(differencesOf(filled(), document), [])
  assert.deepEqual(changeOf([]), {})
})

test('a change has what differs, and no more', () => {
  const differences = differencesOf(
    filled({ points: 'rule.id\n\n user.name \nrule.id', objective: 'accuracy', days: '90' }),
    document,
  )
  assert.deepEqual(
    differences.map(({ name }) => name),
    ['decision_points', 'objective', 'retention'],
  )
  assert.deepEqual(changeOf(differences), {
    decision_points: ['rule.id', 'user.name'],
    advanced_settings: { objective: 'accuracy', retention: { days: 90 } },
  })
})

test('a label keeps its id when it is renamed', () => {
  const [difference] = differencesOf(filled({ 'label 1': 'Close', 'color 1': '#00aa55' }), document)
  assert.deepEqual((difference!.after as readonly unknown[])[1], { name: 'Close', hex_color: '#00AA55', id: 'label_1' })
})

test('a schedule is switched off, and keeps its time and what blocks it', () => {
  const [difference] = differencesOf(filled({ scheduled: undefined }), document)
  const after = difference!.after as { enabled: boolean; cron: string; blockers: Record<string, boolean> }
  assert.deepEqual([after.enabled, after.cron, after.blockers.outliers], [false, '0 3 * * *', true])
})

test('costs are a row for what is true and a column for what is answered', () => {
  const costs = Object.fromEntries(
    [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => [`cost ${a} ${b}`, String(3 * a + b)])),
  )
  const [difference] = differencesOf(filled({ objective: 'costs', ...costs }), document)
  assert.deepEqual(difference?.after, {
    costs: [
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
    ],
  })
})

test('lines are trimmed, and none is there twice', () => {
  assert.deepEqual(linesOf(' a \n\nb\na'), ['a', 'b'])
})

test('a watchdog that is switched on is added, and those that the form does not have stay', () => {
  const monitoring = {
    throttling: '60',
    monitors: [{ name: 'outlier_percent' }, { name: 'no_data', active: true, interval_check: '30' }],
  }
  const watched: JobDocument = {
    ...document,
    advanced_settings: { ...document.advanced_settings, monitoring_settings: monitoring as never },
  }
  const same = { throttling: '60', 'watchdog no_data': 'on', 'interval no_data': '30' }
  assert.deepEqual(differencesOf(filled(same), watched), [])
  const [difference] = differencesOf(
    filled({ ...same, 'watchdog no_data': undefined, 'watchdog disagreement': 'on', 'interval disagreement': '' }),
    watched,
  )
  assert.equal(difference?.name, 'monitoring_settings')
  assert.deepEqual(difference?.after, {
    throttling: 60,
    monitors: [
      { name: 'outlier_percent', active: true },
      { name: 'no_data', active: false, interval_check: 30 },
      { name: 'disagreement', active: true },
    ],
  })
})

test('names that have only changed places may mean another order of keys, which renames nothing', () => {
  const swapped = differencesOf(filled({ 'label 0': 'Drop', 'label 1': 'Escalate' }), document)
  assert.deepEqual(renamedIn(swapped), [
    { was: 'Escalate', is: 'Drop' },
    { was: 'Drop', is: 'Escalate' },
  ])
  assert.equal(changeOf(swapped).advanced_settings?.rename_labels, true)
  const order = asOrder(swapped, document)
  assert.deepEqual(changeOf(order ?? []), {
    advanced_settings: { label_order: ['label_1', 'label_0', 'label_2'] },
  })
  const renamed = differencesOf(filled({ 'label 0': 'Noise' }), document)
  assert.equal(asOrder(renamed, document), null)
})

test('labels are moved to other keys without a change of names', () => {
  const moved = differencesOf(filled({ order: '2 0 1' }), document)
  assert.deepEqual(changeOf(moved), { advanced_settings: { label_order: ['label_2', 'label_0', 'label_1'] } })
})
