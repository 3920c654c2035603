/** A note on an event, or the same note on several. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../state/api.js'
import { draftText, keepDraft } from '../state/drafts.js'
import { attempt, say } from '../state/toasts.js'
import { count, t } from '../texts.js'
import { Dialog } from './dialog.js'
import { Form } from './form.js'

interface NoteProps {
  readonly jobId: number
  readonly eventIds: readonly string[]
  readonly close: () => void
  readonly saved?: () => void
}

export function NoteDialog({ jobId, eventIds, close, saved }: NoteProps) {
  const text = useSignal(draftText(jobId, eventIds))
  const isBusy = useSignal(false)
  const input = useRef<HTMLTextAreaElement>(null)
  const left = useRef(eventIds)
  useEffect(() => input.current?.focus(), [])
  /** Saved, or thrown away. */
  const leave = (): void => {
    keepDraft(jobId, eventIds, '')
    close()
  }
  async function save(): Promise<void> {
    if (text.value.trim() === '') return
    isBusy.value = true
    const isSaved = await attempt(async () => {
      // One after the other: what fails is said, and the text stays to be saved again.
      while (left.current.length > 0) {
        const [id = ''] = left.current
        await api.addNote({ job_id: jobId, event_id: id, body: { text: text.value.trim() } })
        left.current = left.current.slice(1)
      }
    })
    isBusy.value = false
    if (!isSaved) return
    say(count('note.saved', eventIds.length))
    saved?.()
    leave()
  }
  return (
    <Dialog title={t('note.title')} close={leave}>
      <Form class="stack" submit={save}>
        <textarea
          ref={input}
          rows={5}
          aria-label={t('note.title')}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            keepDraft(jobId, eventIds, text.value)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat)
              event.currentTarget.form?.requestSubmit()
          }}
        />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t('note.save')}
          </button>
          <span class="dim">{t('note.hint')}</span>
        </div>
      </Form>
    </Dialog>
  )
}
