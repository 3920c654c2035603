/** A note on an event. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../state/api.js'
import { attempt, say } from '../state/toasts.js'
import { t } from '../texts.js'
import { Dialog } from './dialog.js'

interface NoteProps {
  readonly jobId: number
  readonly eventId: string
  readonly close: () => void
  readonly saved?: () => void
}

export function NoteDialog({ jobId, eventId, close, saved }: NoteProps) {
  const text = useSignal('')
  const isBusy = useSignal(false)
  const input = useRef<HTMLTextAreaElement>(null)
  useEffect(() => input.current?.focus(), [])
  async function save(): Promise<void> {
    if (text.value.trim() === '') return
    isBusy.value = true
    const isSaved = await attempt(() =>
      api.addAgenticNotes({ job_id: jobId, event_id: eventId, body: { agent_notes: text.value } }),
    )
    isBusy.value = false
    if (!isSaved) return
    say(t('note.saved'))
    saved?.()
    close()
  }
  return (
    <Dialog title={t('note.title')} close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <textarea
          ref={input}
          rows={5}
          aria-label={t('note.title')}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
          }}
        />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t('note.save')}
          </button>
          <span class="dim">{t('note.hint')}</span>
        </div>
      </form>
    </Dialog>
  )
}
