/** Header names that every request reads or writes. They are kept as bytes, because a string is encoded at each use. */

export interface HeaderName {
  readonly text: string
  readonly bytes: Uint8Array
}

/** `text` is in lower case if the header is read. */
export function headerName(text: string): HeaderName {
  return { text, bytes: Buffer.from(text, 'latin1') }
}
