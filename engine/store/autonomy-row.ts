/** The rows of `autonomy`, which holds a job's safety contract with its gates. */
import type { SafetyContract } from '../domain/autonomy/contract.js'
import type { Gate } from '../domain/autonomy/gate.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

export interface AutonomyRow {
  readonly contract: SafetyContract
  /** When it was last set, and by whom. */
  readonly setMicros: number
  readonly setBy: string
  /** The secret that audits are drawn with, Base64. It came with the first contract, and is kept with later ones. */
  readonly drawKey: string
  /** The number of the next gate. */
  readonly nextGate: number
  /** By label, each from strict to lax. */
  readonly gates: readonly Gate[]
  /** Gates that ended, latest first. */
  readonly ended: readonly Gate[]
  /** The time of the last look at deadlines and weeks. */
  readonly judgedMicros: number
  /** When deadlines and weeks are looked at again. */
  readonly checkMicros: number
}

export function encodeAutonomy(row: AutonomyRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeAutonomy(value: Uint8Array): AutonomyRow {
  return decodeJsonRow(value) as AutonomyRow
}
