/** The row of a job in `findings`: what was odd in its events (domain/event/finding.ts). */
import type { StoredFinding } from '../domain/event/finding.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

export function encodeFindings(findings: readonly StoredFinding[]): Buffer {
  return encodeJsonRow({ findings })
}

export function decodeFindings(value: Uint8Array): readonly StoredFinding[] {
  return (decodeJsonRow(value) as { findings: StoredFinding[] }).findings
}
