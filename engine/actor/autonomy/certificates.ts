/** Certificates: the audit log's entries of gates that changed their state. */
import { certificateOf, gateId } from '../../domain/autonomy/certificate.js'
import type { SafetyContract } from '../../domain/autonomy/contract.js'
import type { Gate } from '../../domain/autonomy/gate.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { Author } from '../../api/principal.js'
import { addAuditEntry } from '../audit-outbox.js'
import { authorOf } from '../message-author.js'
import type { TurnStore } from '../turn-store.js'

export interface CertificateFrame {
  readonly settings: JobSettings
  readonly contract: SafetyContract
  readonly atMicros: number
  /** From 1: several gates may change with one message. */
  readonly place: number
  readonly by: Author
}

const actions = { open: 'gate opened', shadow: 'gate closed', revoked: 'gate revoked' } as const

export function addCertificate(
  store: TurnStore,
  { settings, contract, atMicros, place, by }: CertificateFrame,
  gate: Gate,
  before: Gate,
): void {
  const { id, title, labels } = settings
  const name = (label: number): string => labels[label]?.name ?? `label_${label}`
  addAuditEntry(
    store,
    {
      atMicros,
      by: authorOf(by),
      action: actions[gate.state],
      object: { type: 'gate', id: gateId(id, gate), title: name(gate.label) },
      job: { id, title },
      details: certificateOf(id, gate, before, { contract, name, nowMicros: atMicros }),
    },
    place,
  )
}
