/**
 * The file of `--config`. It holds one JSON object, or NAME=VALUE lines. Blank lines and lines that begin with # are
 * skipped; quotes around a value are removed.
 */
import { readFileSync } from 'node:fs'

/** An error in the settings, as a sentence for people. */
export class SettingsError extends Error {}

function unquoted(value: string): string {
  const quote = value[0]
  const isQuoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote)
  return isQuoted ? value.slice(1, -1) : value
}

function parseLines(content: string, file: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [index, raw] of content.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const at = line.indexOf('=')
    if (at <= 0) throw new SettingsError(`line ${index + 1} of ${file} is not NAME=VALUE`)
    values[line.slice(0, at).trim()] = unquoted(line.slice(at + 1).trim())
  }
  return values
}

function parseObject(content: string, file: string): Record<string, string> {
  let document: unknown
  try {
    document = JSON.parse(content)
  } catch {
    throw new SettingsError(`${file} is not valid JSON`)
  }
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(document as object)) {
    if (value === null) continue
    if (typeof value === 'object') throw new SettingsError(`${name} in ${file} must be a string, a number or a boolean`)
    values[name] = String(value)
  }
  return values
}

/** Names and values, as strings. @throws SettingsError. */
export function readConfigFile(file: string): Record<string, string> {
  let content: string
  try {
    // Windows editors write a byte order mark before UTF-8.
    content = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new SettingsError(`the file ${file} of --config cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  const values = content.trimStart().startsWith('{') ? parseObject(content, file) : parseLines(content, file)
  for (const name of Object.keys(values)) {
    if (!/^(SERVICE|OTEL)_/.test(name)) throw new SettingsError(`${name} in ${file} is not a setting`)
  }
  return values
}
