/** A form whose page sends what it holds: the browser itself sends nothing. */
import type { ComponentChildren } from 'preact'

interface FormProps {
  readonly class?: string
  readonly children: ComponentChildren
  /** Gets what the form holds, and the form, to empty it. */
  submit(data: FormData, form: HTMLFormElement): unknown
}

export function Form({ class: look = '', children, submit }: FormProps) {
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault()
        submit(new FormData(event.currentTarget), event.currentTarget)
      }}
    >
      {children}
    </form>
  )
}
