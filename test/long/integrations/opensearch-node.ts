/**
 * A real OpenSearch node for the tests: its jars from Maven Central, started by a few lines of Java.
 *
 * It needs a JDK (11 or later) and Maven. The jars are kept in `.cache/integrations/` beside the project.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Child } from './child.js'
import { jarsOf, sources } from './counterparts.js'
import { freePort } from '../../../bench/harness/free-port.js'

export interface OpenSearchNode {
  readonly port: number
  /** Sends a request. @throws Error for an answer that is no success. */
  ask(method: string, path: string, body?: unknown): Promise<any>
  close(): Promise<void>
}

/** The jars. @throws NotHere if they cannot be installed. */
export function openSearchJars(): string {
  return jarsOf('opensearch-2.19.1', 'opensearch')
}

export async function startOpenSearch(jars: string): Promise<OpenSearchNode> {
  const home = mkdtempSync(join(tmpdir(), 'opensearch-'))
  mkdirSync(join(home, 'config'))
  const port = await freePort()
  const args = [
    '-Xms512m',
    '-Xmx512m',
    '-cp',
    `${jars}/*`,
    `-Dopensearch.path.conf=${home}/config`,
    join(sources, 'opensearch/SingleNode.java'),
    String(port),
    home,
  ]
  const node = await Child.start('java', args, (output) => output.includes('ready'))
  return {
    port,
    async ask(method, path, body) {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { 'content-type': path.includes('_bulk') ? 'application/x-ndjson' : 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers,
        ...(text === undefined ? {} : { body: text }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return await answer.json()
    },
    async close() {
      await node.kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
