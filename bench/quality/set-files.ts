/**
 * Reads and checks the files of a labelled set before anything is measured on it. A mistake is reported with its name
 * and place.
 *
 * Owns: what a well-formed set is. Leaves out: what the lines mean (dataset.ts).
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

/** A file that cannot be used. The message is for people. */
export class BadFile extends Error {}

export const PROTOCOL = 'protocol.json.gz'
const EVENTS = 'events.jsonl.gz'
/** Mistakes reported of one file, at most. */
const complaintsMax = 5

const lines = z.array(z.number().int().nonnegative())
/** Lines by seed: "0" and so on. */
const bySeed = z.record(z.string().regex(/^\d+$/u), lines)
const outlierLines = z.object({ train: lines, inliers: lines.min(1), outliers: lines.min(1) })

/** Line numbers count from 0, seeds too. */
const protocolFile = z.object({
  test: lines.min(1),
  picks: z.object({ random: bySeed, bucket: bySeed }),
  ignored_fields: z.array(z.string()),
  outliers: z.record(z.string(), z.record(z.string(), outlierLines)),
})
export type ProtocolFile = z.infer<typeof protocolFile>

const eventLine = z.object({
  event: z.record(z.string(), z.unknown()),
  label: z.string(),
  meta: z.record(z.string(), z.unknown()).default({}),
})
export type EventLine = z.infer<typeof eventLine>

/** What a check has found, one mistake a line. */
function complain(path: string, found: readonly string[]): void {
  if (found.length === 0) return
  const more = found.length > complaintsMax ? [`and ${found.length - complaintsMax} more`] : []
  throw new BadFile(
    `${path} cannot be used:\n${[...found.slice(0, complaintsMax), ...more].map((text) => `  ${text}`).join('\n')}`,
  )
}

function issuesOf(error: z.ZodError, where = ''): string[] {
  return error.issues.map(
    ({ path, message }) => `${[...(where === '' ? [] : [where]), path.join('.')].join(', ')}: ${message}`,
  )
}

function readGzip(path: string): string {
  if (!existsSync(path)) throw new BadFile(`There is no file ${path}.`)
  try {
    return gunzipSync(readFileSync(path)).toString('utf8')
  } catch (error) {
    throw new BadFile(`${path} is no gzip file: ${(error as Error).message}.`)
  }
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new BadFile(`${where} is no JSON: ${(error as Error).message}.`)
  }
}

/** @throws BadFile. */
export function readProtocolFile(folder: string, name: string): ProtocolFile {
  const path = join(folder, name, PROTOCOL)
  const parsed = protocolFile.safeParse(parseJson(readGzip(path), path))
  if (!parsed.success) complain(path, issuesOf(parsed.error))
  return parsed.data as ProtocolFile
}

/** @throws BadFile. */
export function readEventLines(folder: string, name: string): EventLine[] {
  const path = join(folder, name, EVENTS)
  const found: string[] = []
  const all = readGzip(path)
    .trimEnd()
    .split('\n')
    .map((text, line) => {
      const parsed = eventLine.safeParse(parseJson(text, `${path}, line ${line} (from 0),`))
      if (!parsed.success) found.push(...issuesOf(parsed.error, `line ${line} (from 0)`))
      return parsed.data as EventLine
    })
  if (found.length === 0 && new Set(all.map(({ label }) => label)).size < 2) found.push('there is one label only')
  complain(path, found)
  return all
}

/** Every list of lines in a protocol, by its name. */
function* listsOf({
  test,
  picks,
  outliers,
}: ProtocolFile): Generator<readonly [name: string, lines: readonly number[]]> {
  yield ['test', test]
  for (const [strategy, seeds] of Object.entries(picks))
    for (const [seed, list] of Object.entries(seeds)) yield [`picks.${strategy}.${seed}`, list]
  for (const [heldOut, seeds] of Object.entries(outliers))
    for (const [seed, tested] of Object.entries(seeds)) {
      for (const [part, list] of Object.entries(tested)) yield [`outliers.${heldOut}.${seed}.${part}`, list]
    }
}

/** Whether the lines exist, each at most once in its list, and none both learned from and scored. @throws BadFile. */
export function checkLines(folder: string, name: string, protocol: ProtocolFile, lineCount: number): void {
  const found: string[] = []
  const scored = new Set(protocol.test)
  for (const [list, numbers] of listsOf(protocol)) {
    const beyond = numbers.find((line) => line >= lineCount)
    if (beyond !== undefined) found.push(`${list} has line ${beyond}, but there are ${lineCount} lines, from 0`)
    if (new Set(numbers).size < numbers.length) found.push(`${list} has a line twice`)
    const told = list.startsWith('picks.') ? numbers.find((line) => scored.has(line)) : undefined
    if (told !== undefined) found.push(`${list} has line ${told}, which is scored: nothing may be learned from it`)
  }
  for (const [heldOut, seeds] of Object.entries(protocol.outliers))
    for (const [seed, { train, inliers, outliers }] of Object.entries(seeds)) {
      const told = new Set(train)
      const both = [...inliers, ...outliers].find((line) => told.has(line))
      if (both !== undefined) found.push(`outliers.${heldOut}.${seed} learns from line ${both}, which it scores`)
    }
  complain(join(folder, name, PROTOCOL), found)
}
