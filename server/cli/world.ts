/** What a command has of the process. Tests give their own. */
import type { Readable } from 'node:stream'

/** Where a command writes. */
export interface Stream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: EnvironmentVariables
  /** Ends what is under way. */
  readonly signal: AbortSignal
}
