/** Which dialogs of the shell are open. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'

export const isHelpOpen = signal(false)
export const isPaletteOpen = signal(false)

/** A dialog of the parts that are loaded late; null: none is open. */
export const lateDialog = signal<ComponentType<{ readonly close: () => void }> | null>(null)
