/** Commands about a job's safety contract, as the body of an `autonomy` message. */
import type { SafetyContract } from '../../domain/autonomy/contract.js'
import type { Author } from '../../api/principal.js'

export type AutonomyCommand =
  | {
      readonly op: 'set'
      readonly contract: SafetyContract
      /** The secret of the draw, Base64: taken where the job has none yet. */
      readonly drawKey: string
      readonly by: Author
    }
  /** Looks at deadlines and weeks. */
  | { readonly op: 'check' }
  /** Sends settled events back to people, some with each message. */
  | {
      readonly op: 'reopen'
      /** Index of the label; null for all. */
      readonly label: number | null
      /** Events from this ingest time on, up to before `through`. */
      readonly from: number
      readonly through: number
      /** The first message of the command: it gets the entry in the audit log. */
      readonly first: boolean
      readonly by: Author
    }

/** What a piece of a reopening did. */
export interface Reopened {
  readonly reopened: number
  /** Where the next piece begins; null at the end. */
  readonly next: number | null
}

export function encodeAutonomyCommand(command: AutonomyCommand): Buffer {
  return Buffer.from(JSON.stringify(command), 'utf8')
}

export function decodeAutonomyCommand(body: Buffer): AutonomyCommand {
  return JSON.parse(body.toString('utf8')) as AutonomyCommand
}
