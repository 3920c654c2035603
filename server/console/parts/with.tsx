/** Who else is at an event: who has it, who looks at it, what people noted. */
import type { EventNote } from '../../client/index.js'
import { lookersText, noteText, type Company } from '../state/handling.js'
import { count, t } from '../texts.js'
import { plainText } from './event-title.js'
import { Icon } from './icon.js'
import { Time } from './time.js'

interface WithProps {
  readonly assignee: string | undefined
  readonly company: Company
}

/** One line, which is there whoever is. */
export function With({ assignee, company }: WithProps) {
  const looks = lookersText(company.lookers)
  return (
    <p class="row dim company" role="status">
      {assignee === undefined ? null : (
        <span class="label">
          <Icon name="user-check" />
          <span class="bidi">{t('assign.has', { name: plainText(assignee) })}</span>
        </span>
      )}
      {looks === '' ? null : (
        <span class="label warn">
          <Icon name="users" />
          <span class="bidi">{plainText(looks)}</span>
        </span>
      )}
      {company.notes.length === 0 ? null : (
        <span class="label">
          <Icon name="sticky-note" />
          {count('notes', company.notes.length)}
        </span>
      )}
    </p>
  )
}

/** Notes on an event, oldest first. */
export function Notes({ notes }: { readonly notes: readonly EventNote[] }) {
  if (notes.length === 0) return null
  return (
    <section class="panel">
      <h2>{t('notes.title')}</h2>
      <ul class="stack-tight">
        {notes.map((note) => (
          <li key={`${note.at} ${note.author}`}>
            <p class="dim">
              <span class="bidi">{plainText(note.author)}</span> · <Time at={note.at} />
            </p>
            <p class="bidi note">{plainText(noteText(note))}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
