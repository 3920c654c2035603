/**
 * `npm run test:helm`: the chart passes `helm lint --strict`, and what it renders holds together.
 *
 * It takes the helm of HELM or of the path, else it builds one with Go into .cache/, which may be deleted at any time.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../../support/source-tree.js'

const MODULE = 'helm.sh/helm/v3/cmd/helm@latest'
const chart = join(root, 'server/deploy/helm')
const cache = join(root, '.cache/helm')

/** A helm that runs; null without one, and without Go. */
function findHelm(): string | null {
  const built = join(cache, 'helm')
  for (const helm of [process.env.HELM ?? 'helm', built]) {
    if (spawnSync(helm, ['version']).status === 0) return helm
  }
  mkdirSync(cache, { recursive: true })
  spawnSync('go', ['install', MODULE], { env: { ...process.env, GOBIN: cache }, stdio: 'inherit' })
  return existsSync(built) ? built : null
}

const helm = findHelm()
const skip = helm === null && 'there is no helm, and no Go to build one'

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(helm!, args, { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** The documents of a rendering, by kind. */
function rendered(...values: string[]): Map<string, string> {
  const set = values.flatMap((value) => ['--set', value])
  const documents = run('template', 'decisions', chart, '--kube-version', '1.31.0', ...set).split(/^---$/m)
  return new Map(documents.map((text) => [/^kind: (\w+)$/m.exec(text)?.[1] ?? '', text]))
}

const everything = ['serviceMonitor.enabled=true', 'prometheusRule.enabled=true', 'existingSecret=decision-secret']

test('the chart has no finding', { skip }, () => {
  run('lint', '--strict', chart)
  run('lint', '--strict', chart, ...everything.flatMap((value) => ['--set', value]))
})

test('what needs the Prometheus operator is off until it is asked for', { skip }, () => {
  assert.deepEqual([...rendered().keys()].filter(Boolean).sort(), [
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
    'StatefulSet',
  ])
  const kinds = rendered(...everything)
  assert.ok(kinds.has('ServiceMonitor') && kinds.has('PrometheusRule'))
})

test('every alert has its runbook, and a metric keeps the braces of its labels', { skip }, () => {
  const rules = rendered(...everything, 'prometheusRule.runbookBase=https://decide.example.com/').get('PrometheusRule')!
  const alerts = [...rules.matchAll(/alert: (\w+)$/gm)].map(([, name]) => name!)
  assert.ok(alerts.length >= 10)
  for (const alert of alerts)
    assert.ok(rules.includes(`runbook_url: https://decide.example.com/docs/alerts#${alert.toLowerCase()}\n`), alert)
  assert.match(rules, /\{\{ \$labels\.title \}\}/)
})

test('settings, secret and selectors come out as they went in', { skip }, () => {
  const kinds = rendered(...everything, 'settings.SERVICE_LOG_LEVEL=debug', 'image.tag=7')
  const set = kinds.get('StatefulSet')!
  assert.match(set, /name: SERVICE_LOG_LEVEL, value: "debug"/)
  assert.match(set, /secretRef: \{ name: decision-secret \}/)
  assert.match(set, /image: "decision-service:7"/)
  for (const kind of ['StatefulSet', 'NetworkPolicy', 'PodDisruptionBudget', 'ServiceMonitor'])
    assert.match(
      kinds.get(kind)!,
      /matchLabels:\s+app\.kubernetes\.io\/name: decision-service\s+app\.kubernetes\.io\/instance: decisions/,
    )
})
