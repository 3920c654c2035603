/**
 * A form whose page sends what it holds: the browser itself sends nothing.
 *
 * 1. While it is being sent, it is not sent again: neither by a key that is held nor by a second click.
 */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

interface FormProps {
  readonly class?: string
  readonly children: ComponentChildren
  /** Gets what the form holds, and the form, to empty it. */
  submit(data: FormData, form: HTMLFormElement): unknown
}

export function Form({ class: look = '', children, submit }: FormProps) {
  const isSending = useRef(false)
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (isSending.current) return
    isSending.current = true
    try {
      await submit(new FormData(form), form)
    } finally {
      isSending.current = false
    }
  }
  return (
    <form
      class={look}
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      {children}
    </form>
  )
}
