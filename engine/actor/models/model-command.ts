/** Commands about the models of a job, as the body of a `models` message. */
import type { Author } from '../../api/principal.js'

export type ModelCommand =
  | {
      readonly op: 'roll_back'
      /** Null: the model that decided before the present one. */
      readonly version: number | null
      readonly by: Author
    }
  | { readonly op: 'challenge'; readonly version: number; readonly by: Author }
  | { readonly op: 'drop' | 'promote'; readonly by: Author }

/** What became of the active model. */
export interface ActiveChange {
  readonly from: number
  readonly to: number
}

export function encodeModelCommand(command: ModelCommand): Buffer {
  return Buffer.from(JSON.stringify(command), 'utf8')
}

export function decodeModelCommand(body: Buffer): ModelCommand {
  return JSON.parse(body.toString('utf8')) as ModelCommand
}
