/** The author of changes in tests where the author does not matter. */
import type { Author, ScopedAuthor } from '../../engine/api/principal.js'
import { scopesOfKey } from '../../engine/api/scopes.js'

export const testAuthor: ScopedAuthor = { kind: 'management', name: 'the test', scopes: scopesOfKey.management }

/** The same as messages and the audit log have it. */
export const recordedAuthor: Author = { kind: testAuthor.kind, name: testAuthor.name }
