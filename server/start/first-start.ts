/** What the first start tells people of the secrets that it made. */

export interface FirstStart {
  /** Null where the settings gave one. */
  readonly adminPassword: string | null
  readonly managementKey: string | null
}

/**
 * The text, or '' where no secret was made. On a terminal it has the secrets. Elsewhere it names the file that has
 * them: what is printed there ends in a journal, which more people may read than the data directory.
 */
export function firstStartText(secrets: FirstStart | null, file: string, isTerminal: boolean): string {
  if (secrets === null) return ''
  const { adminPassword, managementKey } = secrets
  const lines = isTerminal
    ? [
        'First start. The service keeps only hashes of these secrets:',
        ...(adminPassword === null ? [] : [`  administrator: admin, password: ${adminPassword}`]),
        ...(managementKey === null ? [] : [`  management key: ${managementKey}`]),
        `They are also in ${file}. Keep them elsewhere, then delete it.`,
      ]
    : [`First start. Its secrets are in ${file}. Keep them elsewhere, then delete it.`]
  return `${lines.join('\n')}\n`
}
