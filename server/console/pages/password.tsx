/** A new password: one's own, with the current one, or that of somebody else. */
import { useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.js'
import { Form } from '../parts/form.js'
import { api, messageOf, session } from '../state/api.js'
import { say } from '../state/toasts.js'
import { t } from '../texts.js'

interface PasswordProps {
  /** Absent: this person's own. */
  readonly of?: string
  readonly close: () => void
}

export default function Password({ of, close }: PasswordProps) {
  const problem = useSignal<string | null>(null)
  const username = of ?? session.value?.name ?? ''
  const change = async (data: FormData): Promise<void> => {
    const text = (name: string): string => String(data.get(name) ?? '')
    const body = { password: text('new'), ...(of === undefined ? { current_password: text('current') } : {}) }
    try {
      await api.setPassword({ username, body })
    } catch (error) {
      problem.value = messageOf(error)
      return
    }
    say(t('password.changed', { name: username }))
    close()
  }
  return (
    <Dialog title={t('password.title', { name: username })} close={close}>
      <Form class="stack" submit={change}>
        {of === undefined ? (
          <label>
            {t('password.current')}
            <input name="current" type="password" required autocomplete="current-password" />
          </label>
        ) : null}
        <label>
          {t('password.new')}
          <input name="new" type="password" required minLength={8} autocomplete="new-password" />
        </label>
        <p class="help">{t('password.ends')}</p>
        {problem.value === null ? null : (
          <p class="bad" role="alert">
            {problem.value}
          </p>
        )}
        <div class="row">
          <button type="submit" class="primary">
            {t('password.change')}
          </button>
        </div>
      </Form>
    </Dialog>
  )
}
