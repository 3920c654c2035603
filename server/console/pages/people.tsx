/** People: who may sign in, with which role. */
import { useSignal } from '@preact/signals'
import type { User, UserRole } from '../../client/index.js'
import { Loaded } from '../parts/loaded.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { Form } from '../parts/form.js'
import { api, may, session } from '../state/api.js'
import { useData } from '../state/data.js'
import { attempt, say } from '../state/toasts.js'
import { number, t } from '../texts.js'
import Password from './password.js'

const roles = ['analyst', 'power_user', 'administrator'] as const

function Add({ added }: { readonly added: () => void }) {
  async function add(data: FormData, form: HTMLFormElement): Promise<void> {
    const text = (name: string): string => String(data.get(name) ?? '')
    const body = { username: text('username').trim(), password: text('password'), role: text('role') as UserRole }
    if (!(await attempt(() => api.createUser({ body })))) return
    say(t('people.added', { name: body.username }))
    form.reset()
    added()
  }
  return (
    <Form class="panel row ends" submit={add}>
      <label>
        {t('sign_in.username')}
        <input name="username" required autocomplete="off" />
      </label>
      <label>
        {t('sign_in.password')}
        <input name="password" type="password" required minLength={8} autocomplete="new-password" />
      </label>
      <label>
        {t('people.role')}
        <select name="role">
          {roles.map((role) => (
            <option key={role} value={role}>
              {t(`role.${role}`)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        {t('people.add')}
      </button>
    </Form>
  )
}

function Role({ of, changed }: { readonly of: User; readonly changed: () => void }) {
  if (!may('write:users')) return <>{t(`role.${of.role}`)}</>
  const change = async (role: UserRole): Promise<void> => {
    const before = of.role
    const set = (to: UserRole) => api.changeUser({ username: of.username, body: { role: to } })
    if (await attempt(() => set(role)))
      say(t('people.changed', { name: of.username, role: t(`role.${role}`) }), async () => {
        await set(before)
        changed()
      })
    changed()
  }
  return (
    <select
      aria-label={t('people.role_of', { name: of.username })}
      value={of.role}
      onChange={({ currentTarget: { value } }) => void change(value as UserRole)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {t(`role.${role}`)}
        </option>
      ))}
    </select>
  )
}

function Actions({ of, changed }: { readonly of: User; readonly changed: () => void }) {
  const isSure = useSignal(false)
  const isPassword = useSignal(false)
  if (!may('write:users') || of.username === session.value?.name) return null
  const enable = async (): Promise<void> => {
    await attempt(() => api.changeUser({ username: of.username, body: { enabled: !of.enabled } }))
    changed()
  }
  const remove = async (): Promise<void> => {
    if (await attempt(() => api.removeUser({ username: of.username }))) say(t('people.gone', { name: of.username }))
    changed()
  }
  return (
    <span class="row">
      <button type="button" onClick={() => (isPassword.value = true)}>
        {t('people.password')}
      </button>
      {isPassword.value ? <Password of={of.username} close={() => (isPassword.value = false)} /> : null}
      <button type="button" onClick={() => void enable()}>
        {t(of.enabled ? 'people.disable' : 'people.enable')}
      </button>
      <button type="button" class="plain" onClick={() => (isSure.value ? void remove() : (isSure.value = true))}>
        {isSure.value ? t('keys.really', { name: of.username }) : t('delete')}
      </button>
    </span>
  )
}

export default function People() {
  const data = useData('people', (signal) => api.listUsers({}, { signal }))
  return (
    <div class="page">
      <h1>{t('place.people')}</h1>
      {may('write:users') ? <Add added={data.reload} /> : null}
      <Loaded data={data} lines={6}>
        {(users) => (
          <section class="panel">
            <Table
              columns={[
                { text: t('keys.head.name') },
                { text: t('people.role') },
                { text: t('people.state') },
                { text: t('people.last'), isNumber: true },
                { text: t('people.tokens'), isNumber: true },
                { text: t('deliveries.head.act') },
              ]}
              rows={users.map((one) => ({
                key: one.username,
                cells: [
                  one.username,
                  <Role key="r" of={one} changed={data.reload} />,
                  t(one.enabled ? 'people.enabled' : 'people.disabled'),
                  <Time key="t" at={one.last_login_at} />,
                  number(one.tokens),
                  <Actions key="a" of={one} changed={data.reload} />,
                ],
              }))}
            />
          </section>
        )}
      </Loaded>
    </div>
  )
}
