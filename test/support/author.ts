/** The author of changes in tests where the author does not matter. */
import type { ScopedAuthor } from '../../engine/api/principal.js'
import { scopesOfKey } from '../../engine/api/scopes.js'

export const testAuthor: ScopedAuthor = { kind: 'management', name: 'the test', scopes: scopesOfKey.management }
