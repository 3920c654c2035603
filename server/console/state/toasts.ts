/**
 * Short messages about what was done, and how to take it back.
 *
 * 1. What can be undone stays undoable after its message is gone, up to fifty steps.
 * 2. A failure stays until it is closed.
 */
import { signal } from '@preact/signals'
import { t } from '../texts.js'
import { messageOf } from './api.js'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly isError: boolean
  readonly undo: (() => Promise<void>) | null
}

const SHOWN_MS = 8_000
const STEPS_MAX = 50

export const toasts = signal<readonly Toast[]>([])
const steps: Toast[] = []
let made = 0

export function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

function show(text: string, isError: boolean, undo: (() => Promise<void>) | null): void {
  const toast: Toast = { id: ++made, text, isError, undo }
  toasts.value = [...toasts.value.slice(-2), toast]
  if (!isError) setTimeout(() => close(toast.id), SHOWN_MS)
  if (undo === null) return
  steps.push(toast)
  if (steps.length > STEPS_MAX) steps.shift()
}

/** Says what was done. */
export function say(text: string, undo: (() => Promise<void>) | null = null): void {
  show(text, false, undo)
}

/** Says what failed. */
export function fail(error: unknown): void {
  show(messageOf(error), true, null)
}

/** Runs what may fail, and says so. True if it did not. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    fail(error)
    return false
  }
}

/** Takes back the step, or the latest one. */
export async function undo(toast: Toast | undefined = steps.at(-1)): Promise<void> {
  if (toast?.undo == null) return say(t('undo.none'))
  const at = steps.indexOf(toast)
  if (at >= 0) steps.splice(at, 1)
  close(toast.id)
  await attempt(toast.undo)
}
