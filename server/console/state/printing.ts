/** Printing: lists show all of their loaded rows meanwhile, and not only those in view. */
import { signal } from '@preact/signals'

export const printing = signal(false)

function frame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve))
}

/** Opens the browser's dialog when the rows are there. */
export async function printPage(): Promise<void> {
  printing.value = true
  await frame()
  await frame()
  try {
    print()
  } finally {
    printing.value = false
  }
}
