/** Names of headers that every request is asked for, or is answered with: as bytes, since a text would be encoded anew each time. */

export interface HeaderName {
  readonly text: string
  readonly bytes: Uint8Array
}

/** Lower case where it is asked for. */
export function headerName(text: string): HeaderName {
  return { text, bytes: Buffer.from(text, 'latin1') }
}
