/** What the reader of files (event-file.ts) warns of. Jobs keep it as findings (../finding.ts). */

export const fileFindingKinds = [
  /** Bytes that are not UTF-8 were replaced by U+FFFD (S38). */
  'invalid_utf8',
  /** An item that is no object was stored as `{message}` (S36). */
  'odd_item',
  /** An object had a key twice, with different values: the last one counts. */
  'repeated_key',
  /** A file was read in another charset than UTF-8, which it did not say (S40). */
  'charset',
  /** Lines of a file were read in a format of logs, which their content looks like (S40). */
  'line_format',
  /** Documents or records of a file could not be read, while others were (S36). */
  'broken_part',
  /** A column of a file had the name of another one (S40). */
  'same_name',
  /** Values of a file stood in a column without a name, and were left out (S40). */
  'no_name',
  /** A file was an export without whole events (S40). */
  'partial_export',
] as const
export type FileFindingKind = (typeof fileFindingKinds)[number]
