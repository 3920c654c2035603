/** Who asks for changes in tests that are not about who asks. */
import type { Author } from '../../engine/api/principal.js'

export const testAuthor: Author = { kind: 'management', name: 'the test' }
