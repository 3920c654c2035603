/**
 * Importing this file gives stack traces the lines of the source. All bundles of the service begin with it.
 *
 * A map is read only when a trace needs it. `--enable-source-maps` reads the maps of all modules whenever a process or
 * thread starts, and keeps them: megabytes in each thread, and more processor time than many tests take.
 */
import { fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { SourceMap, type SourceMapText } from './source-map.js'

const maps = new Map<string, SourceMap | null>()

function pathOf(url: string): string {
  return `${fileURLToPath(url)}.map`
}

/**
 * The open file of this bundle's map, on the main thread. There, an error that nobody catches is the last: it must be
 * shown even if no more files can be opened.
 */
const own = { url: import.meta.url, file: isMainThread ? openOwn() : null }

function openOwn(): number | null {
  try {
    return openSync(pathOf(import.meta.url), 'r')
  } catch {
    return null
  }
}

function textOf(url: string): string {
  if (url !== own.url || own.file === null) return readFileSync(pathOf(url), 'utf8')
  const bytes = Buffer.alloc(fstatSync(own.file).size)
  readSync(own.file, bytes, 0, bytes.length, 0)
  return bytes.toString('utf8')
}

/** Null where there is none, or it cannot be read: a trace shows the built file's lines then. */
function mapOf(url: string): SourceMap | null {
  let map = maps.get(url)
  if (map !== undefined) return map
  try {
    map = new SourceMap(JSON.parse(textOf(url)) as SourceMapText)
  } catch (error) {
    // Without files or memory another time may be better.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return null
    map = null
  }
  maps.set(url, map)
  return map
}

/** `text` with its place in a built file replaced by the place in the source. */
export function inSource(text: string): string {
  return text.replace(/(file:\/\/[^\s()]+):(\d+):(\d+)/, (place: string, url: string, line: string, column: string) => {
    const found = mapOf(url)?.placeOf(Number(line) - 1, Number(column) - 1) ?? null
    if (found === null) return place
    return `${fileURLToPath(new URL(found.source, url))}:${found.line + 1}:${found.column + 1}`
  })
}

// With source maps enabled, Node.js does the same.
if (!process.execArgv.includes('--enable-source-maps')) {
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${inSource(String(frame))}`)].join('\n')
}
