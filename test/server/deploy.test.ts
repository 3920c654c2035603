/** What is there to run the service with names only settings, probes and files that there are. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { settingsTable } from '../../server/config.js'
import { mallocVariables, youngGeneration } from '../../server/memory-settings.js'
import { opsRoutes } from '../../server/routes/index.js'

const root = rootOf(dirname(fileURLToPath(import.meta.url)))
const folder = join(root, 'server/deploy')
const texts = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]),
)

function rootOf(from: string): string {
  return existsSync(join(from, 'package.json')) ? from : rootOf(dirname(from))
}

function text(name: string): string {
  return texts.get(name) ?? assert.fail(`server/deploy/${name} is missing`)
}

test('every setting that is named is one', () => {
  const known: readonly string[] = Object.values(settingsTable).map(({ name }) => name)
  for (const [name, content] of texts) {
    for (const [setting] of content.matchAll(/SERVICE_[A-Z]\w*/g))
      assert.ok(known.includes(setting), `${setting} in ${name}`)
  }
})

test('every probe is a route of the port for operators', () => {
  const paths = opsRoutes.map(({ path }) => path)
  for (const name of ['Dockerfile', 'kubernetes.yaml', 'helm/templates/statefulset.yaml']) {
    const probes = [...text(name).matchAll(/\/(?:livez|readyz|metrics)\b/g)].map(([path]) => path)
    assert.ok(probes.length > 0)
    for (const path of probes) assert.ok(paths.includes(path), path)
  }
})

test('every alert is about metrics that there are, and the manual says what to do', () => {
  const alerts = text('helm/alerts.yaml')
  const metrics = readFileSync(join(root, 'server/prometheus.ts'), 'utf8')
  const manual = readFileSync(join(root, 'server/docs/alerts.md'), 'utf8')
  const names = [...alerts.matchAll(/alert: (\w+)$/gm)].map(([, name]) => name)
  const sections = [...manual.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  assert.ok(names.length >= 10)
  assert.deepEqual(sections, names)
  const named = [...alerts.matchAll(/\bdecision_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))
  for (const name of named) assert.ok(metrics.includes(`'${name}'`), name)
})

test('the image has the program where it is started, and nobody runs it as root', () => {
  const image = text('Dockerfile')
  assert.match(image, /ENTRYPOINT \["\S+\/node", "--max-semi-space-size=4", "\.build\/bundle\/service\/main\.js"\]/)
  assert.match(image, /^RUN npm run build \\$/m)
  assert.match(image, /^USER 1000:1000$/m)
  assert.match(image, /^FROM node:24\./m)
  for (const [, from] of image.matchAll(/^COPY (?!--)([^\n]+) \S+$/gm)) {
    for (const path of (from as string).split(' ')) assert.ok(existsSync(join(root, path)), path)
  }
  assert.match(text('kubernetes.yaml'), /readOnlyRootFilesystem: true/)
  assert.match(text('decision-service.service'), /^ProtectSystem=strict$/m)
})

test('whatever starts the service gives it the variables of glibc, and V8 the same young generation', () => {
  const { start } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts as { start: string }
  for (const how of [start, text('Dockerfile'), text('decision-service.service')]) {
    for (const [name, value] of Object.entries(mallocVariables)) assert.match(how, new RegExp(`\\b${name}=${value}\\b`))
    assert.ok(how.includes(youngGeneration))
  }
})

test('whoever kills the process waits longer than it takes to drain and to close', () => {
  const seconds = Number(settingsTable.drainSeconds.fallback) + 40
  assert.ok(Number(/TimeoutStopSec=(\d+)/.exec(text('decision-service.service'))?.[1]) > seconds)
  for (const name of ['kubernetes.yaml', 'helm/templates/statefulset.yaml'])
    assert.ok(Number(/terminationGracePeriodSeconds: (\d+)/.exec(text(name))?.[1]) > seconds)
})
