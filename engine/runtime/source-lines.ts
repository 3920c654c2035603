/**
 * Importing this file gives stack traces the lines of the source. All bundles of the service begin with it.
 *
 * A map is read only when a trace needs it. `--enable-source-maps` reads the maps of all modules whenever a process or
 * thread starts, and keeps them: megabytes in each thread, and more processor time than many tests take.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SourceMap } from './source-map.js'

const maps = new Map<string, SourceMap | null>()

function mapOf(url: string): SourceMap | null {
  let map = maps.get(url)
  if (map === undefined) {
    const path = `${fileURLToPath(url)}.map`
    map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null
    maps.set(url, map)
  }
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
