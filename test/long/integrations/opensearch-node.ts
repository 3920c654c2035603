/**
 * A real OpenSearch node of the tests' own: its jars from Maven Central, started by a few lines of Java.
 *
 * It needs a JDK (11 or later) and Maven; the jars are kept in `.cache/integrations/` beside the project.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project, seen from where this file is compiled to. */
const project = fileURLToPath(new URL('../../../../', import.meta.url))
const sources = join(project, 'test/long/integrations/opensearch')
const jars = join(project, '.cache/integrations/opensearch-2.19.1')
const START_MS = 120_000

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export interface OpenSearchNode {
  readonly port: number
  /** Asks it; @throws Error where it does not answer well. */
  ask(method: string, path: string, body?: unknown): Promise<any>
  close(): Promise<void>
}

export async function startOpenSearch(): Promise<OpenSearchNode> {
  if (!existsSync(join(jars, 'whole'))) {
    mkdirSync(jars, { recursive: true })
    execFileSync('mvn', ['-q', '-B', '-f', join(sources, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`], { stdio: 'inherit' })
    mkdirSync(join(jars, 'whole'))
  }
  const home = mkdtempSync(join(tmpdir(), 'opensearch-'))
  mkdirSync(join(home, 'config'))
  const port = await freePort()
  const args = ['-Xms512m', '-Xmx512m', '-cp', `${jars}/*`, `-Dopensearch.path.conf=${home}/config`, join(sources, 'SingleNode.java'), String(port), home]
  const node = spawn('java', args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [node.stdout, node.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const end = performance.now() + START_MS
  while (!output.includes('ready')) {
    if (node.exitCode !== null || performance.now() > end) throw new Error(`OpenSearch did not start: ${output.slice(-2_000)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    port,
    async ask(method, path, body) {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return await answer.json()
    },
    async close() {
      node.kill('SIGKILL')
      if (node.exitCode === null && node.signalCode === null) await once(node, 'exit')
      rmSync(home, { recursive: true, force: true })
    },
  }
}
