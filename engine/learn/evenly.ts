/** Every `step`th of a list, so that at most `max` are left. */
export function evenly<T>(list: readonly T[], max: number): readonly T[] {
  const step = Math.ceil(list.length / max)
  return step <= 1 ? list : list.filter((_, i) => i % step === 0)
}
