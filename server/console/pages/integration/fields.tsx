/** The parameters of an integration as a form: a field for each, with what it means. */
import type { ShownResource } from '../../../client/index.js'
import { api } from '../../state/api.js'
import { attempt, say } from '../../state/toasts.js'
import { t } from '../../texts.js'
import { changesOf, fieldsOf, shownText, type Parameter, type ParameterSchema, type Values } from './changes.js'
import { Form } from '../../parts/form.js'
import { Sentence } from '../../parts/sentence.js'

/** Texts that have lines. */
const long = /certificate|credentials|client_key/

function idOf(name: string): string {
  return `parameter-${name}`
}

interface FieldProps {
  readonly name: string
  readonly parameter: Parameter
  readonly value: unknown
  readonly isRequired: boolean
}

function Control({ name, parameter, value, isRequired }: FieldProps) {
  const { type, enum: choices, writeOnly = false, minimum, maximum } = parameter
  const shown = shownText(parameter, value)
  const id = idOf(name)
  // A secret that is not given stays as it is.
  const placeholder = writeOnly ? t('integration.secret') : ''
  if (choices !== undefined)
    return (
      <select id={id} name={name}>
        {(shown === '' && !choices.includes('') ? ['', ...choices] : choices).map((choice) => (
          <option key={choice} value={choice} selected={choice === shown}>
            {choice}
          </option>
        ))}
      </select>
    )
  if (type === 'number')
    return (
      <input
        id={id}
        class="short"
        name={name}
        type="number"
        step="any"
        min={minimum}
        max={maximum}
        defaultValue={shown}
      />
    )
  if (long.test(name))
    return <textarea id={id} name={name} rows={4} spellcheck={false} placeholder={placeholder} defaultValue={shown} />
  return writeOnly ? (
    <input id={id} name={name} type="password" autocomplete="new-password" placeholder={placeholder} />
  ) : (
    <input id={id} name={name} autocomplete="off" spellcheck={false} required={isRequired} defaultValue={shown} />
  )
}

function Field(props: FieldProps) {
  const { name, parameter, value } = props
  const { type, description = '' } = parameter
  if (type === 'boolean')
    return (
      <label class="switch">
        <input type="checkbox" name={name} defaultChecked={shownText(parameter, value) === 'true'} />
        <span>
          <code>{name}</code>
          <span class="help">
            <Sentence text={description} />
          </span>
        </span>
      </label>
    )
  return (
    <label for={idOf(name)}>
      <code>{name}</code>
      <Control {...props} />
      <span class="help">
        <Sentence text={description} />
      </span>
    </label>
  )
}

interface FormProps {
  readonly of: ShownResource
  readonly schema: ParameterSchema
  readonly saved: () => void
}

export function ParametersForm({ of, schema, saved }: FormProps) {
  const { title, integration_type, parameters: shown = {} } = of as { readonly parameters?: Values } & ShownResource
  const save = async (data: FormData, form: HTMLFormElement): Promise<void> => {
    const parameters = changesOf(schema, shown, data)
    if (Object.keys(parameters).length === 0) return say(t('settings.unchanged'))
    const change = { type: 'integration', title, integration_type, parameters } as unknown as ShownResource
    const isSaved = await attempt(() => api.applyResources({ body: [change] }))
    if (!isSaved) return
    for (const [name, { writeOnly }] of fieldsOf(schema)) {
      const field = form.elements.namedItem(name)
      if (writeOnly === true && field !== null && 'value' in field) field.value = ''
    }
    say(t('integration.saved'))
    saved()
  }
  return (
    <Form class="panel stack" submit={save}>
      <p class="dim">{t('integration.secrets')}</p>
      {fieldsOf(schema).map(([name, parameter]) => (
        <Field
          key={name}
          name={name}
          parameter={parameter}
          value={shown[name]}
          isRequired={schema.required?.includes(name) === true}
        />
      ))}
      <div class="row">
        <button type="submit" class="primary">
          {t('save')}
        </button>
        <button type="reset">{t('integration.reset')}</button>
      </div>
    </Form>
  )
}
