/** Controls of the form of a job's settings. */
import type { ComponentChildren } from 'preact'
import type { ShownJob } from '../../state/jobs.js'
import { t, type TextKey } from '../../texts.js'

export function Section({ title, children }: { readonly title: TextKey; readonly children: ComponentChildren }) {
  return (
    <section class="panel stack">
      <h2>{t(title)}</h2>
      {children}
    </section>
  )
}

interface SwitchProps {
  readonly name: string
  readonly text: TextKey
  readonly help: TextKey
  readonly isOn: boolean
}

/** A setting that is on or off, with what it means. */
export function Switch({ name, text, help, isOn }: SwitchProps) {
  return (
    <label class="switch">
      <input type="checkbox" name={name} defaultChecked={isOn} />
      <span>
        {t(text)}
        <span class="help">{t(help)}</span>
      </span>
    </label>
  )
}

interface NumberProps {
  readonly name: string
  readonly text: TextKey
  readonly help: TextKey
  readonly value: number | undefined
  readonly min: number
  readonly max?: number
}

export function NumberField({ name, text, help, value, min, max }: NumberProps) {
  return (
    <label>
      {t(text)}
      <input
        class="short"
        name={name}
        type="number"
        min={min}
        max={max}
        step="any"
        defaultValue={value === undefined ? '' : String(value)}
      />
      <span class="help">{t(help)}</span>
    </label>
  )
}

/** What each kind of mistake costs: a row for what is true, a column for what is answered. */
export function Costs({ of, costs }: { readonly of: ShownJob; readonly costs: readonly (readonly number[])[] }) {
  return (
    <div class="table-wrap">
      <table class="matrix">
        <thead>
          <tr>
            <th>{t('matrix.corner')}</th>
            {of.labels.map((label) => (
              <th key={label}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.labels.map((truth, row) => (
            <tr key={truth}>
              <th>{truth}</th>
              {of.labels.map((answer, column) => (
                <td key={answer}>
                  <input
                    class="short"
                    type="number"
                    min={0}
                    step="any"
                    name={`cost ${row} ${column}`}
                    aria-label={t('settings.cost', { truth, answer })}
                    defaultValue={String(costs[row]?.[column] ?? (row === column ? 0 : 1))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
