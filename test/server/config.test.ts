import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings, settingsHelp, settingsTable, SettingsError } from '../../server/config.js'

function withFile<T>(content: string, use: (file: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'settings-'))
  try {
    const file = join(dir, 'settings')
    writeFileSync(file, content)
    return use(file)
  } finally {
    rmSync(dir, { recursive: true })
  }
}

function refusal(env: Record<string, string>, args: readonly string[] = []): string {
  try {
    readSettings(env, args)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.message
  }
  return ''
}

test('without settings the defaults hold', () => {
  assert.deepEqual(readSettings({ PATH: '/bin' }, []), {
    port: 8080,
    host: '127.0.0.1',
    opsHost: '127.0.0.1',
    httpLibrary: 'auto',
    httpThreads: 1,
    drainSeconds: 20,
    logLevel: 'info',
    console: true,
    dataDir: './data',
    name: 'service',
    passwordCost: 14,
    minutesPerAlert: 10,
    timeZone: 'UTC',
    workingHours: '',
    privateHosts: [],
    mcpHosts: [],
    emptyErrorMessage: false,
    rateLimit: 0,
    sessionMinutes: 60,
    clusterSnapshotRecords: 50_000,
    clusterSnapshotMb: 128,
    clusterRestore: false,
    clusterTrial: false,
    oidcScopes: 'openid profile email',
    oidcGroupsClaim: 'groups',
    oidcNameClaim: 'preferred_username',
    oidcRoles: [],
    passwords: true,
    otlpTimeoutMs: 10_000,
    otlpDelayMs: 5_000,
    tracesRatio: 1,
    otelServiceName: 'decision-service',
    otelDisabled: false,
  })
})

test('the environment sets', () => {
  const settings = readSettings(
    { SERVICE_PORT: '9000', SERVICE_NAME: 'arcanna', SERVICE_EMPTY_ERROR_MESSAGE: 'True' },
    [],
  )
  assert.equal(settings.port, 9000)
  assert.equal(settings.name, 'arcanna')
  assert.equal(settings.emptyErrorMessage, true)
})

test('under another name new events have an empty error message, unless the setting says otherwise', () => {
  for (const [env, empty] of [
    [{}, false],
    [{ SERVICE_NAME: 'service' }, false],
    [{ SERVICE_NAME: 'arcanna' }, true],
    [{ SERVICE_NAME: 'arcanna', SERVICE_EMPTY_ERROR_MESSAGE: 'false' }, false],
    [{ SERVICE_EMPTY_ERROR_MESSAGE: 'true' }, true],
  ] as const)
    assert.equal(readSettings(env, []).emptyErrorMessage, empty, JSON.stringify(env))
})

test('a file of lines sets, and the environment wins over it', () => {
  const content =
    '# our settings\n\nSERVICE_PORT=9001\r\nSERVICE_HOST = "0.0.0.0"\nSERVICE_ADMIN_PASSWORD=\'a=b # c, long\'\n'
  withFile(content, (file) => {
    const settings = readSettings({ SERVICE_PORT: '9002' }, ['--config', file])
    assert.equal(settings.port, 9002)
    assert.equal(settings.host, '0.0.0.0')
    assert.equal(settings.adminPassword, 'a=b # c, long')
  })
})

test('a JSON file sets', () => {
  withFile('{"SERVICE_PORT": 9003, "SERVICE_EMPTY_ERROR_MESSAGE": true, "SERVICE_NAME": null}', (file) => {
    const settings = readSettings({}, [`--config=${file}`])
    assert.equal(settings.port, 9003)
    assert.equal(settings.emptyErrorMessage, true)
    assert.equal(settings.name, 'service')
  })
  withFile('\ufeff{"SERVICE_PORT": 9003}', (file) =>
    assert.equal(readSettings({}, ['--config', file, '--accept-loss']).port, 9003),
  )
})

test('a wrong setting is one sentence that names it and keeps its value to itself', () => {
  for (const [name, value] of [
    ['SERVICE_PORT', '70000'],
    ['SERVICE_PORT', 'http'],
    ['SERVICE_PORT', ''],
    ['SERVICE_THREADS', '0'],
    ['SERVICE_NAME', 'no spaces'],
    ['SERVICE_EMPTY_ERROR_MESSAGE', 'perhaps'],
    ['SERVICE_BOOTSTRAP_KEY', 'short'],
    ['SERVICE_RATE_LIMIT', 'fast'],
    ['SERVICE_RATE_BURST', 'many'],
    ['SERVICE_ADMIN_PASSWORD', 'pw'],
    ['SERVICE_HOST', ''],
  ] as const) {
    const message = refusal({ [name]: value })
    assert.match(message, new RegExp(`^${name} must `))
    assert.ok(value === '' || !message.includes(value), message)
    assert.ok(!message.includes('\n'))
  }
})

test('an unknown setting is named', () => {
  assert.equal(refusal({ SERVICE_PROT: '1' }), 'SERVICE_PROT is not a setting; --help lists all settings')
  withFile('PORT=1', (file) => assert.match(refusal({}, ['--config', file]), /^PORT in .* is not a setting$/))
})

test('a file that is not there, or not in form, is named', () => {
  assert.match(refusal({}, ['--config', '/nowhere/at/all']), /cannot be read \(ENOENT\)/)
  assert.match(refusal({}, ['--config']), /needs a file/)
  assert.match(refusal({}, ['--prot']), /--prot is not known/)
  withFile('hello', (file) => assert.match(refusal({}, ['--config', file]), /line 1 of .* is not NAME=VALUE/))
  withFile('{"a"', (file) => assert.match(refusal({}, ['--config', file]), /is not valid JSON/))
  withFile('{"SERVICE_PORT": [1]}', (file) =>
    assert.match(refusal({}, ['--config', file]), /SERVICE_PORT in .* must be/),
  )
})

test('help names every setting', () => {
  const help = settingsHelp()
  for (const setting of Object.values(settingsTable)) assert.ok(help.includes(setting.name))
})

test('a certificate without its key is refused', () => {
  assert.match(refusal({ SERVICE_TLS_CERT_FILE: '/cert.pem' }), /must be set together/)
})

test('of the variables of OpenTelemetry those in the table are read, and others left alone', () => {
  const settings = readSettings(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc, x-tenant=a=b',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_PROPAGATORS: 'b3',
    },
    [],
  )
  assert.equal(settings.otlpEndpoint, 'http://collector:4318')
  assert.deepEqual(settings.otlpHeaders, { authorization: 'Basic abc', 'x-tenant': 'a=b' })
  assert.equal(settings.tracesRatio, 0.25)
  assert.match(refusal({ OTEL_TRACES_SAMPLER_ARG: '1.5' }), /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/)
  assert.match(
    refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }),
    /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address/,
  )
  assert.match(refusal({ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }), /^OTEL_EXPORTER_OTLP_HEADERS must be name=value/)
})
