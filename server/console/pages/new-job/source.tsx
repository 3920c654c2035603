/** Where the events of a new job come from: a file, a text, or the built-in stream. */
import { useSignal } from '@preact/signals'
import { Icon } from '../../parts/icon.js'
import { Form } from '../../parts/form.js'
import { t } from '../../texts.js'

interface SourceProps {
  readonly file: (file: File) => void
  readonly text: (text: string) => void
  readonly generated: () => void
}

export function Source({ file, text, generated }: SourceProps) {
  const typed = useSignal('')
  const isOver = useSignal(false)
  const takeFirst = (files: FileList | null | undefined): void => {
    const [first] = files ?? []
    if (first !== undefined) file(first)
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by the keyboard the file is chosen with the button. */}
      <section
        class={isOver.value ? 'panel drop over' : 'panel drop'}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          takeFirst(event.dataTransfer?.files)
        }}
      >
        <Icon name="download" />
        <h2>{t('new_job.drop')}</h2>
        <p>{t('new_job.formats')}</p>
        <label class="button">
          {t('new_job.choose')}
          <input
            type="file"
            class="hidden"
            accept=".json,.jsonl,.ndjson,.csv,.tsv,.txt,.gz"
            onChange={(event) => takeFirst(event.currentTarget.files)}
          />
        </label>
      </section>
      <section class="panel row">
        <p class="grow">{t('new_job.try')}</p>
        <button type="button" class="primary" onClick={generated}>
          <Icon name="play" /> {t('new_job.try_it')}
        </button>
      </section>
      <Form class="panel stack" submit={() => text(typed.value)}>
        <label>
          {t('new_job.paste')}
          <textarea rows={5} value={typed.value} onInput={(event) => (typed.value = event.currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" disabled={typed.value.trim() === ''}>
            {t('new_job.take_text')}
          </button>
        </div>
      </Form>
    </>
  )
}
