/**
 * Step of the build, before the compiler: writes the types of the client, and its table of operations, to
 * `.build/client`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFiles, type Document } from './client-types.js'
import { openApiDocument } from './openapi.js'
import { routes } from './routes/index.js'

const target = join(process.cwd(), '.build/client')

/** Writes a file where its content is another: an unchanged one is not compiled again. */
function write(name: string, text: string): void {
  const path = join(target, name)
  try {
    if (readFileSync(path, 'utf8') === text) return
  } catch {
    // It is written for the first time.
  }
  writeFileSync(path, text)
}

const document = JSON.parse(JSON.stringify(openApiDocument(routes, 'service'))) as Document
const { declarations, table } = clientFiles(document)
mkdirSync(target, { recursive: true })
write('operations.d.ts', declarations)
write('operations.js', table)
