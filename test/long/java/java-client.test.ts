/**
 * `npm run test:java`: a Java client, generated from the simple form of the OpenAPI document, sends, votes and queries.
 *
 * Maven installs OpenAPI Generator from Maven Central. It needs Java 17 and Maven; what it makes is in .build/java, which
 * may be deleted at any time.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeJob } from '../../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'
import { root } from '../../support/source-tree.js'

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0'

const home = join(root, '.build/java')
const generated = join(home, 'client')
const exec = promisify(execFile)
const isMissing = spawnSync('mvn', ['--version']).status !== 0
const skip = isMissing && 'there is no Maven'

let service: TestService

before(async () => {
  service = await startService()
})
after(() => service.close())

/** Does not block this process, which serves. */
async function run(command: string, args: readonly string[], cwd = home): Promise<string> {
  const { stdout } = await exec(command, args, { cwd, maxBuffer: 1 << 26 })
  return stdout
}

test('a generated Java client compiles, and sends, votes and queries', { skip }, async () => {
  const { jobId } = await makeJob(service.client, { decision_points: ['rule.id'] })
  rmSync(generated, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const document = join(home, 'openapi.json')
  writeFileSync(document, (await service.client.get('/openapi/simple.json', { key: null })).text)
  await run('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${GENERATOR}`, `-DoutputDirectory=${home}`])
  const jar = join(home, `${GENERATOR.split(':').slice(1).join('-')}.jar`)
  await run('java', ['-jar', jar, 'generate', '-g', 'java', '--library', 'native', '-i', document, '-o', generated])
  copyFileSync(join(root, 'test/long/java/FirstSteps.java'), join(generated, 'src/main/java/FirstSteps.java'))
  await run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'compile'], generated)
  const paths = join(home, 'classpath')
  await run('mvn', ['-q', '-B', 'dependency:build-classpath', `-Dmdep.outputFile=${paths}`], generated)
  const classes = [join(generated, 'target/classes'), readFileSync(paths, 'utf8').trim()].join(delimiter)
  const printed = await run('java', ['-cp', classes, 'FirstSteps', service.baseUrl, MANAGEMENT_KEY, String(jobId)])
  assert.equal(printed.trim(), '1')
  const { body } = await service.client.get(`/api/v2/events/${jobId}/from-java/consensus`)
  assert.equal(body.consensus, 'Drop')
})
