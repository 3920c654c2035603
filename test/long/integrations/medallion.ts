/**
 * A real TAXII 2.1 server for the tests: medallion of OASIS, from PyPI into `.cache/integrations/` beside the project.
 *
 * It needs Python 3.9 or later with pip. It keeps its collections in memory; a posted object is in its collection at
 * once.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Child } from './child.js'
import { pythonOf } from './counterparts.js'
import { freePort } from '../../../bench/harness/free-port.js'

/** The versions of the day when this was written: medallion itself pins none. */
const packages = [
  'medallion==3.0.0',
  'Flask==3.1.3',
  'Flask-HTTPAuth==4.8.1',
  'Werkzeug==3.1.9',
  'Jinja2==3.1.6',
  'MarkupSafe==3.0.4',
  'blinker==1.9.0',
  'click==8.5.1',
  'itsdangerous==2.2.0',
  'pytz==2026.6',
  'six==1.17.0',
]
const MEDIA_TYPE = 'application/taxii+json;version=2.1'
export const COLLECTION = '91a7b528-80eb-42ed-a74d-c6fbd5a26116'

export interface Medallion {
  readonly connection: { readonly url: string; readonly user: string; readonly password: string }
  add(objects: readonly object[]): Promise<void>
  close(): Promise<void>
}

/** Its packages. @throws NotHere if they cannot be installed. */
export function medallionPackages(): string {
  return pythonOf('medallion-3.0.0', packages)
}

export async function startMedallion(folder: string): Promise<Medallion> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'medallion-'))
  const root = `http://127.0.0.1:${port}/root/`
  writeFileSync(
    join(directory, 'data.json'),
    JSON.stringify({
      '/discovery': { title: 'tests', default: root, api_roots: [root] },
      root: {
        information: { title: 'root', versions: [MEDIA_TYPE], max_content_length: 10_000_000 },
        status: [],
        collections: [
          {
            id: COLLECTION,
            title: 'Indicators of the tests',
            can_read: true,
            can_write: true,
            media_types: ['application/stix+json;version=2.1'],
            objects: [],
            manifest: [],
          },
        ],
      },
    }),
  )
  writeFileSync(
    join(directory, 'config.json'),
    JSON.stringify({
      backend: {
        module: 'medallion.backends.memory_backend',
        module_class: 'MemoryBackend',
        filename: join(directory, 'data.json'),
      },
      users: { reader: 'a-secret-password' },
      taxii: { max_page_size: 100 },
    }),
  )
  const connection = { url: `http://127.0.0.1:${port}/taxii2/`, user: 'reader', password: 'a-secret-password' }
  const authorization = `Basic ${Buffer.from(`${connection.user}:${connection.password}`).toString('base64')}`
  const isUp = async (): Promise<boolean> => {
    const answer = await fetch(connection.url, { headers: { authorization, accept: MEDIA_TYPE } }).catch(() => null)
    return answer?.ok === true
  }
  const program = 'from medallion.scripts.run import main; main()'
  const args = ['-c', program, '--host', '127.0.0.1', '--port', String(port), join(directory, 'config.json')]
  const server = await Child.start('python3', args, isUp, { PYTHONPATH: folder })
  return {
    connection,
    async add(objects) {
      const answer = await fetch(`${root}collections/${COLLECTION}/objects/`, {
        method: 'POST',
        headers: { authorization, accept: MEDIA_TYPE, 'content-type': MEDIA_TYPE },
        body: JSON.stringify({ objects }),
      })
      const text = await answer.text()
      if (answer.status !== 202) throw new Error(`medallion: ${answer.status} ${text}`)
    },
    async close() {
      await server.kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
